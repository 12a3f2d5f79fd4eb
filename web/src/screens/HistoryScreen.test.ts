import { cleanup, render, screen } from "@testing-library/svelte";
import { afterEach, expect, test, vi } from "vitest";

import type { PlayedGame, PlayedSeat, Score } from "../generated/protocol";
import * as api from "../lib/api";
import HistoryScreen from "./HistoryScreen.svelte";

afterEach(cleanup);

function score(name: string | null, level: Score["level"]): Score {
  return { game: "splendor", players: 2, name, level, played: 2, won: 1, mean_place: 1.5, mean_points: 14.5 };
}

test("practice is marked among the games", async () => {
  vi.spyOn(api, "whoAmI").mockResolvedValue({ guest: { id: "1", nickname: "Ada" } });
  const game = { game: "splendor" as const, players: 2, finished_at: "2026-01-01T00:00:00Z", seats: [] };
  const games = [
    { ...game, table: "one", is_practice: true },
    { ...game, table: "two", is_practice: false },
  ];
  vi.spyOn(api, "history").mockResolvedValue({ games, next: null });
  vi.spyOn(api, "statistics").mockResolvedValue({ scores: [] });
  render(HistoryScreen);
  expect(await screen.findAllByText("Practice")).toHaveLength(1);
  expect(screen.getByText("Practice").closest("a")?.getAttribute("href")).toBe("/replay/one");
});

test("people have a row each, also of one nickname, and bots one for each level", async () => {
  vi.spyOn(api, "whoAmI").mockResolvedValue({ guest: { id: "1", nickname: "Ada" } });
  vi.spyOn(api, "history").mockResolvedValue({ games: [], next: null });
  const scores = [score(null, "novice"), score(null, null), score("Bo", null), score("Bo", null)];
  vi.spyOn(api, "statistics").mockResolvedValue({ scores });
  render(HistoryScreen);
  await screen.findByText("bots: novice", { exact: false });
  const rows = screen.getAllByRole("row").slice(1);
  expect(rows.map((row) => row.querySelector("td")?.textContent.toLowerCase())).toEqual([
    "bots: novice",
    "bots of various levels",
    "bo",
    "bo",
  ]);
});

function played(players: number, leaving: PlayedSeat["leaving"]): PlayedGame {
  const seat = { kind: "person", level: null, points: 3 } as const;
  return {
    table: `${players}${leaving ?? ""}`,
    is_practice: false,
    game: "splendor",
    players,
    finished_at: "2026-01-01T00:00:00Z",
    seats: Array.from({ length: players }, (_, number) => ({
      ...seat,
      seat: number,
      name: ["Ada", "Bo", "Cleo"][number] ?? "",
      is_you: number === 0,
      place: number + 1,
      has_won: number === 0,
      has_left: number === 1 && leaving !== null,
      leaving: number === 1 ? leaving : null,
    })),
  };
}

test("a game that was not played to its end says why, unless a bot played on", async () => {
  vi.spyOn(api, "whoAmI").mockResolvedValue({ guest: { id: "1", nickname: "Ada" } });
  const games = [played(2, "clock"), played(2, "left"), played(2, null), played(3, "left")];
  vi.spyOn(api, "history").mockResolvedValue({ games, next: null });
  vi.spyOn(api, "statistics").mockResolvedValue({ scores: [] });
  render(HistoryScreen);
  await screen.findByText("Bo ran out of time.");
  expect(screen.getAllByText(/ran out|left/).map((found) => found.textContent)).toEqual([
    "Bo ran out of time.",
    "Bo left the game.",
  ]);
});

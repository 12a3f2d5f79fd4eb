import { render, screen } from "@testing-library/svelte";
import { expect, test, vi } from "vitest";

import type { OpenTable } from "../generated/protocol";
import * as api from "../lib/api";
import LobbyScreen from "./LobbyScreen.svelte";

function table(host: string): OpenTable {
  const seats: OpenTable["seats"] = [
    { kind: "person", name: host, level: null },
    { kind: "open", name: "", level: null },
  ];
  const options = { players: 2, free_take: false, payment: "choice", clock: null } as const;
  return { id: host, game: "splendor", host, free: 1, seats, created_at: "2026-11-01T12:00:00Z", ...options };
}

test("the tables are on pages, and a page that is gone leads to the last one", async () => {
  const lobby = vi.spyOn(api, "lobby");
  lobby.mockImplementation((page) => Promise.resolve({ tables: [table(`Host ${page}`)], page, pages: 3 }));
  render(LobbyScreen);
  await screen.findByText("opened by Host 1");
  expect(screen.getByRole<HTMLButtonElement>("button", { name: "Previous" }).disabled).toBe(true);
  screen.getByRole("button", { name: "Next" }).click();
  await screen.findByText("opened by Host 2");
  lobby.mockImplementation((page) => Promise.resolve({ tables: page > 1 ? [] : [table("Bo")], page, pages: 1 }));
  screen.getByRole("button", { name: "Next" }).click();
  await screen.findByText("opened by Bo");
  expect(screen.queryByRole("button", { name: "Next" })).toBeNull();
});

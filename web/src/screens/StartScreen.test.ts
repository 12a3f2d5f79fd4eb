import { render, screen, within } from "@testing-library/svelte";
import { afterEach, expect, test, vi } from "vitest";

import type { TableInfo } from "../generated/protocol";
import * as api from "../lib/api";
import { settings } from "../lib/settings.svelte";
import { tableInfo } from "../testing/positions";
import StartScreen from "./StartScreen.svelte";

function startWith(...tables: TableInfo[]): void {
  vi.spyOn(api, "whoAmI").mockResolvedValue({ guest: { id: "1", nickname: "Ada" } });
  vi.spyOn(api, "myTables").mockResolvedValue({ tables });
  render(StartScreen);
}

afterEach(() => {
  settings.level = "apprentice";
});

test("an unfinished game stands first, before what waits for players", async () => {
  const tables = [
    tableInfo({ id: "over", status: "over" }),
    tableInfo({ id: "waiting", status: "waiting" }),
    tableInfo({ id: "playing", status: "playing" }),
  ];
  startWith(...tables);
  const links = within(await screen.findByRole("region", { name: "Continue playing" })).getAllByRole("link");
  expect(links.map((link) => link.getAttribute("href"))).toEqual(["/t/playing", "/t/waiting"]);
  expect(links[0]?.textContent).toContain("Continue playing");
  const first = screen.getByRole("main").querySelector("a, button");
  expect(first).toBe(links[0]);
});

test("three words stand for levels; all levels are behind them, each with a sentence", async () => {
  startWith();
  const words = await screen.findByRole("group", { name: "Bot level" });
  const names = () => within(words).getAllByRole<HTMLInputElement>("radio");
  expect(names().map((radio) => radio.parentElement?.textContent?.trim())).toEqual(["Easy", "Medium", "Hard"]);
  expect(names().map((radio) => radio.checked)).toEqual([true, false, false]);
  screen.getByRole("radio", { name: "Hard" }).click();
  expect(settings.level).toBe("master");
  expect(await within(words).findByText(/trained by playing against itself/)).toBeTruthy();

  screen.getByRole("button", { name: "All levels" }).click();
  const novice = await screen.findByRole<HTMLInputElement>("radio", { name: /^Novice/ });
  expect(names()).toHaveLength(7);
  for (const radio of names()) {
    const sentence = document.getElementById(radio.getAttribute("aria-describedby") ?? "");
    expect(sentence?.textContent).toMatch(/\.$/);
  }
  novice.click();
  expect(settings.level).toBe("novice");
});

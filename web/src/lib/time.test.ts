import { expect, test } from "vitest";

import type { RunningClock } from "../generated/protocol";
import { digits, readingOf } from "./time.svelte";

const START = Date.parse("2026-01-01T00:00:00Z");
const CLOCK: RunningClock = {
  seat: 1,
  reserve_from: "2026-01-01T00:00:30Z",
  deadline: "2026-01-01T00:01:30Z",
  reserves: [45, 60],
};

test("first the turn's time runs, then the reserve", () => {
  expect(readingOf(CLOCK, 1, START)).toEqual({ turn: 30, reserve: 60, isShort: false });
  expect(readingOf(CLOCK, 1, START + 50_000)).toEqual({ turn: 0, reserve: 40, isShort: false });
  expect(readingOf(CLOCK, 1, START + 80_000)).toEqual({ turn: 0, reserve: 10, isShort: true });
  expect(readingOf(CLOCK, 1, START + 99_000)).toEqual({ turn: 0, reserve: 0, isShort: true });
});

test("who is not to move keeps the reserve, and a bot is not pressed", () => {
  expect(readingOf(CLOCK, 0, START)).toEqual({ turn: null, reserve: 45, isShort: false });
  const bots = { ...CLOCK, reserve_from: null, deadline: null };
  expect(readingOf(bots, 1, START)).toEqual({ turn: null, reserve: 60, isShort: false });
});

test.each([
  [0, "0:00"],
  [9.2, "0:10"],
  [65, "1:05"],
  [3723, "1:02:03"],
])("%d seconds are %s", (seconds, text) => {
  expect(digits(seconds)).toBe(text);
});

import { beforeEach, expect, test, vi } from "vitest";

import { audioClock, listen } from "../testing/audio";
import { settings } from "./settings.svelte";
import { sound, type SoundName } from "./sound";

const NAMES: SoundName[] = [
  ...(["token", "reserve", "buy", "tile", "avengers", "stone"] as const),
  ...(["turn", "last", "win", "loss", "refusal"] as const),
];

let heard: number[];

beforeEach(() => {
  heard = listen();
  audioClock.pace = 10;
  settings.sound = "on";
});

/** The pitches of a sound. */
function pitches(name: SoundName, count = 1): number[] {
  heard.length = 0;
  sound(name, count);
  return [...heard];
}

test("each sound is its own", () => {
  const all = NAMES.map((name) => pitches(name).join(" "));
  expect(all).not.toContain("");
  expect(new Set(all).size).toBe(all.length);
});

test("one hears how many tokens or stones there are", () => {
  for (const name of ["token", "stone"] as const)
    expect(new Set([1, 2, 3].map((count) => pitches(name, count).join(" "))).size).toBe(3);
  expect(pitches("stone", 6).length).toBeGreaterThan(pitches("stone", 5).length);
});

test("sounds follow each other, and of too many at once the last are not heard", () => {
  audioClock.pace = 0;
  const each = Array.from({ length: 20 }, () => pitches("turn").length > 0);
  expect(each.filter(Boolean).length).toBeLessThan(8);
  expect(each[0]).toBe(true);
  audioClock.pace = 10;
  expect(pitches("turn")).not.toEqual([]);
});

test("who muted the page hears nothing", () => {
  settings.sound = "off";
  expect(NAMES.flatMap((name) => pitches(name))).toEqual([]);
});

test("of a page behind others one hears only that it is one's turn", () => {
  vi.spyOn(document, "hidden", "get").mockReturnValue(true);
  expect(pitches("token")).toEqual([]);
  expect(pitches("turn")).not.toEqual([]);
});

test("a page that was never touched may not be heard, and does not try", () => {
  Object.defineProperty(navigator, "userActivation", { value: { hasBeenActive: false }, configurable: true });
  expect(pitches("turn")).toEqual([]);
});

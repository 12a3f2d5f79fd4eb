import { beforeEach, expect, test, vi } from "vitest";

import { listen } from "../testing/audio";
import { settings } from "./settings.svelte";
import { sound } from "./sound";

let heard: number[];

beforeEach(() => {
  heard = listen();
  settings.sound = "on";
});

test("each sound is its own", () => {
  const all = (["token", "card", "tile", "turn", "win", "refusal"] as const).map((name) => {
    heard.length = 0;
    sound(name);
    return heard.join(" ");
  });
  expect(all).not.toContain("");
  expect(new Set(all).size).toBe(all.length);
});

test("who muted the page hears nothing", () => {
  settings.sound = "off";
  sound("turn");
  expect(heard).toEqual([]);
});

test("of a page behind others one hears only that it is one's turn", () => {
  vi.spyOn(document, "hidden", "get").mockReturnValue(true);
  sound("token");
  expect(heard).toEqual([]);
  sound("turn");
  expect(heard.length).toBeGreaterThan(0);
});

test("a page that was never touched may not be heard, and does not try", () => {
  Object.defineProperty(navigator, "userActivation", { value: { hasBeenActive: false }, configurable: true });
  sound("turn");
  expect(heard).toEqual([]);
});

import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { position, step } from "../testing/positions";
import { TableAnimator } from "./animations.svelte";
import { settings } from "./settings.svelte";

const ANCHORS = [
  "pile:white",
  "pile:gold",
  "deck:1",
  "place:1.2",
  "seat:1",
  "seat:1:token:white",
  "seat:1:hand",
  "seat:1:cards",
  "tile:3",
  "seat:1:tiles",
];

let animator: TableAnimator;
let isStill: boolean;

beforeEach(() => {
  vi.useFakeTimers();
  isStill = false;
  vi.stubGlobal("matchMedia", () => ({ matches: isStill }));
  document.body.innerHTML = ANCHORS.map((anchor) => `<i data-anchor="${anchor}"></i>`).join("");
  vi.spyOn(Element.prototype, "getBoundingClientRect").mockReturnValue(new DOMRect(10, 20, 30, 40));
  settings.speed = "normal";
  settings.motion = "auto";
  animator = new TableAnimator();
});

afterEach(() => {
  vi.useRealTimers();
  document.body.innerHTML = "";
});

function perform(changes: Parameters<typeof step>[2]): { isApplied: () => boolean; done: Promise<void> } {
  let applied = false;
  const scene = { event: step(1, 1, changes), position: position({ seq: 1 }) };
  const done = animator.animate(scene, position(), () => {
    applied = true;
  });
  return { isApplied: () => applied, done };
}

test("tokens fly one after the other, and only then does the table change", async () => {
  const { isApplied, done } = perform({ gained: { white: 2 } });
  expect(animator.flights.map(({ kind, what, delay }) => [kind, what, delay])).toEqual([
    ["token", "white", 0],
    ["token", "white", 70],
  ]);
  expect(isApplied()).toBe(false);
  await vi.advanceTimersByTimeAsync(400);
  expect(isApplied()).toBe(true);
  await vi.advanceTimersByTimeAsync(20);
  expect(animator.flights).toEqual([]);
  await vi.advanceTimersByTimeAsync(600);
  await done;
});

test("a reserved card leaves its place, and the next is turned up there", async () => {
  const { done } = perform({
    kind: "reserve",
    place: "1.2",
    card: 2,
    level: 1,
    gained: { gold: 1 },
    revealed: { place: "1.2", card: 7 },
  });
  expect(animator.flights.map(({ kind, what }) => [kind, what])).toEqual([
    ["card", 2],
    ["token", "gold"],
  ]);
  expect(animator.away).toEqual(["place:1.2"]);
  await vi.advanceTimersByTimeAsync(470);
  expect(animator.flights.map(({ kind, what, turns }) => [kind, what, turns])).toEqual([["card", 7, true]]);
  await vi.advanceTimersByTimeAsync(1000);
  await done;
  expect(animator.away).toEqual([]);
});

test("a card that another drew unseen flies with its back up, and a tile flies too", () => {
  void perform({ kind: "reserve", place: "1", card: null, level: 1, tiles: [3] });
  expect(animator.flights.map(({ kind, what }) => [kind, what])).toEqual([
    ["back", 1],
    ["tile", 3],
  ]);
});

test("it can be cut short", async () => {
  const { isApplied, done } = perform({ gained: { white: 2 } });
  animator.finish();
  await done;
  expect(animator.flights).toEqual([]);
  expect(isApplied()).toBe(false); // whoever cut it short shows the end
});

test("where stillness is asked for nothing flies, but there is time to read", async () => {
  isStill = true;
  const { isApplied, done } = perform({ gained: { white: 2 } });
  expect(animator.flights).toEqual([]);
  expect(isApplied()).toBe(true);
  let isDone = false;
  void done.then(() => {
    isDone = true;
  });
  await vi.advanceTimersByTimeAsync(500);
  expect(isDone).toBe(false);
  await vi.advanceTimersByTimeAsync(100);
  expect(isDone).toBe(true);
});

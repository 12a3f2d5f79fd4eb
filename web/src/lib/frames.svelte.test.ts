import { flushSync } from "svelte";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { afterFrames, later } from "./frames.svelte";
import { settings } from "./settings.svelte";

const FRAME = 20; // milliseconds, at most

let isStill: boolean;

beforeEach(() => {
  vi.useFakeTimers();
  isStill = false;
  vi.stubGlobal("matchMedia", () => ({ matches: isStill }));
  settings.motion = "auto";
});

afterEach(() => {
  vi.useRealTimers();
});

/** A value, and what follows it so many frames later. */
function follow(frames: number): { set: (next: number) => void; shown: () => number; end: () => void } {
  let value = $state(0);
  let shown: () => number = () => 0;
  const end = $effect.root(() => {
    shown = later(() => value, frames);
  });
  flushSync();
  return { set: (next) => flushSync(() => (value = next)), shown: () => shown(), end };
}

test("a value follows when the frames before are drawn, with what is new by then", () => {
  const { set, shown, end } = follow(2);
  set(1);
  expect(shown()).toBe(0);
  vi.advanceTimersByTime(FRAME);
  set(2); // must not put it off, or a table that changes at every frame would never be drawn
  vi.advanceTimersByTime(FRAME);
  flushSync();
  expect(shown()).toBe(2);
  set(3);
  vi.advanceTimersByTime(2 * FRAME);
  expect(shown()).toBe(3);
  end();
});

test("where nothing may move, it is always the value itself", () => {
  isStill = true;
  let value = $state(0);
  const pairs: [number, number][] = [];
  const end = $effect.root(() => {
    const shown = later(() => value, 2);
    $effect.pre(() => void pairs.push([value, shown()]));
  });
  flushSync();
  flushSync(() => (value = 1));
  expect(pairs).toEqual([
    [0, 0],
    [1, 1],
  ]);
  end();
});

test("what waits for frames can be called off", () => {
  const call = vi.fn();
  const cancel = afterFrames(2, call);
  vi.advanceTimersByTime(FRAME);
  cancel();
  vi.advanceTimersByTime(5 * FRAME);
  expect(call).not.toHaveBeenCalled();
});

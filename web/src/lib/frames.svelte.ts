/** Spreads what is drawn over several frames of the browser: one frame is too short for a whole move. */

import { untrack } from "svelte";

import { mayMove } from "./settings.svelte";

/** How many frames after a change a part of the table is drawn; each row of the market is a frame later than the last. */
export const FRAMES_LATE = { supply: 1, market: 2, seats: 5, log: 6 };

/** Call a function when the browser has drawn so many frames. Returns how to call it off. */
export function afterFrames(count: number, call: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let frame = 0;
  const wait = (left: number): void => {
    if (left === 0) call();
    else frame = requestAnimationFrame(() => (timer = setTimeout(() => wait(left - 1))));
  };
  wait(count);
  return () => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
  };
}

/**
 * A value that follows another some frames later, for the parts of a screen that are drawn after the others. Where
 * nothing may move, it is the other value. Only while a component is set up.
 */
export function later<T>(value: () => T, frames: number): () => T {
  let shown = $state.raw(untrack(value));
  let cancel: (() => void) | null = null;
  $effect(() => {
    if (value() === untrack(() => shown) || cancel !== null) return; // the frame that comes takes what is new by then
    cancel = afterFrames(frames, () => {
      cancel = null;
      shown = value();
    });
  });
  $effect(() => () => cancel?.());
  return () => (mayMove() ? shown : value());
}

import { afterEach, beforeEach, expect, test, vi } from "vitest";

import type { Replay } from "../generated/protocol";
import { position, step } from "../testing/positions";
import { BEAT, momentOf, PastTable } from "./replay.svelte";
import type { Animator, Scene } from "./table.svelte";

/** Two seats take turns; the second turn has two steps. */
function replay(changes: Partial<Replay> = {}): Replay {
  const steps = [step(1, 0), step(2, 1, { is_turn_over: false }), step(3, 1), step(4, 0, { round: 2 })];
  const positions = [0, 1, 2, 3, 4].map((seq) => position({ seq, view: { viewer: null } }));
  return { viewer: null, positions, steps, record: "", ...changes };
}

/** An animator that ends a scene only when it is told to. */
class SlowAnimator implements Animator {
  readonly scenes: Scene[] = [];
  #end: () => void = () => undefined;

  animate(scene: Scene): Promise<void> {
    this.scenes.push(scene);
    return new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  finish(): void {
    this.#end();
  }
}

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

test.each([
  ["#move=42", 42],
  ["#move=0", 0],
  ["", null],
  ["#move=", null],
  ["#move=-1", null],
])("%s is a moment", (hash, moment) => {
  expect(momentOf(hash)).toBe(moment);
});

test("a replay stands where it is set, and within the game", () => {
  const table = new PastTable(replay(), null);
  expect([table.moment, table.shown.seq, table.last, table.step]).toEqual([0, 0, 4, null]);
  table.go(3);
  expect([table.moment, table.shown.seq, table.step?.seq]).toEqual([3, 3, 3]);
  expect(table.turns.map((turn) => turn.steps.length)).toEqual([1, 2]);
  table.go(99);
  expect(table.shown.seq).toBe(4);
  table.back();
  expect(table.shown.seq).toBe(3);
  table.go(-5);
  expect(table.shown.seq).toBe(0);
});

test("turns are listed with their moments, and can be gone through", () => {
  const table = new PastTable(replay(), null);
  expect(table.allTurns.map(({ from, to }) => [from, to])).toEqual([
    [1, 1],
    [2, 3],
    [4, 4],
  ]);
  const stops = [1, 1, 1, 1, -1, -1, -1, -1].map((direction) => {
    table.byTurn(direction as 1 | -1);
    return table.moment;
  });
  expect(stops).toEqual([1, 3, 4, 4, 3, 1, 0, 0]);
  expect(table.turnAt(2)?.to).toBe(3);
  expect(table.turnAt(0)).toBeNull();
});

test("a step forward is performed, and a jump ends it", async () => {
  const animator = new SlowAnimator();
  const table = new PastTable(replay(), null, animator);
  void table.forward();
  expect([table.moment, table.shown.seq]).toEqual([1, 0]);
  expect(animator.scenes[0]?.event.seq).toBe(1);
  void table.forward();
  await vi.advanceTimersByTimeAsync(0);
  expect([table.moment, table.shown.seq]).toEqual([2, 1]);
  table.go(4);
  await vi.advanceTimersByTimeAsync(0);
  expect([table.moment, table.shown.seq]).toEqual([4, 4]);
  await table.forward();
  expect(table.moment).toBe(4);
});

test("a game plays by itself to its end, and from the beginning again", async () => {
  const table = new PastTable(replay(), null);
  table.go(2);
  void table.run();
  await vi.advanceTimersByTimeAsync(3 * BEAT);
  expect([table.moment, table.isPlaying]).toEqual([4, false]);
  void table.run();
  void table.run();
  await vi.advanceTimersByTimeAsync(1.5 * BEAT);
  expect([table.moment, table.isPlaying]).toEqual([2, true]);
  table.stop();
  await vi.advanceTimersByTimeAsync(5 * BEAT);
  expect(table.moment).toBe(2);
});

test("another viewer looks at the same moment", () => {
  const table = new PastTable(replay(), null);
  table.go(2);
  const seen = replay({ viewer: 1 });
  table.lookAs({ ...seen, positions: seen.positions.map((one) => ({ ...one, view: { ...one.view, viewer: 1 } })) });
  expect([table.moment, table.shown.seq, table.you]).toEqual([2, 2, 1]);
});

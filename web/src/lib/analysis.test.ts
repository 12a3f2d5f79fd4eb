import { expect, test, vi } from "vitest";

import type { Analysis, Judgement } from "../generated/protocol";
import { chanceAt, sharesOf, Study } from "./analysis.svelte";
import { RefusedCall } from "./api";

function judgement(seq: number, seat: number, chance: number, loss: number): Judgement {
  return { seq, seat, win_probabilities: [chance, 1 - chance], loss, best: null, line: [] };
}

const ALL = [judgement(1, 0, 0.5, 0), judgement(2, 1, 0.6, 0.2), judgement(4, 0, 0.8, 0.12)];

/** A server that has judged so many decisions when it is asked for the first time, then so many, and so on. */
function serverWith(...known: number[]): () => Promise<Analysis> {
  return () => {
    const count = known.shift() ?? ALL.length;
    return Promise.resolve({
      decisions: ALL.length,
      judgements: ALL.slice(0, count),
      is_complete: count === ALL.length,
    });
  };
}

async function complete(): Promise<Study> {
  const study = new Study(serverWith());
  await study.begin();
  return study;
}

test("it is asked for until it is complete, and then no more", async () => {
  let asked = 0;
  const server = serverWith(0, 1, 2);
  const study = new Study(() => {
    asked += 1;
    return server();
  });
  await study.begin();
  expect([asked, study.isComplete, study.judgements.length, study.isRunning]).toEqual([4, true, 3, false]);
  await study.begin();
  expect(asked).toBe(4);
});

test("whoever leaves asks no further", async () => {
  const study = new Study(() => {
    study.stop();
    return serverWith(1)();
  });
  await study.begin();
  expect([study.isComplete, study.judgements.length]).toEqual([false, 1]);
  expect([study.hasReached(1), study.hasReached(2)]).toEqual([true, false]);
});

test("whoever asked too fast waits and asks again", async () => {
  vi.useFakeTimers();
  try {
    const refused = Promise.reject(new RefusedCall(429, { code: "too_fast", message: "" }));
    const answers = [serverWith(1)(), refused, serverWith(2)(), refused, serverWith()()];
    let asked = 0;
    const study = new Study(() => answers[asked++] ?? refused);
    const asking = study.begin();
    await vi.advanceTimersByTimeAsync(1_900);
    expect([asked, study.isRunning, study.isHeldUp, study.refusal]).toEqual([2, true, false, null]);
    await vi.advanceTimersByTimeAsync(200);
    expect([asked, study.judgements.length]).toEqual([4, 2]);
    await vi.advanceTimersByTimeAsync(2_000);
    await asking;
    expect([asked, study.isComplete, study.refusal]).toEqual([5, true, null]);

    const left = new Study(() => refused);
    const waiting = left.begin();
    left.stop();
    await vi.advanceTimersByTimeAsync(10_000);
    await waiting;
    expect(left.isRunning).toBe(false);
  } finally {
    vi.useRealTimers();
  }
});

test.each(["busy", "limit_reached", "too_fast"] as const)("whoever comes second waits: %s", async (code) => {
  vi.useFakeTimers();
  try {
    const refused = Promise.reject(new RefusedCall(503, { code, message: "" }));
    const answers = [refused, refused, serverWith(1)(), serverWith()()];
    let asked = 0;
    const study = new Study(() => answers[asked++] ?? refused);
    const asking = study.begin();
    await vi.advanceTimersByTimeAsync(2_100);
    expect([asked, study.isRunning, study.isHeldUp, study.refusal]).toEqual([2, true, true, null]);
    await vi.advanceTimersByTimeAsync(2_000);
    await asking;
    expect([asked, study.isComplete, study.isHeldUp, study.refusal]).toEqual([4, true, false, null]);

    const left = new Study(() => refused);
    const waiting = left.begin();
    await vi.advanceTimersByTimeAsync(100);
    expect(left.isHeldUp).toBe(true);
    left.stop();
    await vi.advanceTimersByTimeAsync(2_000);
    await waiting;
    expect([left.isRunning, left.isHeldUp]).toEqual([false, false]);
  } finally {
    vi.useRealTimers();
  }
});

test("another refusal is kept until one tries again", async () => {
  let isDown = true;
  const study = new Study(() =>
    isDown ? Promise.reject(new RefusedCall(503, { code: "unavailable", message: "" })) : serverWith()(),
  );
  await study.begin();
  expect([study.refusal?.code, study.isRunning]).toEqual(["unavailable", false]);
  isDown = false;
  await study.begin();
  expect([study.refusal, study.isComplete]).toEqual([null, true]);
});

test("a curve has a point before each decision, and the outcome at its end", async () => {
  const study = await complete();
  const curve = study.curve(1, 5, sharesOf([0], 2));
  expect(curve.map(({ moment }) => moment)).toEqual([0, 1, 3, 5]);
  expect(curve.at(-1)?.chance).toBe(0);
  expect([0, 1, 2, 3, 4, 5].map((moment) => Math.round(100 * (chanceAt(curve, moment) ?? 9)))).toEqual([
    50, 40, 40, 20, 20, 0,
  ]);
  expect(study.curve(1, 5, null).at(-1)?.moment).toBe(3);
  expect(sharesOf([0, 2], 3)).toEqual([0.5, 0, 0.5]);
});

test("judgements and mistakes are found by moment", async () => {
  const study = await complete();
  expect([study.at(2)?.loss, study.at(3), study.hasReached(99)]).toEqual([0.2, null, true]);
  expect([0, 2, 4].map((moment) => study.mistakeFrom(moment, 1))).toEqual([2, 4, null]);
  expect([5, 4, 2].map((moment) => study.mistakeFrom(moment, -1))).toEqual([4, 2, null]);
  expect(study.averageLoss(0)).toBeCloseTo(0.06);
  expect(study.averageLoss(2)).toBeNull();
});

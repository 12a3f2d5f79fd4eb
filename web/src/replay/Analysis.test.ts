import { cleanup, render } from "@testing-library/svelte";
import { tick } from "svelte";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import type { Analysis as AnalysisMessage } from "../generated/protocol";
import { Study } from "../lib/analysis.svelte";
import { RefusedCall } from "../lib/api";
import { PastTable } from "../lib/replay.svelte";
import { position, step } from "../testing/positions";
import Analysis from "./Analysis.svelte";

beforeEach(() => {
  vi.stubGlobal(
    "ResizeObserver",
    class {
      observe(): void {}
      unobserve(): void {}
    },
  );
});

afterEach(cleanup);

function text(selector: string): string | undefined {
  return document.querySelector(selector)?.textContent;
}

function where(): string | null | undefined {
  return document.querySelector("input[type=range]")?.getAttribute("aria-valuetext");
}

test("what is known is said, the progress is shown, and only its begin and end are announced", async () => {
  let answer: (message: AnalysisMessage) => void = () => undefined;
  const study = new Study(() => new Promise((resolve) => (answer = resolve)));
  const positions = [0, 1, 2].map((seq) => position({ seq, view: { viewer: null } }));
  const past = new PastTable({ viewer: null, positions, steps: [step(1, 0), step(2, 1)], record: "" }, null);
  const judgements = [0, 1].map((seat) => ({
    seq: seat + 1,
    seat,
    win_probabilities: [0.6, 0.4],
    loss: 0,
    best: null,
    line: [],
  }));
  async function hear(count: number): Promise<void> {
    answer({ decisions: 2, judgements: judgements.slice(0, count), is_complete: count === 2 });
    await new Promise((resolve) => setTimeout(resolve));
    await tick();
  }

  const asking = study.begin();
  render(Analysis, { past, study });
  expect([where(), text("[role=status]")]).toEqual(["Move 0 of 2", "The bot is starting to analyse the game…"]);
  await hear(1);
  expect(where()).toBe("Move 0 of 2: Ada 60% and Novice 40%");
  expect(text(".progress")).toMatch(/1 of 2/);
  expect(text("[role=status]")).toBe("The bot is starting to analyse the game…");
  await hear(2);
  await asking;
  expect([text(".progress"), text("[role=status]")]).toEqual([undefined, "The bot has analysed the whole game."]);
});

test("who waits because the bot looks at other games is told why", async () => {
  const busy = new RefusedCall(503, { code: "busy", message: "expected at most 32 analyses at a time" });
  const study = new Study(() => Promise.reject(busy));
  const past = new PastTable({ viewer: null, positions: [position()], steps: [], record: "" }, null);
  render(Analysis, { past, study });
  void study.begin();
  await new Promise((resolve) => setTimeout(resolve));
  await tick();
  const told = "The server is busy analysing other games. It will retry this one automatically.";
  expect([text(".progress"), text("[role=status]"), text("[role=alert]")]).toEqual([told, told, undefined]);
  study.stop();
});

test("a mistake is told with the better move and with what was expected after it, turn by turn", async () => {
  const positions = [0, 1].map((seq) => position({ seq, view: { viewer: null } }));
  const past = new PastTable({ viewer: null, positions, steps: [step(1, 0)], record: "" }, null);
  const best = step(1, 0, { gained: { white: 2 }, is_turn_over: false });
  const line = [
    step(2, 0, { kind: "return", gained: {}, spent: { red: 1 } }),
    step(3, 0, { kind: "return", gained: {}, spent: { red: 1 } }),
    step(4, 1, { kind: "pass", gained: {} }),
    step(5, 0, { round: 2, gained: { blue: 2 } }),
  ];
  const judgement = { seq: 1, seat: 0, win_probabilities: [0.6, 0.4], loss: 0.2, best, line };
  const study = new Study(() => Promise.resolve({ decisions: 1, judgements: [judgement], is_complete: true }));
  await study.begin();
  render(Analysis, { past, study });
  expect(document.querySelector(".expected")).toBeNull();
  past.go(1);
  await tick();
  expect([...document.querySelectorAll(".verdict p")].map((paragraph) => paragraph.textContent)).toEqual([
    "Lost 20%. In the same position, the bot took 2 diamonds instead.",
    "Expected continuation: Ada returned 2 rubies. Novice passed. Ada took 2 sapphires.",
  ]);
  const [previous, next] = document.querySelectorAll<HTMLElement>(".buttons button");
  previous?.click();
  await tick();
  expect([past.moment, text(".verdict")?.trim()]).toEqual([1, "No mistake before this move."]);
  next?.click();
  await tick();
  expect([past.moment, text(".verdict")?.trim()]).toEqual([1, "No mistake after this move."]);
});

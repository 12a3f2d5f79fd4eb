import { afterEach, beforeEach, expect, test, vi } from "vitest";

import type { LegalMove } from "../generated/protocol";
import { HeldMove, HOLD } from "./held_move.svelte";

const BUY: LegalMove = { move: "buy 1.2", kind: "buy", tokens: [], place: "1.2" };

let held: HeldMove;
let sent: string[];

function hold(): void {
  held.hold(BUY, () => sent.push(BUY.move));
}

function hide(isHidden: boolean): void {
  vi.spyOn(document, "hidden", "get").mockReturnValue(isHidden);
  document.dispatchEvent(new Event("visibilitychange"));
}

beforeEach(() => {
  vi.useFakeTimers();
  held = new HeldMove();
  sent = [];
});

afterEach(() => {
  held.cancel();
  vi.useRealTimers();
  vi.restoreAllMocks();
});

test("a move is sent once its time is over, and only once", () => {
  hold();
  vi.advanceTimersByTime(HOLD - 1);
  expect([held.move, sent]).toEqual([BUY, []]);
  vi.advanceTimersByTime(1);
  expect([held.move, sent]).toEqual([null, ["buy 1.2"]]);
  held.release();
  vi.advanceTimersByTime(HOLD);
  expect(sent).toEqual(["buy 1.2"]);
});

test("a move that is cancelled is never sent", () => {
  hold();
  held.cancel();
  vi.advanceTimersByTime(HOLD);
  dispatchEvent(new Event("pagehide"));
  expect([held.move, sent]).toEqual([null, []]);
});

test("a move that is released is sent at once", () => {
  hold();
  held.release();
  expect(sent).toEqual(["buy 1.2"]);
});

test("who leaves the page has decided", () => {
  hold();
  dispatchEvent(new Event("pagehide"));
  expect(sent).toEqual(["buy 1.2"]);
});

test("who hides the page has decided, and so has who comes back or moves while it is hidden", () => {
  hold();
  hide(false);
  expect(sent).toEqual([]);
  hide(true);
  expect(sent).toEqual(["buy 1.2"]);
  hold();
  expect(sent).toEqual(["buy 1.2", "buy 1.2"]);
});

test("another move takes the place of the one that is held", () => {
  hold();
  held.hold({ ...BUY, move: "buy 1.3", place: "1.3" }, () => sent.push("buy 1.3"));
  vi.advanceTimersByTime(HOLD);
  expect(sent).toEqual(["buy 1.3"]);
});

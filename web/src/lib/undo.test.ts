import { afterEach, beforeEach, expect, test, vi } from "vitest";

import type { LegalMove, Position } from "../generated/protocol";
import { position, price, seatView, step, sync, take } from "../testing/positions";
import { FakeNetwork } from "../testing/socket";
import { Decision } from "./decision.svelte";
import { settings } from "./settings.svelte";
import type { GameEvent } from "./story";
import { NO_ANIMATIONS, Table, type Animator } from "./table.svelte";
import { tapCard, tapPile } from "./taps";
import { canChangePayment, changePayment, takeBack } from "./undo";

const BUY: LegalMove = { move: "buy 1.2", kind: "buy", tokens: [], place: "1.2" };
const ACT = { legal: [take("take ww", "white", "white"), BUY], prices: [price("1.2", 2, { due: { blue: 3 } })] };

let network: FakeNetwork;
let table: Table;
let decision: Decision;
let followed: Position | null;

function open(animator: Animator = NO_ANIMATIONS): void {
  table = new Table({ id: "table", connect: network.connect, animator });
  decision = new Decision(table, "table");
  followed = null;
  table.open();
  network.last.onopen?.();
}

function tap(place: string): void {
  tapCard(decision, shown(), place, table.cardAt(place) ?? 0);
}

/** What the screen does whenever it shows another position, or it becomes ours to decide. */
function follow(): void {
  if (table.shown !== followed) decision.follow(shown(), String);
  followed = table.shown;
  decision.proceed(() => table.undo());
}

/** Let the server say the position one finds at the table. */
function find(now: Position, events: GameEvent[] = []): void {
  network.last.say(sync(now, events));
  follow();
}

/** Let the server say what happened, and let it be shown as far as the animator allows. */
async function happened(event: GameEvent, now: Position): Promise<void> {
  network.last.say({ type: "moved", now: "2026-01-01T00:00:00Z", event, position: now });
  await vi.advanceTimersByTimeAsync(0);
  follow();
}

function undone(seq: number, ...undoes: number[]): GameEvent {
  return { type: "undone", seq, seat: 0, undoes, at: "2026-01-01T00:00:00Z" };
}

function shown(): Position {
  if (table.shown === null) throw new Error("expected a position to be shown");
  return table.shown;
}

/** What was sent: moves by their text, and the rest by its type. */
function sent(): string[] {
  return network.last.sent.map((message) => {
    const { type, move } = message as { type: string; move?: string };
    return move ?? type;
  });
}

beforeEach(() => {
  vi.useFakeTimers();
  localStorage.clear();
  settings.confirm = "off";
  network = new FakeNetwork();
});

afterEach(() => {
  table.close();
  vi.useRealTimers();
});

test("who takes back wants to decide anew: a plan is not played then", async () => {
  open();
  find(position({ seq: 1, view: { seat: 1 }, can_undo: true, prices: ACT.prices }), [step(1, 0)]);
  tap("1.2");
  expect(decision.plan.planned).not.toBeNull();
  takeBack(table, decision);
  expect(decision.plan.planned).toBeNull();
  tapPile(decision, shown(), "white"); // before the answer comes
  await happened(undone(2, 1), position({ ...ACT, seq: 2 }));
  expect([sent(), decision.plan.planned, decision.chosen]).toEqual([["undo"], null, []]);
});

/** Animates nothing to its end before it is told to. */
class SlowAnimator implements Animator {
  finish: () => void = () => undefined;

  animate(): Promise<void> {
    return new Promise((resolve) => {
      this.finish = resolve;
    });
  }
}

/** The payment of the card is due. */
function paying(seq: number): Position {
  return position({
    seq,
    can_undo: true,
    seats: [seatView("splendor", 0, { tokens: { blue: 3, gold: 2 } }), seatView("splendor", 1)],
    view: {
      phase: "pay",
      turn: { buying: "1.2", wilds: {}, pending: null, is_wild_due: false, passes: 0, idle_turns: 0 },
    },
    legal: [{ move: "pay", kind: "pay", tokens: [], place: null }],
    prices: ACT.prices,
  });
}

const BOUGHT = step(1, 0, { kind: "buy", move: "buy 1.2", place: "1.2", is_turn_over: false });
const PAID = step(2, 0, { kind: "pay", move: "pay", card: 2, is_card_bought: true, spent: { blue: 3 } });

/** Buy a card; the server knows that it is paid, and the screen is still about to show it. */
async function buySlowly(): Promise<SlowAnimator> {
  const animator = new SlowAnimator();
  open(animator);
  find(position(ACT));
  tap("1.2");
  await happened(BOUGHT, paying(1));
  animator.finish();
  await vi.advanceTimersByTimeAsync(0);
  follow();
  await happened(PAID, position({ seq: 2, view: { seat: 1 }, can_undo: true }));
  expect([sent(), shown().seq]).toEqual([["buy 1.2", "pay"], 1]);
  return animator;
}

/** Let everything be shown that is known, one after the other. */
async function catchUp(animator: SlowAnimator): Promise<void> {
  while (table.waiting > 0) {
    animator.finish();
    await vi.advanceTimersByTimeAsync(0);
    follow();
  }
}

test("a purchase is taken back with its payment while that is still being shown", async () => {
  const animator = await buySlowly();
  takeBack(table, decision);
  await catchUp(animator); // what is shown comes to the payment before the answer does
  await happened(undone(3, 2), paying(3));
  await catchUp(animator);
  expect([sent(), decision.phase]).toEqual([["buy 1.2", "pay", "undo", "undo"], null]);
  await happened(undone(4, 1), position({ ...ACT, seq: 4 }));
  await catchUp(animator);
  expect([sent().length, decision.phase]).toEqual([4, "act"]);
});

test("a payment can be changed while it is still being shown", async () => {
  const animator = await buySlowly();
  expect(canChangePayment(table, decision)).toBe(true);
  changePayment(table, decision);
  await catchUp(animator);
  await happened(undone(3, 2), paying(3));
  await catchUp(animator);
  expect([sent(), decision.phase]).toEqual([["buy 1.2", "pay", "undo"], "pay"]);
});

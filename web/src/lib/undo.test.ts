import { afterEach, beforeEach, expect, test, vi } from "vitest";

import type { LegalMove, Position } from "../generated/protocol";
import { position, price, step, sync, take } from "../testing/positions";
import { FakeNetwork } from "../testing/socket";
import { Decision } from "./decision.svelte";
import { settings } from "./settings.svelte";
import type { Happening } from "./story";
import { NO_ANIMATIONS, Table, type Animator } from "./table.svelte";
import { tapCard, tapPile } from "./taps";
import { takeBack } from "./undo";

const BUY: LegalMove = { move: "buy 1.2", kind: "buy", tokens: [], place: "1.2" };
const ACT = { legal: [take("take ww", "white", "white"), BUY], prices: [price("1.2", 2, { due: { blue: 3 } })] };

let network: FakeNetwork;
let table: Table;
let decision: Decision;

function open(animator: Animator = NO_ANIMATIONS): void {
  table = new Table({ id: "table", connect: network.connect, animator });
  decision = new Decision(table, "table");
  table.open();
  network.last.onopen?.();
}

/** What the screen does whenever it shows another position. */
function follow(): void {
  if (table.shown !== null) decision.follow(table.shown, String);
  decision.proceed(() => table.undo());
}

/** Let the server say the position one finds at the table. */
function find(now: Position, happenings: Happening[] = []): void {
  network.last.say(sync(now, happenings));
  follow();
}

/** Let the server say what happened, and let it be shown as far as the animator allows. */
async function happened(happening: Happening, now: Position): Promise<void> {
  network.last.say({ type: "moved", now: "2026-01-01T00:00:00Z", happening, position: now });
  await vi.advanceTimersByTimeAsync(0);
  follow();
}

function undone(seq: number, ...undoes: number[]): Happening {
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
  tapCard(decision, shown(), "1.2");
  expect(decision.plan.planned).not.toBeNull();
  takeBack(table, decision);
  expect(decision.plan.planned).toBeNull();
  tapPile(decision, shown(), "white"); // before the answer comes
  await happened(undone(2, 1), position({ ...ACT, seq: 2 }));
  expect([sent(), decision.plan.planned, decision.chosen]).toEqual([["undo"], null, []]);
});

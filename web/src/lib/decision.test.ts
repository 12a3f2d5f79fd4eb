import { afterEach, beforeEach, expect, test, vi } from "vitest";

import type { LegalMove, Position, SeatInfo, TableView } from "../generated/protocol";
import { position, price, seatView, step, sync, tableInfo, take } from "../testing/positions";
import { FakeNetwork } from "../testing/socket";
import { Decision } from "./decision.svelte";
import { HOLD } from "./held_move.svelte";
import { settings } from "./settings.svelte";
import { Table } from "./table.svelte";
import { tapCard, tapDeck, tapPile, tapTile } from "./taps";

const BUY: LegalMove = { move: "buy 1.2", kind: "buy", tokens: [], place: "1.2" };
const RESERVE: LegalMove = { move: "reserve 1.1", kind: "reserve", tokens: [], place: "1.1" };
const DRAW: LegalMove = { move: "reserve 2", kind: "reserve", tokens: [], place: "2" };
const PRICES = [price("1.1", 1, { missing: { blue: 2 }, wilds: 2, is_affordable: false }), price("1.2", 2)];
const TAKES = [take("take wbg", "white", "blue", "green"), take("take ww", "white", "white")];
const ACT = { legal: [...TAKES, BUY, RESERVE, DRAW], prices: PRICES };
const PAY: LegalMove[] = [
  { move: "wild b", kind: "wild", tokens: ["blue"], place: null },
  { move: "pay", kind: "pay", tokens: [], place: null },
];

let network: FakeNetwork;
let table: Table;
let decision: Decision;

/** Seats at a table where the other is a person, too. */
function people(): SeatInfo[] {
  return tableInfo().seats.map((seat) => ({ ...seat, kind: "person", level: null }));
}

function tap(place: string, clicks = 1): void {
  tapCard(decision, shown(), place, table.cardAt(place) ?? 0, clicks);
}

/** Let the server say this position, with everything that led to it. */
function say(now: Position, seats?: SeatInfo[]): void {
  const events = Array.from({ length: now.seq }, (_, index) => step(index + 1, 1));
  network.last.say({ ...sync(now, events), table: tableInfo(seats === undefined ? {} : { seats }) });
  decision.follow(now, (seat) => `SEAT${seat}`);
  decision.proceed(() => table.undo());
}

function shown(): Position {
  if (table.shown === null) throw new Error("expected a position to be shown");
  return table.shown;
}

function sent(): unknown[] {
  return network.last.sent.map((message) => (message as { move?: string }).move);
}

function pile(...tokens: string[]): void {
  for (const token of tokens) tapPile(decision, shown(), token);
}

beforeEach(() => {
  vi.useFakeTimers();
  localStorage.clear();
  settings.confirm = "off";
  network = new FakeNetwork();
  table = new Table({ id: "table", connect: network.connect });
  decision = new Decision(table, "table");
  table.open();
  network.last.onopen?.();
});

afterEach(() => {
  decision.held.cancel();
  table.close();
  settings.confirm = "off";
  vi.useRealTimers();
});

test("the token that completes a take sends it", () => {
  say(position(ACT));
  pile("white", "blue");
  expect(sent()).toEqual([]);
  pile("green");
  expect(sent()).toEqual(["take wbg"]);
});

test("a second token of a colour sends two alike", () => {
  say(position(ACT));
  pile("white", "white");
  expect(sent()).toEqual(["take ww"]);
});

test("a shorter take that could become a longer one waits for its button", () => {
  say(position({ legal: [take("take w", "white"), take("take wb", "white", "blue")] }));
  pile("white");
  expect([sent(), decision.moves]).toEqual([[], ["take w"]]);
  decision.confirm();
  expect(sent()).toEqual(["take w"]);
});

test("who wants to confirm has every choice wait", () => {
  settings.confirm = "on";
  say(position(ACT));
  pile("white", "blue", "green");
  tap("1.2");
  expect([sent(), decision.opened]).toEqual([[], { place: "1.2" }]);
});

test("a card that can be bought is bought by a tap, and any other is looked at", () => {
  say(position(ACT));
  tap("1.1");
  expect([sent(), decision.opened]).toEqual([[], { place: "1.1" }]);
  tap("1.2");
  expect([sent(), decision.opened]).toEqual([["buy 1.2"], null]);
});

test("the second click of a double click does not buy the card that comes next", () => {
  say(position(ACT));
  tap("1.2", 2);
  tap("1.1", 2);
  expect([sent(), decision.opened]).toEqual([[], null]);
});

test("the second click of a double click does not look at a deck, or send what is held", () => {
  say(position(ACT));
  pile("gold");
  tapDeck(decision, shown(), 2);
  tapDeck(decision, shown(), 2, 2);
  expect([sent(), decision.opened]).toEqual([["reserve 2"], null]);
  say(position({ ...ACT, seq: 1 }), people());
  pile("gold");
  tapDeck(decision, shown(), 2);
  tapDeck(decision, shown(), 2, 2);
  expect([sent(), decision.held.move]).toEqual([["reserve 2"], DRAW]);
  decision.cancel();
  tap("1.2");
  tap("1.2", 2);
  expect([sent(), decision.held.move]).toEqual([["reserve 2"], BUY]);
  tap("1.2");
  expect(sent()).toEqual(["reserve 2", "buy 1.2"]);
});

test("the wild's pile and then a card or a deck reserve", () => {
  say(position(ACT));
  pile("gold");
  expect(decision.isReserving).toBe(true);
  pile("gold");
  expect(decision.isReserving).toBe(false);
  pile("gold");
  tapDeck(decision, shown(), 2);
  expect(sent()).toEqual(["reserve 2"]);
});

function paying(seq: number): Position {
  return position({
    seq,
    seats: [seatView("splendor", 0, { tokens: { blue: 3, gold: 2 } }), seatView("splendor", 1)],
    view: {
      phase: "pay",
      turn: { buying: "1.2", wilds: {}, pending: null, is_wild_due: false, passes: 0, idle_turns: 0 },
    },
    legal: PAY,
    prices: [price("1.2", 2, { due: { blue: 3 } })],
  });
}

/** Let our own move be played, and the position after it be shown. */
async function played(now: Position, move: string, kind: LegalMove["kind"]): Promise<void> {
  network.last.say({
    type: "moved",
    now: "2026-01-01T00:00:00Z",
    event: step(now.seq, 0, { move, kind, is_turn_over: false }),
    position: now,
  });
  await vi.advanceTimersByTimeAsync(0);
  decision.follow(now, String);
  decision.proceed(() => table.undo());
}

test("a purchase is paid with the fewest wilds, without a question between", async () => {
  say(position(ACT));
  tap("1.2");
  network.last.say({
    type: "moved",
    now: "2026-01-01T00:00:00Z",
    event: step(1, 0, { move: "buy 1.2", kind: "buy" }),
    position: paying(1),
  });
  await vi.advanceTimersByTimeAsync(0);
  expect([decision.phase, decision.payment]).toEqual([null, null]);
  decision.follow(shown(), String);
  decision.proceed(() => table.undo());
  expect(sent()).toEqual(["buy 1.2", "pay"]);
});

test("a purchase is taken back with its payment, without a question between", async () => {
  say(position({ ...ACT, seq: 2, can_undo: true }));
  decision.takeBackPurchase();
  table.undo();
  const undone = (seq: number, now: Position): void =>
    network.last.say({
      type: "moved",
      now: "2026-01-01T00:00:00Z",
      event: { type: "undone", seq, seat: 0, undoes: [seq - 1], at: "2026-01-01T00:00:00Z" },
      position: now,
    });
  undone(3, { ...paying(3), can_undo: true });
  await vi.advanceTimersByTimeAsync(0);
  expect(decision.phase).toBeNull();
  decision.follow(shown(), String);
  decision.proceed(() => table.undo());
  expect(network.last.sent).toEqual([
    { type: "undo", seq: 2, id: "1" },
    { type: "undo", seq: 3, id: "2" },
  ]);
  undone(4, position({ ...ACT, seq: 4 }));
  await vi.advanceTimersByTimeAsync(0);
  decision.follow(shown(), String);
  decision.proceed(() => table.undo());
  expect([decision.phase, network.last.sent.length]).toEqual(["act", 2]);
});

test("an undo that is refused is not repeated, and the question of the payment comes", () => {
  say({ ...paying(2), can_undo: true });
  decision.takeBackPurchase();
  decision.proceed(() => table.undo());
  network.last.say({ type: "refused", id: "1", seq: 2, error: { code: "cannot_undo", message: "" } });
  decision.proceed(() => table.undo());
  expect([network.last.sent.length, decision.phase]).toEqual([1, "pay"]);
});

test("a payment that is there without a purchase just made is a question: after an undo, or a reload", async () => {
  say(paying(1));
  expect(decision.phase).toBe("pay");
  expect(decision.payment?.colours).toHaveLength(1);
  expect(sent()).toEqual([]);
});

test("a refused purchase does not pay for the next one", () => {
  say(position(ACT));
  tap("1.2");
  network.last.say({ type: "refused", id: "1", seq: 0, error: { code: "illegal", message: "" } });
  decision.proceed(() => table.undo());
  say(paying(1));
  expect([decision.phase, sent()]).toEqual(["pay", ["buy 1.2"]]);
});

test("among people a move that turns up a card is held back, and can be cancelled", () => {
  say(position(ACT), people());
  tap("1.2");
  expect([decision.held.move?.move, decision.phase, sent()]).toEqual(["buy 1.2", null, []]);
  pile("white");
  expect(decision.reason).not.toBeNull();
  expect(decision.cancel()).toBe(true);
  vi.advanceTimersByTime(HOLD);
  expect([decision.held.move, decision.phase, sent()]).toEqual([null, "act", []]);
});

test("a held move is sent after its time, or by another tap on the card", () => {
  say(position(ACT), people());
  tap("1.2");
  vi.advanceTimersByTime(HOLD);
  expect(sent()).toEqual(["buy 1.2"]);
  say(position({ ...ACT, seq: 1 }), people());
  pile("gold");
  tap("1.1");
  tap("1.1");
  expect(sent()).toEqual(["buy 1.2", "reserve 1.1"]);
});

test("the payment of a held purchase can be chosen: then it is sent at once, and the question comes", async () => {
  const seats = [seatView("splendor", 0, { tokens: { blue: 3, gold: 2 } }), seatView("splendor", 1)];
  say(position({ ...ACT, seats, prices: [price("1.2", 2, { due: { blue: 3 } })] }), people());
  tap("1.2");
  expect(decision.canChangeHeld).toBe(true);
  decision.changeHeld();
  expect(sent()).toEqual(["buy 1.2"]);
  await played(paying(1), "buy 1.2", "buy");
  expect([decision.phase, sent()]).toEqual(["pay", ["buy 1.2"]]);
});

test("with little time left, and for tokens, nothing is held back", () => {
  const clock = { seat: 0, reserve_from: null, reserves: [0, 0], deadline: "2026-01-01T00:00:09Z" };
  vi.setSystemTime("2026-01-01T00:00:00Z");
  say(position({ ...ACT, clock }), people());
  tap("1.2");
  expect(sent()).toEqual(["buy 1.2"]);
  say(position({ ...ACT, seq: 1 }), people());
  pile("white", "white");
  expect(sent()).toEqual(["buy 1.2", "take ww"]);
});

test("a move that is held when the game goes on is dropped, and said to be", () => {
  say(position(ACT), people());
  tap("1.2");
  say(position({ ...ACT, seq: 1 }), people());
  vi.advanceTimersByTime(HOLD);
  expect([decision.held.move, sent()]).toEqual([null, []]);
  expect(decision.notes).toHaveLength(1);
});

test("a plan is sent when its turn comes, and can be changed until then", () => {
  const others = position({ seq: 1, view: { seat: 1 }, prices: PRICES });
  say(others);
  expect(decision.isPlanning).toBe(true);
  tap("1.2");
  pile("white", "green");
  expect(decision.plan.tokens).toEqual(["white", "green"]);
  tap("1.2");
  expect(decision.plan.hasCard(2)).toBe(true);
  say(position({ ...ACT, seq: 2 }));
  expect([sent(), decision.plan.planned]).toEqual([["buy 1.2"], null]);
});

test("planned tokens that are only a part of a take are chosen when the turn comes", () => {
  say(position({ seq: 1, view: { seat: 1 } }));
  pile("white", "green");
  say(position({ ...ACT, seq: 2 }));
  expect([sent(), decision.chosen]).toEqual([[], ["white", "green"]]);
});

test("who began to reserve while others moved has not chosen to when the turn comes", () => {
  say(position({ seq: 1, view: { seat: 1 }, prices: PRICES }));
  pile("gold");
  say(position({ seq: 2, view: { seat: 1 }, prices: PRICES }));
  expect(decision.isReserving).toBe(true); // it is still to be planned
  say(position({ ...ACT, seq: 3 }));
  expect(decision.isReserving).toBe(false);
  tap("1.2");
  expect(sent()).toEqual(["buy 1.2"]);
});

test("a plan that is impossible when the turn comes is dropped with the reason", () => {
  say(position({ seq: 1, view: { seat: 1 } }));
  pile("red");
  const supply = { white: 4, blue: 4, green: 4, red: 0, black: 4, gold: 5 };
  say(position({ ...ACT, seq: 2, view: { supply } }));
  expect([sent(), decision.plan.planned, decision.notes]).toEqual([
    [],
    null,
    ["Plan cancelled: this move is no longer possible."],
  ]);
  expect(decision.reason).toEqual({ text: "ruby: the pile is empty." });
});

test("a planned card that goes takes the plan with it, even before the turn comes", () => {
  say(position({ seq: 1, view: { seat: 1 }, prices: PRICES }));
  tap("1.2");
  say(position({ seq: 2, view: { seat: 1 }, prices: PRICES.slice(0, 1) }));
  expect(decision.plan.planned).toBeNull();
  expect(decision.notes[0]).toContain("Plan cancelled: the card is gone");
});

test("Escape gives up a choice first, and then a plan", () => {
  say(position({ seq: 1, view: { seat: 1 }, prices: PRICES }));
  pile("white", "gold");
  expect([decision.isReserving, decision.plan.tokens]).toEqual([true, ["white"]]);
  expect(decision.cancel()).toBe(true);
  expect([decision.isReserving, decision.plan.tokens]).toEqual([false, ["white"]]);
  expect(decision.cancel()).toBe(true);
  expect(decision.plan.planned).toBeNull();
  expect(decision.cancel()).toBe(false);
});

test("who loses the goal to somebody is told", () => {
  say(position({ prices: PRICES }));
  decision.goal.toggle(2);
  say(
    position({
      seq: 1,
      prices: PRICES.slice(0, 1),
      seats: [seatView("splendor", 0), seatView("splendor", 1, { cards: [2] })],
    }),
  );
  expect(decision.notes[0]).toContain("SEAT1 took your goal");
});

test("what is said of a goal or a plan lasts to the end of one's next turn", () => {
  const others = { view: { seat: 1 }, prices: PRICES };
  say(position(others));
  decision.goal.toggle(2);
  say(position({ ...others, seq: 1, prices: [] }));
  say(position({ ...others, seq: 2 }));
  say(position({ ...ACT, seq: 3 }));
  say(position({ ...ACT, seq: 4, view: { phase: "return" } }));
  expect(decision.notes).toHaveLength(1);
  say(position({ ...others, seq: 5 }));
  expect(decision.notes).toEqual([]);
});

test.each([
  ["time", { rule: "TIM-2" }, {}],
  ["red", { text: "Reality: the pile is empty." }, { supply: { red: 0 } }],
  ["purple", { rule: "TRN-2" }, {}],
])("a tap on %s that cannot be taken says why", (token, reason, view) => {
  say(position({ game: "marvel", legal: [take("take", "yellow", "blue", "orange")], view }));
  pile(token);
  expect(decision.reason).toEqual(reason);
});

test("a second token from a pile that is too low is put back, and says why", () => {
  say(position({ legal: TAKES.slice(0, 1) }));
  pile("white", "white");
  expect([decision.chosen, decision.reason]).toEqual([[], { rule: "TRN-5" }]);
  decision.opened = { place: "1.1" };
  expect(decision.reason).toBeNull();
});

test("three cards in hand are a reason not to reserve, and an empty deck is one, too", () => {
  const reserved = [1, 2, 3].map((card) => ({ level: 1, card, blind: false }));
  const seats = [seatView("splendor", 0, { reserved }), seatView("splendor", 1)];
  say(position({ seats, legal: TAKES, view: { decks: [36, 26, 0] } }));
  pile("gold");
  expect(decision.reason).toEqual({ rule: "RSV-4" });
  tapDeck(decision, shown(), 3);
  expect(decision.reason).toEqual({ text: "This deck is empty." });
});

test.each<[Partial<TableView>, string]>([
  [{ viewer: null }, "You are watching this game."],
  [{ phase: "return" }, "Too many tokens: return 2."],
  [{ phase: "tile" }, "Several nobles want to visit you: choose one."],
])("when something else is due, a tap on a pile says so", (view, text) => {
  const seats = [seatView("splendor", 0, { tokens: { white: 6, blue: 6 } }), seatView("splendor", 1)];
  const legal: LegalMove[] = [{ move: "tile 1", kind: "tile", tokens: [], place: "1" }];
  say(position({ seats, view, legal: view.viewer === null ? [] : legal }));
  pile("white");
  expect(decision.reason).toEqual({ text });
});

test("a noble that is due is chosen by a tap, and any other is looked at", () => {
  say(position({ view: { phase: "tile" }, legal: [{ move: "tile 2", kind: "tile", tokens: [], place: "2" }] }));
  tapTile(decision, 0);
  expect(decision.opened).toEqual({ tile: 0 });
  tapTile(decision, 1);
  expect(sent()).toEqual(["tile 2"]);
});

test("what is looked at stays open while others move, unless another card comes to its place", () => {
  say(position());
  decision.opened = { place: "1.2" };
  say(position({ seq: 1 }));
  expect(decision.opened).toEqual({ place: "1.2" });
  const market = [
    [1, 9, 3, 4],
    [41, 42, 43, 44],
    [71, 72, 73, 74],
  ];
  say(position({ seq: 2, view: { market } }));
  expect(decision.opened).toBeNull();
});

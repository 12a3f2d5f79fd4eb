import { beforeEach, expect, test } from "vitest";

import type { Position } from "../generated/protocol";
import { outcome, position, price, seatView } from "../testing/positions";
import { Goal } from "./goal.svelte";

const THERE = position({ prices: [price("1.2", 2, { due: { blue: 3, red: 1 }, missing: { blue: 2 }, wilds: 2 })] });

let goal: Goal;

/** A position in which card 2 is no longer to be had, with these changes to a seat. */
function gone(seat: number, changes: Parameters<typeof seatView>[2]): Position {
  const seats = [0, 1].map((each) => seatView("splendor", each, each === seat ? changes : {}));
  return position({ seats });
}

beforeEach(() => {
  localStorage.clear();
  goal = new Goal("table");
  goal.follow(THERE);
  goal.toggle(2);
});

test("a goal counts what is missing for it, by colour and in all", () => {
  expect([goal.missing(THERE, "blue"), goal.missing(THERE, "red")]).toEqual([2, 0]);
  expect(goal.remaining(THERE)).toBe(2);
  const seats = [seatView("splendor", 0, { tokens: { gold: 1 } }), seatView("splendor", 1)];
  expect(goal.remaining(position({ seats, prices: THERE.prices }))).toBe(1);
});

test("a goal is kept for its seat at its table, until it is one no more", () => {
  const again = new Goal("table");
  again.follow(THERE);
  expect(again.card).toBe(2);
  const elsewhere = new Goal("another");
  elsewhere.follow(THERE);
  expect(elsewhere.card).toBeNull();
  again.follow(position({ view: { viewer: 1 }, prices: THERE.prices }));
  expect(again.card).toBeNull();
  goal.toggle(2);
  expect(goal.card).toBeNull();
  again.follow(THERE);
  expect(again.card).toBeNull();
});

test("a goal that is in one's hand is one still, and one that is reached is dropped without a word", () => {
  expect(goal.follow(position({ prices: [price("h1", 2)] }))).toBeNull();
  expect(goal.card).toBe(2);
  expect(goal.follow(gone(0, { cards: [2] }))).toBeNull();
  expect(goal.card).toBeNull();
});

test.each([
  ["buys", { cards: [2] }],
  ["reserves", { reserved: [{ level: 1, card: 2, blind: false }] }],
])("a goal that somebody else %s is lost to them", (_, changes) => {
  expect(goal.follow(gone(1, changes))).toEqual({ card: 2, seat: 1 });
  expect(goal.card).toBeNull();
});

test("a goal that is nowhere to be seen is lost to nobody", () => {
  expect(goal.follow(position())).toEqual({ card: 2, seat: null });
});

test("the end of the game ends the goal", () => {
  expect(goal.follow(position({ prices: THERE.prices, outcome: outcome() }))).toBeNull();
  expect(localStorage).toHaveLength(0);
});

test("one who watches has no goal", () => {
  goal.follow(position({ view: { viewer: null } }));
  expect(goal.card).toBeNull();
});

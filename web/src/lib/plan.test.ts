import { expect, test } from "vitest";

import type { LegalMove } from "../generated/protocol";
import { position, price, take } from "../testing/positions";
import { isPlannedCardGone, Plan, plannedMove } from "./plan.svelte";

const BUY: LegalMove = { move: "buy 1.2", kind: "buy", tokens: [], place: "1.2" };
const DRAW: LegalMove = { move: "reserve 2", kind: "reserve", tokens: [], place: "2" };

function planOf(...tokens: string[]): readonly string[] {
  const plan = new Plan();
  for (const token of tokens) plan.toggle(token);
  return plan.tokens;
}

test("three different tokens can be planned, or two alike", () => {
  expect(planOf("white", "blue", "red")).toEqual(["white", "blue", "red"]);
  expect(planOf("white", "blue", "red", "green")).toEqual(["white", "blue", "red"]);
  expect(planOf("white", "white")).toEqual(["white", "white"]);
});

test("a token that can go no further is put back, and two alike make room for another colour", () => {
  expect(planOf("white", "white", "white")).toEqual([]);
  expect(planOf("white", "blue", "white")).toEqual(["blue"]);
  expect(planOf("white", "white", "red")).toEqual(["white", "red"]);
});

test("one of the planned tokens can be put back", () => {
  const plan = new Plan();
  for (const token of ["white", "blue"]) plan.toggle(token);
  plan.remove("white");
  expect(plan.tokens).toEqual(["blue"]);
  plan.remove("blue");
  expect(plan.planned).toBeNull();
});

test("a card is planned in the place of tokens, and planned no more by planning it again", () => {
  const plan = new Plan();
  plan.toggle("white");
  plan.choose({ kind: "buy", card: 2 });
  expect([plan.tokens, plan.hasCard(2), plan.hasCard(3)]).toEqual([[], true, false]);
  plan.choose({ kind: "reserve", card: 2 });
  expect(plan.planned).toEqual({ kind: "reserve", card: 2 });
  plan.choose({ kind: "reserve", card: 2 });
  expect(plan.planned).toBeNull();
});

test("a plan becomes the move that is legal then", () => {
  const legal = [take("take wbg", "white", "blue", "green"), BUY, DRAW];
  const now = position({ legal, prices: [price("1.2", 2)] });
  expect(plannedMove({ kind: "take", tokens: ["green", "white", "blue"] }, now)?.move).toBe("take wbg");
  expect(plannedMove({ kind: "take", tokens: ["green", "white"] }, now)).toBeUndefined();
  expect(plannedMove({ kind: "buy", card: 2 }, now)).toBe(BUY);
  expect(plannedMove({ kind: "reserve", card: 2 }, now)).toBeUndefined();
  expect(plannedMove({ kind: "draw", level: 2 }, now)).toBe(DRAW);
  expect(plannedMove({ kind: "draw", level: 3 }, now)).toBeUndefined();
});

test("a card follows its number, not its place: what lies there now was not planned", () => {
  const now = position({ legal: [BUY], prices: [price("1.2", 7)] });
  expect(plannedMove({ kind: "buy", card: 2 }, now)).toBeUndefined();
  expect(isPlannedCardGone({ kind: "buy", card: 2 }, now)).toBe(true);
  expect(isPlannedCardGone({ kind: "buy", card: 7 }, now)).toBe(false);
  expect(isPlannedCardGone({ kind: "take", tokens: ["white"] }, now)).toBe(false);
});

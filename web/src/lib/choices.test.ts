import { expect, test } from "vitest";

import type { LegalMove } from "../generated/protocol";
import { position, seatView, take } from "../testing/positions";
import { canReturn, canTake, paymentMoves, paymentOf, priceMarks, takeOf } from "./choices";

const TAKES = [
  take("take wbg", "white", "blue", "green"),
  take("take wbr", "white", "blue", "red"),
  take("take ww", "white", "white"),
];

test("only tokens that lead to a legal take are offered", () => {
  expect(["white", "blue", "green", "red", "black"].filter((token) => canTake(TAKES, [], token))).toEqual([
    "white",
    "blue",
    "green",
    "red",
  ]);
  expect(canTake(TAKES, ["white"], "white")).toBe(true);
  expect(canTake(TAKES, ["white", "white"], "blue")).toBe(false);
  expect(canTake(TAKES, ["green"], "red")).toBe(false);
  expect(canTake(TAKES, ["white", "blue"], "white")).toBe(false);
});

test("a take is found when it is complete, in whatever order it was chosen", () => {
  expect(takeOf(TAKES, ["white", "blue"])).toBeUndefined();
  expect(takeOf(TAKES, ["green", "white", "blue"])?.move).toBe("take wbg");
  expect(takeOf(TAKES, ["white", "white"])?.move).toBe("take ww");
});

test("as many tokens can be chosen to return as are too many, and no more than there are", () => {
  const seat = seatView("splendor", 0, { tokens: { white: 1, blue: 7, green: 4, red: 0, black: 0, gold: 0 } });
  const legal: LegalMove[] = ["white", "blue", "green"].map((token) => ({
    move: `return ${token[0] ?? ""}`,
    kind: "return",
    tokens: [token],
    place: null,
  }));
  const now = position({ seats: [seat, seatView("splendor", 1)], view: { phase: "return" }, legal });
  expect(canReturn(now, [], "white")).toBe(true);
  expect(canReturn(now, ["white"], "white")).toBe(false);
  expect(canReturn(now, ["white"], "blue")).toBe(true);
  expect(canReturn(now, ["white", "blue"], "blue")).toBe(false);
  expect(canReturn(now, [], "red")).toBe(false);
});

const PAYING = position({
  seats: [
    seatView("splendor", 0, { tokens: { white: 2, blue: 1, green: 0, red: 0, black: 0, gold: 3 } }),
    seatView("splendor", 1),
  ],
  view: {
    phase: "pay",
    turn: { buying: "1.1", wilds: {}, pending: null, is_wild_due: false, passes: 0, idle_turns: 0 },
  },
  legal: [
    { move: "wild w", kind: "wild", tokens: ["white"], place: null },
    { move: "wild b", kind: "wild", tokens: ["blue"], place: null },
    { move: "pay", kind: "pay", tokens: [], place: null },
  ],
  prices: [
    {
      place: "1.1",
      card: 1,
      due: { white: 2, blue: 1, green: 1 },
      missing: { green: 1 },
      wilds: 1,
      is_affordable: true,
    },
  ],
});

test("a payment begins with the fewest wilds, and takes more where they are chosen", () => {
  const least = paymentOf(PAYING, []);
  expect(least?.wilds).toBe(1);
  expect(least?.colours).toEqual([
    { token: "white", due: 2, tokens: 2, wilds: 0, canAdd: true, canRemove: false },
    { token: "blue", due: 1, tokens: 1, wilds: 0, canAdd: true, canRemove: false },
    { token: "green", due: 1, tokens: 0, wilds: 1, canAdd: false, canRemove: false },
  ]);
  const most = paymentOf(PAYING, ["blue", "white"]);
  expect(most?.wilds).toBe(3);
  expect(most?.colours.map((row) => [row.tokens, row.wilds, row.canAdd, row.canRemove])).toEqual([
    [1, 1, false, true],
    [0, 1, false, true],
    [0, 1, false, false],
  ]);
});

test("chosen wilds are named in the order of the colours, then it is paid", () => {
  expect(paymentMoves(PAYING, ["blue", "white"])).toEqual(["wild w", "wild b", "pay"]);
});

test("a price is drawn as what is covered and what is missing", () => {
  const marks = priceMarks("splendor", {
    place: "1.1",
    card: 1,
    due: { red: 1, black: 1 },
    missing: { black: 1 },
    wilds: 1,
    is_affordable: false,
  });
  expect(marks.price?.["red"]).toEqual({ covered: 1, missing: 0 });
  expect(marks.price?.["black"]).toEqual({ covered: 0, missing: 1 });
  expect(marks.affordable).toBe(false);
  expect(priceMarks("splendor", undefined)).toEqual({});
});

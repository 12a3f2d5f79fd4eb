import { expect, test } from "vitest";

import { step } from "../testing/positions";
import { waysOf } from "./suggestion";

test("tokens go from their piles to the seat, and back when they are returned", () => {
  expect(waysOf(step(1, 2, { gained: { white: 2 } }))).toEqual([
    { kind: "token", what: "white", from: ["pile:white"], to: ["seat:2:token:white", "seat:2"] },
    { kind: "token", what: "white", from: ["pile:white"], to: ["seat:2:token:white", "seat:2"] },
  ]);
  expect(waysOf(step(1, 2, { kind: "return", gained: {}, spent: { red: 1 } }))).toEqual([
    { kind: "token", what: "red", from: ["seat:2:token:red", "seat:2"], to: ["pile:red"] },
  ]);
});

test("a card goes from its place or from the hand, a blind one from its deck", () => {
  const bought = { kind: "buy", card: 7, is_card_bought: true, gained: {}, spent: { red: 1 } } as const;
  expect(waysOf(step(1, 0, { ...bought, place: "1.2" }))).toEqual([
    { kind: "card", what: 7, from: ["place:1.2"], to: ["seat:0:cards", "seat:0"] },
  ]);
  expect(waysOf(step(1, 0, { ...bought, place: "h2" }))[0]?.from[0]).toBe("seat:0:h2");
  const reserved = { kind: "reserve", card: null, level: 3, place: "3", gained: { gold: 1 } } as const;
  expect(waysOf(step(1, 0, reserved)).map(({ kind, from }) => [kind, from[0]])).toEqual([
    ["back", "deck:3"],
    ["token", "pile:gold"],
  ]);
});

test("a tile goes to the seat that chooses it; who passes moves nothing", () => {
  expect(waysOf(step(1, 1, { kind: "tile", gained: {}, tiles: [4] }))[0]?.from).toEqual(["tile:4"]);
  expect(waysOf(step(1, 1, { kind: "pass", gained: {} }))).toEqual([]);
});

import { beforeEach, expect, test } from "vitest";

import { position, seatView, take } from "../testing/positions";
import { firstGap, forgetHints, Guide, placesOf } from "./guide.svelte";

const OPENING = position({ legal: [take("take wbg", "white", "blue", "green")] });

beforeEach(forgetHints);

test("the tour goes on hint by hint, and each is said once", () => {
  const guide = new Guide();
  guide.look(OPENING);
  expect(guide.hint?.id).toBe("welcome");
  guide.next();
  expect(guide.hint?.id).toBe("market");
  const another = new Guide();
  another.look(OPENING);
  expect(another.hint?.id).toBe("market");
});

test("what was to be seen when the game went on has been said", () => {
  const guide = new Guide();
  const bought = [seatView("splendor", 0, { cards: [1] }), seatView("splendor", 1)];
  const legal = [take("take wbg", "white", "blue", "green")];
  guide.look(position({ seq: 4, seats: bought, legal }));
  expect(guide.hint?.id).toBe("first_bonus");
  guide.look(position({ seq: 6, seats: bought, legal }));
  expect(guide.hint?.id).not.toBe("first_bonus");
});

test("who begins anew hears everything again", () => {
  const guide = new Guide();
  guide.look(OPENING);
  guide.next();
  forgetHints();
  const another = new Guide();
  another.look(OPENING);
  expect(another.hint?.id).toBe("welcome");
});

test("one who watches is told nothing", () => {
  const guide = new Guide();
  guide.look(position({ view: { viewer: null } }));
  expect(guide.hint).toBeNull();
});

test.each([
  ["market", ".market"],
  ["card:h1", '[data-place="h1"]'],
  ["tile:5", '[data-anchor="tile:5"]'],
])("%s lies at %s", (focus, selector) => {
  expect(placesOf(focus)).toBe(selector);
});

test("an unknown place is an error", () => {
  expect(() => placesOf("moon")).toThrow("got moon");
});

test.each([
  ["nothing is there", [], 40],
  ["a card below", [{ top: 260, bottom: 350 }], 40],
  ["an opponent above", [{ top: 44, bottom: 100 }], 100],
  [
    "an opponent above, and a card with room between",
    [
      { top: 260, bottom: 350 },
      { top: 44, bottom: 100 },
    ],
    100,
  ],
  [
    "an opponent above, and a card too near",
    [
      { top: 44, bottom: 100 },
      { top: 200, bottom: 290 },
    ],
    290,
  ],
])("a hint covers nothing that it is about: %s", (_, spans, place) => {
  expect(firstGap(40, 150, spans)).toBe(place);
});

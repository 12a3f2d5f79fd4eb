import { beforeEach, describe, expect, test } from "vitest";

import { position, seatView, take } from "../testing/positions";
import { forgetHints, Guide, hintPlace, placesOf, type Box } from "./guide.svelte";

const OPENING = position({ legal: [take("take wbg", "white", "blue", "green")] });
const BOUGHT = position({
  seq: 4,
  seats: [seatView("splendor", 0, { cards: [1], tokens: { red: 1 } }), seatView("splendor", 1)],
  legal: [take("take wbg", "white", "blue", "green")],
  view: { round: 3 },
});

beforeEach(forgetHints);

test("the tour goes on hint by hint, and each is said once", () => {
  const guide = new Guide();
  guide.look(OPENING);
  expect(guide.hint?.id).toBe("goal");
  guide.next();
  expect(guide.hint?.id).toBe("take");
  const another = new Guide();
  another.look(OPENING);
  expect(another.hint?.id).toBe("take");
});

test("after the tour there is one hint in a turn", () => {
  const guide = new Guide();
  guide.look(BOUGHT);
  expect(guide.hint?.id).toBe("first_bonus");
  guide.next();
  expect(guide.hint).toBeNull();
});

test("what was to be seen when the game went on has been said", () => {
  const guide = new Guide();
  guide.look(BOUGHT);
  guide.look({ ...BOUGHT, seq: 6 });
  expect(guide.hint?.id).not.toBe("first_bonus");
});

test("who begins anew hears everything again, even in the middle of a game", () => {
  const guide = new Guide();
  guide.look(OPENING);
  guide.next();
  guide.next();
  expect(guide.hint).toBeNull();
  forgetHints();
  guide.look(OPENING);
  expect(guide.hint?.id).toBe("goal");
});

test("one who watches is told nothing", () => {
  const guide = new Guide();
  guide.look(position({ view: { viewer: null } }));
  expect(guide.hint).toBeNull();
});

test.each([
  ["supply", ".supply"],
  ["bonus:red", '.own li:has([data-anchor$=":token:red"])'],
  ["card:h1", '[data-place="h1"]'],
  ["tile:5", '[data-anchor="tile:5"]'],
])("%s lies at %s", (focus, selector) => {
  expect(placesOf(focus)).toBe(selector);
});

test("an unknown place is an error", () => {
  expect(() => placesOf("moon")).toThrow("got moon");
});

/** A phone held upright, one held sideways, and a desktop: the window, one's own board and what can be done there. */
const WINDOWS: [string, Box, Box[]][] = [
  ["a phone", box(0, 0, 390, 844), [box(0, 660, 390, 784), box(0, 784, 390, 844)]],
  ["a phone held sideways", box(0, 0, 844, 390), [box(560, 150, 844, 320), box(560, 320, 844, 390)]],
  ["a desktop", box(0, 0, 1440, 900), [box(0, 720, 1100, 900), box(1100, 720, 1440, 900)]],
];

function box(left: number, top: number, right: number, bottom: number): Box {
  return { left, top, right, bottom };
}

function meet(one: Box, other: Box): boolean {
  return one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;
}

describe.each(WINDOWS)("on %s", (_, space, free) => {
  const middle = box(0, 60, space.right, Math.min(...free.map(({ top }) => top)));
  const targets = [0.05, 0.3, 0.6, 0.85].flatMap((across) =>
    [0.1, 0.4, 0.8].map((down) => {
      const left = middle.left + across * (middle.right - middle.left - 60);
      const top = middle.top + down * (middle.bottom - middle.top - 60);
      return box(left, top, left + 60, top + 60);
    }),
  );

  test("a hint covers neither what it points at, nor one's own board, nor what can be done, and lies near", () => {
    for (const target of [...targets, ...free]) {
      const size = { width: 250, height: 90 };
      const hint = hintPlace(size, target, free, [], space);
      const { left, top, right, bottom } = hint;
      expect(left >= space.left && top >= space.top && right <= space.right && bottom <= space.bottom).toBe(true);
      for (const other of [target, ...free]) expect(meet(hint, other), JSON.stringify({ target, hint })).toBe(false);
    }
  });
});

test("where there is a choice, a hint lies off what would better stay free", () => {
  const target = box(300, 300, 360, 360);
  const size = { width: 200, height: 80 };
  const below = hintPlace(size, target, [], [box(0, 0, 800, 290)], box(0, 0, 800, 600));
  expect(below.top).toBeGreaterThan(290);
});

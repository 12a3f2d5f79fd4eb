import { expect, test } from "vitest";

import { keepEqual, steady } from "./equal_parts";

test("what is equal stays the same object, and what is not is new", () => {
  const before = { seats: [{ tokens: { red: 1 } }, { tokens: { red: 2 } }], round: 3 };
  const now = keepEqual(before, { seats: [{ tokens: { red: 1 } }, { tokens: { red: 3 } }], round: 3 });
  expect(now).toEqual({ seats: [{ tokens: { red: 1 } }, { tokens: { red: 3 } }], round: 3 });
  expect(now.seats[0]).toBe(before.seats[0]);
  expect(now.seats).not.toBe(before.seats);
  expect(keepEqual(now, { ...now, seats: [...now.seats] })).toBe(now);
});

test.each([
  [[1, 2], [1]],
  [[1], [1, 2]],
  [{ a: 1 }, { b: 1 }],
  [{ a: 1 }, { a: undefined }],
  [{}, []],
  [null, { a: [null] }],
  [{ a: null }, { a: {} }],
  [new Set([1]), new Set([2])],
])("%j does not become %j", (before, now) => {
  expect(keepEqual<unknown>(before, now)).toStrictEqual(now);
});

test("a steady function gives its last value again, as long as it is equal", () => {
  let count = 1;
  const compute = steady(() => ({ counts: [count] }));
  const first = compute();
  expect(compute()).toBe(first);
  count = 2;
  expect(compute()).toEqual({ counts: [2] });
});

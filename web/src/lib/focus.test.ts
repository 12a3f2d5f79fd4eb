import { expect, test } from "vitest";

import { keepFocus, neighbour, oneStop } from "./focus";

/** A button whose middle is at this column and row. */
function button(column: number, row: number): HTMLButtonElement {
  const made = document.createElement("button");
  made.getBoundingClientRect = () => new DOMRect(column * 100, row * 100, 50, 50);
  return made;
}

test("an arrow leads to the nearest in its direction, straight ahead first", () => {
  const [corner, right, below, far] = [button(0, 0), button(1, 0), button(0, 1), button(3, 1)];
  const all = [corner, right, below, far];
  expect(neighbour(all, corner, "ArrowRight")).toBe(right);
  expect(neighbour(all, corner, "ArrowDown")).toBe(below);
  expect(neighbour(all, right, "ArrowRight")).toBe(far);
  expect(neighbour(all, corner, "ArrowLeft")).toBeUndefined();
  expect(neighbour(all, corner, "Enter")).toBeUndefined();
});

test("a group is one stop of the Tab key, where the focus last was", () => {
  const group = document.createElement("div");
  const [first, second] = [button(0, 0), button(1, 0)];
  group.append(first, second);
  document.body.append(group);
  const end = oneStop(group);
  expect([first.tabIndex, second.tabIndex]).toEqual([0, -1]);
  first.focus();
  first.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
  expect(document.activeElement).toBe(second);
  expect([first.tabIndex, second.tabIndex]).toEqual([-1, 0]);
  end();
  group.remove();
});

test("the focus goes to the neighbour of a button that is gone, and stays where it is otherwise", async () => {
  const group = document.createElement("div");
  const [first, second, third] = [button(0, 0), button(1, 0), button(2, 0)];
  group.append(first, second, third);
  document.body.append(group);
  const end = oneStop(group);
  second.focus();
  second.remove();
  await Promise.resolve();
  expect(document.activeElement).toBe(third);
  third.remove();
  await Promise.resolve();
  expect(document.activeElement).toBe(first);
  const outside = document.createElement("button");
  document.body.append(outside);
  outside.focus();
  first.remove();
  await Promise.resolve();
  expect(document.activeElement).toBe(outside);
  end();
  group.remove();
  outside.remove();
});

test("the focus stays in a bar whose button is gone", async () => {
  const bar = document.createElement("section");
  const only = button(0, 0);
  bar.append(only);
  document.body.append(bar);
  const end = keepFocus(bar);
  only.focus();
  only.remove();
  await Promise.resolve();
  expect(document.activeElement).toBe(bar);
  end();
  bar.remove();
});

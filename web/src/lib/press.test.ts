import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { onLongPress } from "./press";

let button: HTMLButtonElement;
let end: () => void;
const told: string[] = [];

function point(type: string, pointerType = "touch"): void {
  const event = new MouseEvent(type, { bubbles: true, cancelable: true });
  Object.defineProperty(event, "pointerType", { value: pointerType });
  button.dispatchEvent(event);
}

beforeEach(() => {
  vi.useFakeTimers();
  told.length = 0;
  button = document.createElement("button");
  button.addEventListener("click", () => told.push("tap"));
  end = onLongPress(() => told.push("press"))(button);
});

afterEach(() => {
  end();
  vi.useRealTimers();
});

test("a tap is a click, and a long press is none", () => {
  point("pointerdown");
  point("pointerup");
  button.click();
  expect(told).toEqual(["tap"]);
  point("pointerdown");
  vi.advanceTimersByTime(1000);
  point("contextmenu");
  point("pointerup");
  button.click();
  expect(told).toEqual(["tap", "press"]);
  point("pointerdown");
  point("pointerup");
  button.click();
  expect(told).toEqual(["tap", "press", "tap"]);
});

test("a right click is a long press, and a finger that scrolls away is none", () => {
  point("pointerdown", "mouse");
  point("contextmenu", "mouse");
  expect(told).toEqual(["press"]);
  point("pointerdown");
  point("pointercancel");
  vi.advanceTimersByTime(1000);
  expect(told).toEqual(["press"]);
});

test("a key after a right click is a click", () => {
  point("pointerdown", "mouse");
  point("contextmenu", "mouse");
  vi.advanceTimersByTime(1000);
  button.click();
  expect(told).toEqual(["press", "tap"]);
});

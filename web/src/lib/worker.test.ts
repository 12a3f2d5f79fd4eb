import { beforeAll, beforeEach, expect, test, vi } from "vitest";

const opened = vi.fn(async (_path: string) => null);

beforeAll(async () => {
  vi.stubGlobal("SHELL", { version: "1", files: [] });
  const worker = "../../worker/worker.ts"; // it is checked with the types of a worker, not with those of a page
  await import(/* @vite-ignore */ worker);
});

beforeEach(() => {
  vi.stubGlobal("clients", { matchAll: async () => [], openWindow: opened });
});

/** Click on a notification with this data, and tell where that leads. */
async function clickOn(data: unknown): Promise<string[]> {
  opened.mockClear();
  const waits: Promise<unknown>[] = [];
  const event = Object.assign(new Event("notificationclick"), {
    notification: { data, close: () => undefined },
    waitUntil: (promise: Promise<unknown>) => void waits.push(promise),
  });
  dispatchEvent(event);
  await Promise.all(waits);
  return opened.mock.calls.map(([path]) => path);
}

test("a click on a notification opens its table", async () => {
  expect(await clickOn("/t/table")).toEqual(["/t/table"]);
});

test("a click on one that an older version left opens the start", async () => {
  expect(await clickOn(null)).toEqual(["/"]);
});

import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { mayNotify, notify } from "./notify";

const shown: string[] = [];
let permission: NotificationPermission;
let isHidden: boolean;
let failure: Error | null;

beforeEach(() => {
  shown.length = 0;
  permission = "granted";
  isHidden = true;
  failure = null;
  class FakeNotification {
    onclick: (() => void) | null = null;

    constructor(title: string, options: NotificationOptions) {
      if (failure !== null) throw failure;
      shown.push(`${title} ${options.body} ${options.tag}`);
    }

    static get permission(): NotificationPermission {
      return permission;
    }

    static async requestPermission(): Promise<NotificationPermission> {
      return permission;
    }
  }
  vi.stubGlobal("Notification", FakeNotification);
  vi.spyOn(document, "hidden", "get").mockImplementation(() => isHidden);
});

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

test("who looks elsewhere is notified", async () => {
  await notify("It is your turn.", "Splendor", "/t/table");
  expect(shown).toEqual(["It is your turn. Splendor /t/table"]);
});

test("where there is a service worker, it notifies when it is ready, and knows where a click shall lead", async () => {
  failure = new TypeError("Illegal constructor");
  const showNotification = vi.fn(async () => undefined);
  let becomeReady = (_registration: unknown): void => undefined;
  const ready = new Promise((resolve) => (becomeReady = resolve));
  vi.stubGlobal("navigator", { serviceWorker: { getRegistration: async () => ({ installing: {} }), ready } });
  const notified = notify("It is your turn.", "Splendor", "/t/table");
  becomeReady({ active: {}, showNotification });
  await notified;
  expect(showNotification).toHaveBeenCalledWith("It is your turn.", expect.objectContaining({ data: "/t/table" }));
});

test("a phone that notifies by a service worker alone, and has none, does not disturb the game", async () => {
  failure = new TypeError("Illegal constructor");
  vi.stubGlobal("navigator", { serviceWorker: { getRegistration: async () => undefined } });
  await notify("It is your turn.", "Splendor", "/t/table");
  expect(shown).toEqual([]);
  failure = new Error("something else");
  await expect(notify("It is your turn.", "Splendor", "/t/table")).rejects.toThrow("something else");
});

test("who looks at the page, or did not allow it, is not", async () => {
  isHidden = false;
  await notify("It is your turn.", "Splendor", "/t/table");
  isHidden = true;
  permission = "denied";
  await notify("It is your turn.", "Splendor", "/t/table");
  expect(shown).toEqual([]);
  expect(await mayNotify()).toBe(false);
});

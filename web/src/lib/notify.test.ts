import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { mayNotify, notify } from "./notify";

const shown: string[] = [];
let permission: NotificationPermission;
let isHidden: boolean;

beforeEach(() => {
  shown.length = 0;
  permission = "granted";
  isHidden = true;
  class FakeNotification {
    onclick: (() => void) | null = null;

    constructor(title: string, options: NotificationOptions) {
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

test("where there is a service worker, it notifies, and knows where a click shall lead", async () => {
  const showNotification = vi.fn(async () => undefined);
  vi.stubGlobal("navigator", { serviceWorker: { getRegistration: async () => ({ active: {}, showNotification }) } });
  await notify("It is your turn.", "Splendor", "/t/table");
  expect(shown).toEqual([]);
  expect(showNotification).toHaveBeenCalledWith("It is your turn.", expect.objectContaining({ data: "/t/table" }));
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

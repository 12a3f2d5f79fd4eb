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

test("who looks elsewhere is notified", () => {
  notify("It is your turn.", "Splendor", "table");
  expect(shown).toEqual(["It is your turn. Splendor table"]);
});

test("who looks at the page, or did not allow it, is not", async () => {
  isHidden = false;
  notify("It is your turn.", "Splendor", "table");
  isHidden = true;
  permission = "denied";
  notify("It is your turn.", "Splendor", "table");
  expect(shown).toEqual([]);
  expect(await mayNotify()).toBe(false);
});

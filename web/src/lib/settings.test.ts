import { expect, test } from "vitest";

import { readSettings } from "./settings.svelte";

test("what is missing, unknown or unreadable is as at first", () => {
  const first = readSettings(null);
  expect(first.theme).toBe("auto");
  expect(readSettings("{")).toEqual(first);
  expect(readSettings("7")).toEqual(first);
  expect(readSettings('{"theme": "pink", "sound": "off", "more": 1}')).toEqual({ ...first, sound: "off" });
});

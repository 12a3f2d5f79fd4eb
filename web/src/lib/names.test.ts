import { afterEach, expect, test } from "vitest";

import { LANGUAGES, speak, type Language } from "./messages.svelte";
import { nameOf } from "./names";

afterEach(() => speak("en"));

test.each([
  ["en", "Novice", "Novice 2"],
  ["de", "Neuling", "Neuling 2"],
  ["ru", "Новичок", "Новичок 2"],
] as const)("in %s a bot is called by its level, and the second by its number too", (language, first, second) => {
  speak(language);
  expect(nameOf({ kind: "bot", level: "novice", name: "Novice" })).toBe(first);
  expect(nameOf({ kind: "bot", level: "novice", name: "Novice 2" })).toBe(second);
});

test.each(Object.keys(LANGUAGES) as Language[])("in %s a person keeps the nickname, whatever it is", (language) => {
  speak(language);
  expect(nameOf({ kind: "person", level: null, name: "Novice 2" })).toBe("Novice 2");
  expect(nameOf({ kind: "bot", level: "novice", name: "Master", has_left: true })).toBe("Master");
  expect(nameOf({ kind: "open", level: null, name: "Expert" })).toBe("Expert");
});

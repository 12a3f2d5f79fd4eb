import { readFileSync } from "node:fs";
import { join } from "node:path";

import { afterEach, describe, expect, test } from "vitest";

import { LANGUAGES, listed, speak, t } from "../lib/messages.svelte";

type Entry = string | Record<string, string>;
type Catalogue = Record<string, Entry>;

interface Words {
  forbidden: Record<string, string[]>;
}

const ROOT = join(import.meta.dirname, "..", "..", "..");
const OTHERS = Object.keys(LANGUAGES).filter((language) => language !== "en");
const WORDS = JSON.parse(readFileSync(join(ROOT, "tests", "data", "words.json"), "utf-8")) as Words;

const FORMS: Record<string, string[]> = { ru: ["few", "many", "one", "other"] };

/** Names, and words that are the same in English and in a language, or in all. */
const SAME: Record<string, string[]> = {
  all: ["title", "game.splendor", "game.marvel", "log.between", "news", "say.heard"],
  es: [
    "colour.marvel.shield",
    "noble",
    "tiles.splendor",
    "last_move.tile.splendor",
    "result.tiles.splendor",
    "no",
    "speed.normal",
  ],
  de: ["colour.marvel.shield", "token.marvel.shield", "speed.normal"],
  ru: [],
  it: ["colour.marvel.shield", "token.marvel.shield", "round", "no"],
};

function catalogue(folder: string, name: string): Catalogue {
  return JSON.parse(readFileSync(join(ROOT, "web", "src", folder, `${name}.json`), "utf-8")) as Catalogue;
}

function texts(entry: Entry): string[] {
  return typeof entry === "string" ? [entry] : Object.values(entry);
}

function placeholders(text: string): string[] {
  return [...new Set([...text.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? ""))].sort();
}

/** What a text asks for, the number by which its form is chosen left aside. */
function asked(entry: Entry): string[] {
  return [...new Set(texts(entry).flatMap(placeholders))].filter((name) => name !== "count").sort();
}

/** The longest form without its parameters: what is there to be read. */
function length(entry: Entry): number {
  return Math.max(...texts(entry).map((text) => text.replaceAll(/\{\w+\}/g, "").length));
}

describe.each(OTHERS)("the page in %s", (language) => {
  const english = catalogue("messages", "en");
  const other = catalogue("messages", language);

  test("has every text, in the same order, and no other", () => {
    expect(Object.keys(other)).toEqual(Object.keys(english));
  });

  test("leaves nothing in English", () => {
    const left = Object.keys(english).filter((key) => {
      const one = texts(english[key] ?? "").at(-1) ?? "";
      return texts(other[key] ?? "").includes(one);
    });
    expect(left.sort()).toEqual([...(SAME["all"] ?? []), ...(SAME[language] ?? [])].sort());
  });

  test("has plural forms where English has, all that the language knows", () => {
    for (const [key, entry] of Object.entries(other)) {
      expect(typeof entry, key).toBe(typeof english[key]);
      if (typeof entry !== "string")
        expect(Object.keys(entry).sort(), key).toEqual(FORMS[language] ?? ["one", "other"]);
    }
  });

  test("asks for the same parameters", () => {
    for (const [key, entry] of Object.entries(other)) {
      expect(asked(entry), key).toEqual(asked(english[key] ?? ""));
      const counts = new Set(texts(entry).map((text) => text.includes("{count}")));
      expect([...counts], key).toEqual([
        texts(english[key] ?? "")
          .at(-1)
          ?.includes("{count}"),
      ]);
    }
  });

  test("is not much longer: what fits in English must fit", () => {
    const long = Object.keys(english).filter((key) => {
      const room = length(english[key] ?? "");
      return length(other[key] ?? "") > Math.max(room * 1.75, room + 16);
    });
    expect(long).toEqual([]);
  });

  test("uses the words of its rulebooks", () => {
    const forbidden = (WORDS.forbidden[language] ?? []).map((word) => new RegExp(word, "iu"));
    const wrong = Object.entries(other).filter(([, entry]) =>
      texts(entry).some((text) => forbidden.some((word) => word.test(text.replaceAll(/\{\w+\}/g, "")))),
    );
    expect(wrong).toEqual([]);
  });
});

afterEach(() => {
  speak("en");
});

test("what is counted stands in the right form", () => {
  const counts = [1, 2, 5, 11, 21, 22];
  speak("ru");
  const russian = counts.map((count) => t("token.splendor.red", { count }));
  expect(russian).toEqual(["1 рубин", "2 рубина", "5 рубинов", "11 рубинов", "21 рубин", "22 рубина"]);
  speak("de");
  expect([1, 2].map((count) => t("label.points", { count }))).toEqual(["1 Punkt", "2 Punkte"]);
});

test("lists and numbers follow the language", () => {
  speak("es");
  expect(listed(["a", "b", "c"])).toBe("a, b y c");
  speak("de");
  expect(t("label.points", { count: 12_345 })).toBe("12.345 Punkte");
});

import { describe, expect, test } from "vitest";

import { LANGUAGES, type Language } from "../lib/messages.svelte";
import { chapters, rulebook, search, topicOf } from "./rulebook";

const GAMES = ["splendor", "marvel"] as const;

describe.each(Object.keys(LANGUAGES) as Language[])("the rulebook in %s", (language) => {
  test.each(GAMES)("has every rule of %s in a chapter", async (game) => {
    const book = await rulebook(language);
    const own = book.rules.filter((rule) => rule.game === game || rule.game === "both").map((rule) => rule.id);
    const reached = new Set(chapters(book, game).flatMap((chapter) => chapter.rules.map((rule) => rule.id)));
    expect([...reached].sort()).toEqual(own.sort());
    for (const id of own) expect(topicOf(book, game, id)?.rules).toContain(id);
  });
});

test("a search finds topics and rules by the beginnings of words, and by id", async () => {
  const book = await rulebook("en");
  expect(search(book, "splendor", "nobl").map((chapter) => chapter.topic.id)).toContain("splendor.nobles");
  const found = search(book, "marvel", "TRN-5");
  expect(found.map((chapter) => chapter.rules.map((rule) => rule.id))).toEqual([["TRN-5"]]);
  expect(search(book, "splendor", "zebra")).toEqual([]);
  expect(search(book, "splendor", "")).toEqual(chapters(book, "splendor"));
});

test("a search does without capitals and accents", async () => {
  const spanish = search(await rulebook("es"), "marvel", "UBICACION bonus");
  expect(spanish.map((chapter) => chapter.topic.id)).toContain("marvel.locations");
  const russian = search(await rulebook("ru"), "splendor", "жетоны разных");
  expect(russian.map((chapter) => chapter.topic.id)).toContain("splendor.take");
});

test("an unknown rule belongs to no topic", async () => {
  expect(topicOf(await rulebook("en"), "splendor", "END-M1")).toBeUndefined();
});

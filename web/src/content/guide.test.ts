import { readFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, test } from "vitest";

import { CATALOGUES, type GameName } from "../generated/catalogue";
import type { Position, Price, Progress } from "../generated/protocol";
import { LANGUAGES, type Language } from "../lib/messages.svelte";
import { outcome, position, seatView, take } from "../testing/positions";
import { guideTexts, HINTS, hintText, pickHint, type GuideTexts, type HintId } from "./guide";

const LANGUAGE_NAMES = Object.keys(LANGUAGES) as Language[];
const GAMES: GameName[] = ["splendor", "marvel"];
const OPENING = ["goal", "cost", "take"];

function counts(game: GameName, some: Record<string, number>): Record<string, number> {
  return { ...Object.fromEntries(CATALOGUES[game].colours.map((colour) => [colour, 0])), ...some };
}

/** What card 1 at place 1.1 costs now, with these changes. */
function price(changes: Partial<Price> = {}): Price {
  return { place: "1.1", card: 1, due: { red: 2 }, missing: { red: 2 }, wilds: 2, is_affordable: false, ...changes };
}

function payable(card: number, place = "1.1"): Price {
  return price({ card, place, missing: {}, wilds: 0, is_affordable: true });
}

function progress(now: Position, seat: number, changes: Partial<Progress>): Progress[] {
  return now.progress.map((each) => (each.seat === seat ? { ...each, ...changes } : each));
}

/** A position in the middle of a game in which nothing special can be said. */
function quiet(game: GameName, changes: Parameters<typeof position>[0] = {}): Position {
  const seats = [seatView(game, 0, { tokens: counts(game, { red: 1 }) }), seatView(game, 1)];
  return position({ game, seats, legal: [take("take rgb", "red", "green", "blue")], ...changes });
}

/** For each hint a position that calls for it, in a game. */
const CALLS: Record<HintId, (game: GameName) => Position | null> = {
  goal: (game) => position({ game }),
  cost: (game) => position({ game, prices: [price({ place: "1.3", due: { red: 3 } }), price({ place: "1.4" })] }),
  take: (game) => position({ game }),
  must_return: (game) =>
    quiet(game, { seats: [seatView(game, 0, { tokens: { red: 7, blue: 5 } })], view: { phase: "return" } }),
  choose_tile: (game) => quiet(game, { view: { phase: "tile" } }),
  can_finish: (game) => {
    const now = quiet(game, { prices: [payable(74, "3.4")] }); // 5 points, level 3
    const colours = CATALOGUES[game].colours;
    return { ...now, progress: progress(now, 0, { points: 11, colours }) };
  },
  last_turn: (game) => {
    const now = quiet(game);
    return { ...now, progress: progress(now, 1, { points: 17, qualifies: true }) };
  },
  completes_tile: (game) => {
    const bonus = CATALOGUES[game].cards[0]?.bonus ?? "";
    const bonuses = needed(game);
    bonuses[bonus] = (bonuses[bonus] ?? 0) - 1;
    const seats = [seatView(game, 0, { tokens: { red: 1 }, bonuses, cards: [5, 6] })];
    return quiet(game, { seats, prices: [payable(1)] });
  },
  brings_time: (game) => (game === "splendor" ? null : quiet(game, { prices: [payable(71, "3.1")] })),
  takes_avengers: (game) => {
    if (game === "splendor") return null;
    const now = quiet(game, { prices: [payable(22)] }); // Wasp, with one tag
    return { ...now, progress: progress(now, 0, { tags: 2, tags_needed: 3 }) };
  },
  rival_close: (game) => {
    const now = quiet(game);
    return { ...now, progress: progress(now, 1, { points: 13 }) };
  },
  can_buy: (game) => quiet(game, { prices: [payable(1)] }),
  first_bonus: (game) => quiet(game, { seats: [seatView(game, 0, { tokens: { red: 1 }, cards: [1] })] }),
  free_card: (game) =>
    quiet(game, { prices: [price({ due: { red: 0 }, missing: {}, wilds: 0, is_affordable: true })] }),
  has_reserved: (game) =>
    quiet(game, { seats: [seatView(game, 0, { reserved: [{ level: 1, card: 1, blind: false }] })] }),
  tiles: (game) => {
    const bonuses = needed(game);
    const colour = Object.entries(bonuses).find(([, count]) => count > 1)?.[0] ?? "";
    bonuses[colour] = (bonuses[colour] ?? 0) - 2;
    return quiet(game, { seats: [seatView(game, 0, { tokens: { red: 1 }, bonuses, cards: [5, 6] })] });
  },
  two_alike: (game) => quiet(game, { prices: [price()], legal: [take("take rr", "red", "red")], view: { round: 2 } }),
  reserve: (game) => quiet(game, { view: { round: 3 } }),
};

/** The bonuses that the first noble or location asks for. */
function needed(game: GameName): Record<string, number> {
  const needs = CATALOGUES[game].tiles[0]?.needs ?? [];
  return Object.fromEntries(CATALOGUES[game].colours.map((colour, index) => [colour, needs[index] ?? 0]));
}

/** Hints that may fit a position together with another that is meant, and are said before it. */
const BEFORE: Partial<Record<HintId, string[]>> = {
  cost: ["goal"],
  take: ["goal", "cost"],
  free_card: ["can_buy"],
};

const CASES = GAMES.flatMap((game) => HINTS.map(({ id }) => [game, id] as const)).filter(
  ([game, id]) => CALLS[id](game) !== null,
);

function hintFor(game: GameName, id: HintId) {
  const now = CALLS[id](game);
  return now === null ? null : pickHint(now, new Set(BEFORE[id]));
}

describe.each(CASES)("in %s, %s", (game, id) => {
  test("is said where it fits", () => {
    expect(hintFor(game, id)?.id).toBe(id);
  });

  test("is said once", () => {
    const now = CALLS[id](game);
    expect(now === null ? null : pickHint(now, new Set(HINTS.map((hint) => hint.id)))).toBeNull();
  });

  test.each(LANGUAGE_NAMES)("has its text in %s, with all it names", async (language) => {
    const hint = hintFor(game, id);
    if (hint === null) throw new Error("expected a hint");
    const text = hintText(await guideTexts(language), language, game, hint, (seat) => `SEAT${seat}`);
    expect(text).not.toContain("{");
    expect(text).toMatch(/[.?!]$/);
    expect(text).not.toMatch(/[A-Z]{3}-\w?\d/); // no id of a rule
    expect(text.length).toBeLessThan(100);
  });
});

test("a quiet position has no hint", () => {
  for (const game of GAMES) expect(pickHint(quiet(game), new Set())).toBeNull();
});

test("the opening is a tour, and ends", () => {
  const said: string[] = [];
  let isTour = true;
  while (isTour) {
    const hint = pickHint(position({ prices: [price()] }), new Set(said));
    isTour = hint?.isTour === true;
    if (hint !== null) said.push(hint.id);
  }
  expect(said).toEqual(OPENING);
});

test("nobody is told what to do when it is not their turn, and spectators never", () => {
  for (const [game, id] of CASES) {
    const now = CALLS[id](game);
    if (now === null) continue;
    const watched = { ...now, view: { ...now.view, viewer: null } };
    expect(pickHint(watched, new Set(BEFORE[id]))).toBeNull();
    if (now.outcome !== null) continue;
    const waiting = { ...now, view: { ...now.view, seat: 1 } };
    expect(pickHint(waiting, new Set(BEFORE[id]))?.id, `${game} ${id}`).toBeUndefined();
  }
});

test.each<[HintId, string]>([
  ["goal", "goal"],
  ["cost", "card:1.4"],
  ["take", "supply"],
  ["completes_tile", "card:1.1"],
  ["first_bonus", "bonus:white"],
  ["tiles", "tile:1"],
  ["reserve", "pile:gold"],
  ["two_alike", "pile:red"],
  ["rival_close", "seat:1"],
])("%s points at one thing: %s", (id, focus) => {
  expect(hintFor("splendor", id)?.focus).toBe(focus);
});

test("the dearest of several affordable cards is meant", () => {
  const now = quiet("splendor", { prices: [payable(1), payable(74, "3.4"), payable(41, "2.1")] });
  expect(pickHint(now, new Set())?.finding.place).toBe("3.4");
});

test("after the end there is nothing to say", () => {
  for (const [game, id] of CASES) {
    const now = CALLS[id](game);
    if (now !== null) expect(pickHint({ ...now, outcome: outcome() }, new Set())).toBeNull();
  }
});

// The texts

const ENGLISH = await guideTexts("en");
const WORDS = JSON.parse(
  readFileSync(join(import.meta.dirname, "..", "..", "..", "tests", "data", "words.json"), "utf-8"),
) as { forbidden: Record<string, string[]> };

function forms(entry: GuideTexts[string] | undefined): string[] {
  return typeof entry === "string" ? [entry] : Object.values(entry ?? {});
}

function placeholders(entry: GuideTexts[string] | undefined): string[] {
  const names = forms(entry).flatMap((text) => [...text.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? ""));
  return [...new Set(names)].sort();
}

test("every text belongs to a hint", () => {
  const wanted = CASES.map(([game, id]) => (`${id}.${game}` in ENGLISH ? `${id}.${game}` : id));
  expect([...new Set(wanted)].sort()).toEqual(Object.keys(ENGLISH).sort());
});

describe.each(LANGUAGE_NAMES.filter((language) => language !== "en"))("the guide in %s", async (language) => {
  const texts = await guideTexts(language);

  test("has the same hints with the same names in them, translated, and about as long", () => {
    expect(Object.keys(texts)).toEqual(Object.keys(ENGLISH));
    for (const [key, entry] of Object.entries(texts)) {
      expect(placeholders(entry), key).toEqual(placeholders(ENGLISH[key]));
      expect(forms(entry), key).not.toContain(forms(ENGLISH[key])[0]);
      const ratio = (forms(entry)[0] ?? "").length / (forms(ENGLISH[key])[0] ?? "").length;
      expect(ratio, key).toBeGreaterThan(0.6);
      expect(ratio, key).toBeLessThan(1.6);
    }
  });

  test("uses the words of its rulebooks", () => {
    const forbidden = (WORDS.forbidden[language] ?? []).map((word) => new RegExp(word, "iu"));
    const wrong = Object.entries(texts).filter(([, entry]) =>
      forms(entry).some((text) => forbidden.some((word) => word.test(text))),
    );
    expect(wrong).toEqual([]);
  });
});

/** Three words for newcomers, each for one of the levels. */

import type { Level } from "../lib/settings.svelte";

export const WORDS = [
  { word: "gentle", level: "apprentice" },
  { word: "fair", level: "artisan" },
  { word: "strong", level: "master" },
] as const satisfies readonly { word: string; level: Level }[];

/** The word for a level; null for the levels between. */
export function wordOf(level: Level): (typeof WORDS)[number]["word"] | null {
  return WORDS.find((each) => each.level === level)?.word ?? null;
}

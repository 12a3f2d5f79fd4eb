/** What can be said at a table: a few words, and a few faces. */

import type { Said } from "../generated/protocol";

export type Phrase = Said["phrase"];

export const WORDS = [
  "hello",
  "good_luck",
  "nice_move",
  "thanks",
  "oops",
  "one_moment",
  "your_turn",
  "close_game",
  "well_played",
  "another_game",
] as const satisfies Phrase[];

export const FACES = ["smile", "laugh", "surprise", "sweat", "applause", "heart"] as const satisfies Phrase[];

export type Face = (typeof FACES)[number];

/** Whether it is a face, and not words. */
export function isFace(phrase: Phrase): phrase is Face {
  return (FACES as readonly Phrase[]).includes(phrase);
}

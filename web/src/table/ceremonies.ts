/** What is celebrated at a table, and what is heard. Nothing here knows a rule: the server says what happened. */

import { CATALOGUES } from "../generated/catalogue";
import type { Position, Progress, Step } from "../generated/protocol";
import { t } from "../lib/messages.svelte";
import type { SoundName } from "../lib/sound";
import { effectiveSteps, endingText, tileName, tokenName, type GameEvent } from "../lib/story";

export type Ceremony =
  | { kind: "tile"; seat: number; tile: number }
  /** `from` is who had the Avengers tile before. */
  | { kind: "avengers"; seat: number; from: number | null }
  /** `number` is how many stones the Gauntlet has then. */
  | { kind: "stone"; seat: number; token: string; number: number; isFull: boolean; progress: Progress }
  | { kind: "last"; seat: number }
  | { kind: "victory" };

export type CeremonyKind = Ceremony["kind"];

/** How long each lasts, in milliseconds. */
export const DURATIONS: Record<CeremonyKind, number> = {
  tile: 1900,
  avengers: 1900,
  stone: 1400,
  last: 2200,
  victory: 2400,
};

/** More than so many in a row are no celebration any more. */
export const MOST_WAITING = 3;

/** The stones that a Gauntlet has room for. */
export const STONES = CATALOGUES.marvel.colours.length + 1;

/** The stones of a Gauntlet. */
function stonesOf({ colours, has_time, needs_colours }: Progress): string[] {
  return needs_colours ? [...colours, ...(has_time ? ["time"] : [])] : [];
}

/** What there is to celebrate between two positions; `own` are the seats of those who look on from here. */
export function ceremoniesOf(
  events: readonly GameEvent[],
  before: Position,
  now: Position,
  own: readonly number[],
): Ceremony[] {
  if (now.outcome !== null) {
    const hasWon = before.outcome === null && now.outcome.winners.some((seat) => own.includes(seat));
    return hasWon ? [{ kind: "victory" }] : [];
  }
  if (events.some(({ type }) => type === "undone")) return [];
  const due: Ceremony[] = [];
  for (const step of effectiveSteps(events)) {
    for (const tile of step.tiles) due.push({ kind: "tile", seat: step.seat, tile });
    if (step.takes_avengers_tile) {
      const from = before.view.seats.find((seat) => seat.avengers_tile)?.seat ?? null;
      due.push({ kind: "avengers", seat: step.seat, from });
    }
  }
  now.progress.forEach((progress, index) => {
    const { seat } = progress;
    const known = stonesOf(before.progress[index] ?? progress);
    stonesOf(progress).forEach((token) => {
      if (known.includes(token)) return;
      known.push(token);
      // Of the others' stones only the one that completes them: six for each of four would be too many.
      const isFull = known.length === STONES;
      if (own.includes(seat) || isFull)
        due.push({ kind: "stone", seat, token, number: known.length, isFull, progress });
    });
  });
  const first = now.progress.find(({ qualifies }) => qualifies);
  if (first !== undefined && !before.progress.some(({ qualifies }) => qualifies))
    due.push({ kind: "last", seat: first.seat });
  return due.slice(-MOST_WAITING);
}

/** A ceremony in words; `now` is the position in which it is shown. */
export function wordsOf(ceremony: Ceremony, now: Position, nameOf: (seat: number) => string): string {
  if (ceremony.kind === "victory") return now.outcome === null ? "" : endingText(now.outcome, nameOf);
  const { game, seats } = now.view;
  const name = nameOf(ceremony.seat);
  switch (ceremony.kind) {
    case "tile":
      return game === "marvel"
        ? t("news", { name, what: t("log.tile.marvel", { tile: tileName(game, ceremony.tile) }) })
        : t("ceremony.tile", { name });
    case "avengers":
      return t("news", { name, what: t("log.avengers") });
    case "stone":
      return ceremony.isFull
        ? t("ceremony.full", { name })
        : `${tokenName(game, ceremony.token)} ${ceremony.number}/${STONES}`;
    case "last":
      return game === "marvel"
        ? t("ceremony.last.marvel", { name })
        : t("ceremony.last.splendor", { name, count: seats[ceremony.seat]?.points ?? 0 });
  }
}

/** What is heard of a decision, and of how many pieces; what is celebrated has its own sound. */
export function soundOf(step: Step): [SoundName, number] | null {
  const pieces = Object.values({ ...step.gained, ...step.spent }).reduce((sum, count) => sum + count, 0);
  if (step.is_card_bought) return ["buy", 1];
  if (step.kind === "reserve") return ["reserve", 1];
  return pieces > 0 ? ["token", pieces] : null;
}

/** What is heard when a ceremony begins. */
export function ceremonySound(ceremony: Ceremony): [SoundName, number] {
  if (ceremony.kind === "victory") return ["win", 1];
  return [ceremony.kind, ceremony.kind === "stone" ? ceremony.number : 1];
}

/** What is heard when a game ends and nobody here celebrates. */
export function endingSound(now: Position, own: readonly number[]): SoundName {
  const hasWon = now.outcome?.winners.some((seat) => own.includes(seat)) ?? false;
  return own.length === 0 || hasWon ? "win" : "loss";
}

/** The guide of a first game: which hint is to be seen, and which were said already. */

import { SvelteSet } from "svelte/reactivity";

import { pickHint, type Hint } from "../content/guide";
import type { Position } from "../generated/protocol";

const STORED_AS = "cabochon.guide";

function stored(): string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(STORED_AS) ?? "[]");
    return Array.isArray(kept) ? kept.map(String) : [];
  } catch {
    return []; // the browser keeps nothing for this page, or something else
  }
}

/** Begin anew: every hint may be said again. */
export function forgetHints(): void {
  try {
    localStorage.removeItem(STORED_AS);
  } catch {
    return; // nothing was kept
  }
}

/** Picks hints for the positions it is shown; each is said once, over all games until it is asked to begin anew. */
export class Guide {
  hint = $state.raw<Hint | null>(null);
  #said = new SvelteSet(stored());
  #position: Position | null = null;

  /** Look at a position. A hint that was there for an earlier one has been said. */
  look(position: Position): void {
    if (this.#position !== null && this.#position.seq !== position.seq) this.#remember();
    this.#position = position;
    this.hint = this.#pick(position);
  }

  /** The hint was understood: say the next one, if another fits. */
  next(): void {
    this.#remember();
    this.hint = this.#position === null ? null : this.#pick(this.#position);
  }

  #pick(position: Position): Hint | null {
    return pickHint(position, this.#said);
  }

  #remember(): void {
    if (this.hint === null) return;
    this.#said.add(this.hint.id);
    try {
      localStorage.setItem(STORED_AS, JSON.stringify([...this.#said]));
    } catch {
      return; // they are remembered until the page is closed
    }
  }
}

/** Where on the screen lies what a hint is about. */
export function placesOf(focus: string): string {
  const [kind, name] = focus.split(":");
  if (name === undefined) {
    const wholes: Record<string, string> = {
      market: ".market",
      supply: ".supply",
      tiles: ".tiles",
      hand: ".own .reserved",
      tokens: ".own .holds",
      gauntlet: ".own .progress",
    };
    const whole = wholes[focus];
    if (whole === undefined) throw new Error(`expected one of ${Object.keys(wholes).join(", ")}, got ${focus}`);
    return whole;
  }
  return kind === "card" ? `[data-place="${name}"]` : `[data-anchor="${focus}"]`;
}

/** From above to below, in pixels. */
export interface Span {
  top: number;
  bottom: number;
}

/** Where, from `top` on downwards, something of this height covers none of the spans. */
export function firstGap(top: number, height: number, spans: Span[]): number {
  let place = top;
  for (const span of [...spans].sort((one, other) => one.top - other.top)) {
    if (span.top < place + height && place < span.bottom) place = span.bottom;
  }
  return place;
}

/** A move that is chosen before one's turn. It is sent when the turn comes, if the server then calls it legal. */

import type { LegalMove, Position } from "../generated/protocol";
import { countOf, moveAt, placeOf, takeOf } from "./choices";

export type Planned =
  | { kind: "take"; tokens: readonly string[] }
  | { kind: "buy" | "reserve"; card: number }
  | { kind: "draw"; level: number };

/** No take is larger; whether this one is legal is known when the turn comes. */
const MOST_TOKENS = 3;

/** The move that was planned, if it is legal in this position. */
export function plannedMove(planned: Planned, position: Position): LegalMove | undefined {
  if (planned.kind === "take") return takeOf(position.legal, planned.tokens);
  if (planned.kind === "draw") return moveAt(position.legal, "reserve", `${planned.level}`);
  const place = placeOf(position, planned.card);
  return place === null ? undefined : moveAt(position.legal, planned.kind, place);
}

/** Whether the card that was planned lies neither in the market nor in one's hand any more. */
export function isPlannedCardGone(planned: Planned, position: Position): boolean {
  return "card" in planned && placeOf(position, planned.card) === null;
}

export class Plan {
  planned = $state.raw<Planned | null>(null);

  /** The planned tokens; none if something else is planned. */
  get tokens(): readonly string[] {
    return this.planned?.kind === "take" ? this.planned.tokens : [];
  }

  /** Whether the token can be planned besides those that are: three different ones, or two alike. */
  canAdd(token: string): boolean {
    const tokens = this.tokens;
    if (tokens.includes(token)) return tokens.length === 1;
    return tokens.length < MOST_TOKENS;
  }

  /** Plan one more of a token; one that can go no further is put back. */
  toggle(token: string): void {
    if (!this.canAdd(token)) return this.#take(this.tokens.filter((other) => other !== token));
    const isPair = this.tokens.some((other) => countOf(this.tokens, other) > 1);
    this.#take([...(isPair ? this.tokens.slice(1) : this.tokens), token]);
  }

  /** Put one of the planned tokens back. */
  remove(token: string): void {
    const index = this.tokens.lastIndexOf(token);
    this.#take(this.tokens.filter((_, other) => other !== index));
  }

  count(token: string): number {
    return countOf(this.tokens, token);
  }

  /** Plan a card or the top of a deck; what is planned already is planned no more. */
  choose(planned: Planned): void {
    this.planned = this.has(planned) ? null : planned;
  }

  has(planned: Planned): boolean {
    return JSON.stringify(this.planned) === JSON.stringify(planned);
  }

  /** Whether something is planned about this card. */
  hasCard(card: number): boolean {
    return this.planned !== null && "card" in this.planned && this.planned.card === card;
  }

  cancel(): void {
    this.planned = null;
  }

  #take(tokens: readonly string[]): void {
    this.planned = tokens.length === 0 ? null : { kind: "take", tokens };
  }
}

/** A card that one plays for: kept for each seat of a table, in this browser alone. */

import { CATALOGUES } from "../generated/catalogue";
import type { Position, Price } from "../generated/protocol";

function keyOf(table: string, seat: number): string {
  return `cabochon.goal.${table}.${seat}`;
}

function stored(key: string): number | null {
  try {
    const kept = Number(localStorage.getItem(key) ?? "");
    return Number.isInteger(kept) && kept > 0 ? kept : null;
  } catch {
    return null; // the browser keeps nothing for this page
  }
}

function keep(key: string, card: number | null): void {
  try {
    if (card === null) localStorage.removeItem(key);
    else localStorage.setItem(key, String(card));
  } catch {
    return; // it is kept until the page is closed
  }
}

/** What became of a goal that one can no longer play for: `seat` has the card; null if nobody is known to. */
export interface LostGoal {
  card: number;
  seat: number | null;
}

/** The goal of the seat from which one looks. */
export class Goal {
  card = $state.raw<number | null>(null);
  readonly #table: string;
  #key: string | null = null;

  constructor(table: string) {
    this.#table = table;
  }

  /** Make a card the goal; the goal itself is one no more. */
  toggle(card: number): void {
    this.#set(this.card === card ? null : card);
  }

  /** Look at a position: a goal that is reached is dropped, and so is one that is lost, which is returned. */
  follow(position: Position): LostGoal | null {
    const { view } = position;
    const key = view.viewer === null ? null : keyOf(this.#table, view.viewer);
    if (key !== this.#key) {
      this.#key = key;
      this.card = key === null ? null : stored(key);
    }
    const card = this.card;
    if (card === null) return null;
    if (position.outcome !== null) {
      this.#set(null);
      return null;
    }
    if (position.prices.some((price) => price.card === card)) return null;
    this.#set(null);
    const holder = view.seats.find(
      (seat) => seat.cards.includes(card) || seat.reserved.some((reserved) => reserved.card === card),
    );
    return holder?.seat === view.viewer ? null : { card, seat: holder?.seat ?? null };
  }

  /** What the goal costs; null if there is none. */
  price(position: Position): Price | null {
    return position.prices.find((price) => price.card === this.card) ?? null;
  }

  /** How many tokens of a colour are missing for the goal. */
  missing(position: Position, token: string): number {
    return this.price(position)?.missing[token] ?? 0;
  }

  /** How many tokens are missing for the goal in all, after the wilds that the viewer has. */
  remaining(position: Position): number {
    const { view } = position;
    const wilds = view.seats[view.viewer ?? -1]?.tokens[CATALOGUES[view.game].wild] ?? 0;
    return Math.max(0, (this.price(position)?.wilds ?? 0) - wilds);
  }

  #set(card: number | null): void {
    this.card = card;
    if (this.#key !== null) keep(this.#key, card);
  }
}

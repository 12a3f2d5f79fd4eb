/** The decision under way: what has been chosen on this screen and not been sent yet. */

import type { LegalMove, Position } from "../generated/protocol";
import {
  canReturn,
  canTake,
  countOf,
  excess,
  moveAt,
  onlyMove,
  paymentMoves,
  paymentOf,
  takeOf,
  type Payment,
} from "./choices";
import type { TableState } from "./table.svelte";

/** A card that is looked at closely: a place of the market or of one's hand, or any card by its number. */
export type Opened = { place: string } | { card: number } | { deck: number } | { tile: number } | { seat: number };

export class Decision {
  chosen = $state.raw<readonly string[]>([]);
  opened = $state.raw<Opened | null>(null);
  readonly #table: TableState;

  constructor(table: TableState) {
    this.#table = table;
  }

  get #position(): Position | null {
    return this.#table.isDeciding ? this.#table.shown : null;
  }

  /** What is to be decided by us; null if nothing is. */
  get phase(): "act" | "pay" | "return" | "tile" | null {
    const phase = this.#position?.view.phase;
    return phase === "act" || phase === "pay" || phase === "return" || phase === "tile" ? phase : null;
  }

  get payment(): Payment | null {
    return this.#position === null ? null : paymentOf(this.#position, this.chosen);
  }

  /** How many tokens must be returned. */
  get excess(): number {
    const view = this.#position?.view;
    const seat = view?.seats[view.seat];
    return view?.phase === "return" && seat !== undefined ? excess(seat) : 0;
  }

  /** Whether the token is open to be chosen: from the supply, from one's own, or as paid by a wild. */
  canAdd(token: string): boolean {
    const position = this.#position;
    if (position === null) return false;
    if (this.phase === "return") return canReturn(position, this.chosen, token);
    if (this.phase === "pay") return this.payment?.colours.some((row) => row.token === token && row.canAdd) ?? false;
    return canTake(position.legal, this.chosen, token);
  }

  /** Choose one more of a token; one that can go no further is put back. */
  toggle(token: string): void {
    if (this.canAdd(token)) this.chosen = [...this.chosen, token];
    else this.chosen = this.chosen.filter((other) => other !== token);
  }

  /** Put one of the chosen tokens back. */
  remove(token: string): void {
    const index = this.chosen.lastIndexOf(token);
    if (index >= 0) this.chosen = this.chosen.filter((_, other) => other !== index);
  }

  count(token: string): number {
    return countOf(this.chosen, token);
  }

  /** The moves that what is chosen stands for; none while it is not complete. */
  get moves(): string[] {
    const position = this.#position;
    if (position === null) return [];
    if (this.phase === "pay") return paymentMoves(position, this.chosen);
    if (this.phase === "return") {
      if (this.chosen.length !== this.excess) return [];
      return this.chosen.flatMap(
        (token) => position.legal.find((move) => move.kind === "return" && move.tokens[0] === token)?.move ?? [],
      );
    }
    const take = takeOf(position.legal, this.chosen);
    return take === undefined ? [] : [take.move];
  }

  /** The move of a kind about a place, if it is legal now. */
  moveAt(kind: LegalMove["kind"], place: string): LegalMove | undefined {
    return this.#position === null ? undefined : moveAt(this.#position.legal, kind, place);
  }

  get pass(): LegalMove | undefined {
    return this.#position === null ? undefined : onlyMove(this.#position.legal, "pass");
  }

  /** Send what is chosen. */
  confirm(): void {
    this.send(...this.moves);
  }

  /** Send these moves. */
  send(...moves: string[]): void {
    if (moves.length === 0) return;
    this.clear();
    this.#table.play(...moves);
  }

  /** Choose nothing and look at nothing. */
  clear(): void {
    this.chosen = [];
    this.opened = null;
  }
}

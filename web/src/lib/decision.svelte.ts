/** The decision under way: what has been chosen on this screen and not been sent yet, and what is planned. */

import type { LegalMove, Position } from "../generated/protocol";
import {
  canReturn,
  canTake,
  canTakeAll,
  canTakeMore,
  countOf,
  excess,
  hasPayments,
  moveAt,
  onlyMove,
  paymentMoves,
  paymentOf,
  takeOf,
  type Payment,
} from "./choices";
import { Goal } from "./goal.svelte";
import { HeldMove, isFinal } from "./held_move.svelte";
import { t } from "./messages.svelte";
import { isPlannedCardGone, Plan, plannedMove, type Planned } from "./plan.svelte";
import { whyNotPlanned, whyNotReserve, whyNotTake, type Reason } from "./reasons";
import { settings } from "./settings.svelte";
import { cardName } from "./story";
import type { TableState } from "./table.svelte";

/** What is looked at closely: a place of the market or of one's hand, any card by its number, and so on. */
export type Opened =
  { place: string } | { card: number } | { deck: number } | { tile: number } | { seat: number } | { avengers: true };

export class Decision {
  chosen = $state.raw<readonly string[]>([]);
  /** Whether the next card or deck that is tapped is to be reserved. */
  isReserving = $state(false);
  /** Why what was touched cannot be chosen. */
  reason = $state.raw<Reason | null>(null);
  /** What became of a plan or a goal. */
  notes = $state.raw<readonly string[]>([]);
  readonly held = new HeldMove();
  readonly plan = new Plan();
  readonly goal: Goal;
  readonly #table: TableState;
  #opened = $state.raw<Opened | null>(null);
  #openedCard: number | null = null;
  /** From which seat one looks. */
  #viewer: number | null = null;
  /** Whose turn it was at the last position. */
  #mover: number | null = null;
  /** The place of the card that is to be paid with the fewest wilds, without a question. */
  #buying = $state<string | null>(null);
  /** Whether a whole purchase is taken back, and not its payment alone. */
  #isTakingBack = $state(false);
  /** The moment of the last undo for that: one that is refused is not asked for again. */
  #undoneAt = -1;

  /** `id` is the table's, for the goal that is kept for it; a replay has none. */
  constructor(table: TableState, id = "") {
    this.#table = table;
    this.goal = new Goal(id);
  }

  get opened(): Opened | null {
    return this.#opened;
  }

  set opened(opened: Opened | null) {
    this.reason = null;
    this.#opened = opened;
    this.#openedCard = opened !== null && "place" in opened ? this.cardAt(opened.place) : null;
  }

  /** The card at a place, even if the screen still shows the one before. */
  cardAt(place: string): number | null {
    return this.#table.cardAt(place);
  }

  get #position(): Position | null {
    return this.#table.isDeciding && this.held.move === null ? this.#table.shown : null;
  }

  /** What is to be decided by us; null if nothing is. */
  get phase(): "act" | "pay" | "return" | "tile" | null {
    const view = this.#position?.view;
    if (view === undefined) return null;
    if (view.phase === "pay" && (this.#isTakingBack || view.turn.buying === this.#buying)) return null;
    const { phase } = view;
    return phase === "act" || phase === "pay" || phase === "return" || phase === "tile" ? phase : null;
  }

  /** Whether others move, and one's own next move can be planned. */
  get isPlanning(): boolean {
    const { shown, you, isLive, info } = this.#table;
    return isLive && info?.status === "playing" && shown?.outcome === null && you !== null && shown.view.seat !== you;
  }

  get payment(): Payment | null {
    return this.phase === "pay" && this.#position !== null ? paymentOf(this.#position, this.chosen) : null;
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

  /** Choose one more of a token; one that can go no further is put back. What is complete is sent. */
  toggle(token: string): void {
    const position = this.#position;
    if (position === null) return;
    this.#touch();
    this.isReserving = false;
    if (this.canAdd(token)) {
      this.chosen = [...this.chosen, token];
      if (this.phase !== "pay" && settings.confirm === "off" && this.#isComplete(position)) this.confirm();
      return;
    }
    const isPutBack = this.chosen.length > 1 && this.count(token) > 0;
    if (this.phase === "act" && !isPutBack) this.reason = whyNotTake(position, this.chosen, token);
    this.chosen = this.chosen.filter((other) => other !== token);
  }

  #isComplete(position: Position): boolean {
    return this.moves.length > 0 && (this.phase === "return" || !canTakeMore(position.legal, this.chosen));
  }

  /** Put one of the chosen tokens back. */
  remove(token: string): void {
    this.#touch();
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

  /** Whether some card or deck can be reserved. */
  get canReserve(): boolean {
    return this.#position?.legal.some((move) => move.kind === "reserve") ?? false;
  }

  /** Whether the payment of the held purchase can be changed. */
  get canChangeHeld(): boolean {
    const { move } = this.held;
    const position = this.#table.shown;
    return move?.kind === "buy" && move.place !== null && position !== null && hasPayments(position, move.place);
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

  /** Make a move: at once, or after a moment in which it can be undone, where the server could not take it back. */
  make(move: LegalMove): void {
    this.clear();
    if (settings.confirm === "on" || !isFinal(this.#table, move)) this.#carryOut(move);
    else this.held.hold(move, () => this.#carryOut(move));
  }

  /** Send the held purchase now, and ask how to pay. */
  changeHeld(): void {
    this.held.release();
    this.#buying = null;
  }

  #carryOut(move: LegalMove): void {
    if (move.kind === "buy" && settings.confirm === "off") this.#buying = move.place;
    this.#table.play(move.move);
  }

  /** Begin to reserve, or no more. */
  toggleReserving(): void {
    const position = this.#position;
    this.#touch();
    this.chosen = [];
    if (this.isReserving || this.canReserve || this.isPlanning) this.isReserving = !this.isReserving;
    else if (position !== null) this.reason = whyNotReserve(position) ?? { text: t("error.illegal") };
  }

  /** Plan a move for one's turn. */
  planTo(planned: Planned): void {
    this.clear();
    this.plan.choose(planned);
  }

  /** Say why something cannot be chosen. */
  explain(reason: Reason): void {
    this.#touch();
    this.reason = reason;
  }

  /** Choose nothing and look at nothing. */
  clear(): void {
    this.#touch();
    this.chosen = [];
    this.isReserving = false;
    this.opened = null;
  }

  get #hasChoice(): boolean {
    return this.chosen.length > 0 || this.isReserving || this.held.move !== null;
  }

  /** Give up what is chosen or held back, or else what is planned; return false if nothing is. */
  cancel(): boolean {
    const hadChoice = this.#hasChoice;
    if (!hadChoice && this.plan.planned === null) return false;
    this.clear();
    this.held.cancel();
    if (!hadChoice) this.plan.cancel();
    return true;
  }

  /** Dismiss what is said, unless something is chosen, with which it goes; return false if nothing was dismissed. */
  dismiss(): boolean {
    if (this.#hasChoice || (this.reason === null && this.notes.length === 0)) return false;
    this.#touch();
    return true;
  }

  /** Something new was touched: what was said about the last thing is over. */
  #touch(): void {
    this.reason = null;
    this.notes = [];
  }

  /** The game went on, or one looks from another seat: what was chosen was meant for the position before. */
  follow(position: Position, nameOf: (seat: number) => string): void {
    const { game, phase, seat, viewer } = position.view;
    this.chosen = [];
    if (seat === viewer) this.isReserving = false; // it was to be planned, and a tap now makes a move
    this.reason = null;
    if (viewer !== this.#viewer) {
      this.clear();
      this.plan.cancel();
      this.#isTakingBack = false;
      this.#viewer = viewer;
    }
    if (this.#mover === viewer && seat !== viewer) this.notes = []; // they were for the turn that is over
    this.#mover = seat;
    if (phase !== "pay") this.#buying = null;
    const { opened } = this;
    if (opened !== null && "place" in opened && this.cardAt(opened.place) !== this.#openedCard) this.opened = null;
    if (this.held.move !== null) {
      this.held.cancel();
      this.#note(t("error.stale"));
    }
    const lost = this.goal.follow(position);
    if (lost !== null) {
      const card = cardName(game, lost.card);
      this.#note(lost.seat === null ? t("goal.gone", { card }) : t("goal.taken", { name: nameOf(lost.seat), card }));
    }
    const last = this.#table.events.at(-1);
    if (last?.type === "undone" && last.seat === viewer) this.plan.cancel(); // one takes back to decide anew
    const { planned } = this.plan;
    if (planned !== null && (position.outcome !== null || isPlannedCardGone(planned, position))) {
      this.plan.cancel();
      if (position.outcome === null && "card" in planned)
        this.#note(t("planned.gone", { card: cardName(game, planned.card) }));
    }
  }

  #note(note: string): void {
    this.notes = [...this.notes, note];
  }

  /** Take back a whole purchase: its payment with the undo that is sent now, and the rest with those that follow. */
  takeBackPurchase(): void {
    this.#isTakingBack = true;
  }

  /** It is ours to decide: go on with what was decided before, the payment of a purchase, its undo, or a plan. */
  proceed(undo: () => void): void {
    const position = this.#table.shown;
    if (!this.#table.isDeciding || position === null) return;
    if (this.#isTakingBack) {
      this.#isTakingBack = position.view.phase === "pay" && position.can_undo && position.seq !== this.#undoneAt;
      this.#undoneAt = position.seq;
      if (this.#isTakingBack) return undo();
    }
    if (this.#buying !== null) {
      const isDue = position.view.phase === "pay" && position.view.turn.buying === this.#buying;
      this.#buying = null;
      if (isDue) this.#table.play(...paymentMoves(position, []));
      return;
    }
    const { planned } = this.plan;
    if (planned === null || position.view.phase !== "act") return;
    this.plan.cancel();
    const move = plannedMove(planned, position);
    if (planned.kind === "take" && canTakeAll(position.legal, planned.tokens)) {
      this.chosen = planned.tokens;
      if (settings.confirm === "off" && this.#isComplete(position)) this.confirm();
    } else if (move === undefined || planned.kind === "take") {
      this.#note(t("planned.impossible"));
      this.reason = whyNotPlanned(position, planned);
    } else if (settings.confirm === "off") this.make(move);
    else this.opened = planned.kind === "draw" ? { deck: planned.level } : { place: move.place ?? "" };
  }
}

/** A game that is over, as a table that can be set to any of its moments. */

import type { Position, Replay, Step, TableInfo } from "../generated/protocol";
import { steady } from "./equal_parts";
import { lastTurns, turnsOf, type Turn } from "./story";
import { cardAt, NO_ANIMATIONS, seatName, type Animator, type TableState } from "./table.svelte";

/** A turn in the list of moves, with the first and the last moment at which it is shown. */
export interface ListedTurn extends Turn {
  from: number;
  to: number;
}

/** How long a moment stays when the game plays by itself, in milliseconds. */
export const BEAT = 600;

/** The moment that an address asks for: `#move=42` is after the 42nd decision. */
export function momentOf(hash: string): number | null {
  const found = /^#move=(\d{1,6})$/.exec(hash);
  return found === null ? null : Number(found[1]);
}

/** Whether an address asks for the analysis, as the one from a lost game does. */
export function asksForAnalysis(hash: string): boolean {
  return hash === "#analysis";
}

/** Moments are counted from 0, which is after the deal; moment n is after the n-th decision. */
export class PastTable implements TableState {
  readonly isLive = false;
  readonly ahead = 0;
  readonly isDeciding = false;
  info = $state.raw<TableInfo | null>(null);
  replay: Replay = $state.raw() as Replay;
  /** The moment one has chosen; what is shown may still be on its way there. */
  moment = $state(0);
  #shown = $state(0);
  isPlaying = $state(false);

  readonly last = $derived(this.replay.steps.length);
  readonly allTurns = $derived(listTurns(this.replay.steps));
  readonly shown: Position = $derived.by(steady(() => this.#positionAt(this.#shown)));
  readonly events = $derived(this.replay.steps.slice(0, this.#shown));
  readonly turns = $derived(turnsOf(this.events));
  readonly marks = $derived.by(steady(() => lastTurns(this.turns, this.shown.view.players)));
  /** Whose board lies below: the seat through whose eyes one looks, or else one's own. */
  readonly you = $derived(this.shown.view.viewer ?? this.info?.seats.find((seat) => seat.is_yours)?.seat ?? null);
  /** The step that led to the moment; null after the deal. */
  readonly step: Step | null = $derived(this.replay.steps[this.moment - 1] ?? null);
  /** The turn of that step. */
  readonly turn: ListedTurn | null = $derived(this.turnAt(this.moment));

  #journey = 0;
  readonly #animator: Animator;

  constructor(replay: Replay, info: TableInfo | null, animator: Animator = NO_ANIMATIONS) {
    this.replay = replay;
    this.info = info;
    this.#animator = animator;
  }

  #positionAt(moment: number): Position {
    const position = this.replay.positions[moment];
    if (position === undefined) throw new Error(`expected a moment from 0 to ${this.last}, got ${moment}`);
    return position;
  }

  /** The turn that is shown at a moment. */
  turnAt(moment: number): ListedTurn | null {
    return this.allTurns.find((turn) => turn.from <= moment && moment <= turn.to) ?? null;
  }

  nameOf(seat: number): string {
    return seatName(seat, this.shown.view, this.info);
  }

  cardAt(place: string): number | null {
    return cardAt(this.shown.view, place);
  }

  /** Nothing can be played any more. */
  play(): void {
    return;
  }

  /** Go to a moment at once; one before the deal or after the end is the deal or the end. */
  go(moment: number): void {
    this.#journey += 1;
    this.#animator.finish();
    this.moment = Math.max(0, Math.min(this.last, moment));
    this.#shown = this.moment;
  }

  /** Go to the next moment, and let things move there. */
  async forward(): Promise<void> {
    const from = this.moment;
    const event = this.replay.steps[from];
    this.go(from);
    if (event === undefined) return;
    const journey = this.#journey;
    this.moment = from + 1;
    const apply = (): void => {
      if (journey === this.#journey) this.#shown = from + 1;
    };
    await this.#animator.animate({ event, position: this.#positionAt(from + 1) }, this.#positionAt(from), apply);
    apply();
  }

  back(): void {
    this.go(this.moment - 1);
  }

  /** To the end of the next turn, or with -1 of the one before. */
  byTurn(direction: 1 | -1): void {
    const ends = [0, ...this.allTurns.map((turn) => turn.to)];
    const next = direction === 1 ? ends.find((end) => end > this.moment) : ends.findLast((end) => end < this.moment);
    if (next !== undefined) this.go(next);
  }

  /** Let the game play by itself, from the beginning if it stands at its end. */
  async run(): Promise<void> {
    if (this.isPlaying) return;
    this.isPlaying = true;
    if (this.moment === this.last) this.go(0);
    while (this.isPlaying && this.moment < this.last) {
      await this.forward();
      await new Promise((resolve) => setTimeout(resolve, BEAT));
    }
    this.isPlaying = false;
  }

  stop(): void {
    this.isPlaying = false;
  }

  /** The same game as somebody else saw it, at the same moment. */
  lookAs(replay: Replay): void {
    this.#journey += 1;
    this.#animator.finish();
    this.replay = replay;
    this.#shown = this.moment;
  }
}

function listTurns(steps: readonly Step[]): ListedTurn[] {
  let to = 0;
  return turnsOf(steps).map((turn) => {
    const from = to + 1;
    to += turn.steps.length;
    return { ...turn, from, to };
  });
}

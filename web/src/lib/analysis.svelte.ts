/** What a bot thinks of a game that is over: fetched as it comes, and looked up by moment. */

import type { Analysis, ErrorInfo, Judgement } from "../generated/protocol";
import { RefusedCall } from "./api";

/** A move that gives away so much of the victory is marked. */
export const MISTAKE = 0.1;
/** Less than this is not worth a word. */
const NOTHING = 0.005;
/** How long one waits who asked too fast, or while the bot looks at other games. */
const PAUSE = 2_000;

/** A point of a curve: a moment of the game, and a chance to win. */
export interface Point {
  moment: number;
  chance: number;
}

export class Study {
  analysis = $state.raw<Analysis | null>(null);
  refusal = $state.raw<ErrorInfo | null>(null);
  isRunning = $state(false);
  /** Whether the bot looks at other games, of the same address or of as many as it may, before it comes to this one. */
  isHeldUp = $state(false);

  /** Whether the bot was asked. */
  readonly isBegun = $derived(this.isRunning || this.analysis !== null || this.refusal !== null);
  readonly judgements: readonly Judgement[] = $derived(this.analysis?.judgements ?? []);
  readonly isComplete = $derived(this.analysis?.is_complete ?? false);
  readonly mistakes: readonly Judgement[] = $derived(this.judgements.filter(({ loss }) => loss >= MISTAKE));

  readonly #fetch: () => Promise<Analysis>;

  constructor(fetch: () => Promise<Analysis>) {
    this.#fetch = fetch;
  }

  /** Ask until the bot has come to the end. */
  async begin(): Promise<void> {
    if (this.isRunning || this.isComplete) return;
    this.isRunning = true;
    this.refusal = null;
    try {
      while (this.isRunning && !this.isComplete) await this.#ask();
    } catch (error) {
      if (!(error instanceof RefusedCall)) throw error;
      this.refusal = error.info;
    } finally {
      this.isRunning = false;
      this.isHeldUp = false;
    }
  }

  /** Hear what is known by now, or wait if the server is not ready for it. */
  async #ask(): Promise<void> {
    try {
      this.analysis = await this.#fetch();
      this.isHeldUp = false;
    } catch (error) {
      if (!(error instanceof RefusedCall && ["limit_reached", "too_fast", "busy"].includes(error.info.code)))
        throw error;
      this.isHeldUp = this.analysis === null;
      await new Promise((resolve) => setTimeout(resolve, PAUSE));
    }
  }

  stop(): void {
    this.isRunning = false;
  }

  /** What the bot thinks of the decision that led to a moment; null for a payment, or where there was nothing to choose. */
  at(moment: number): Judgement | null {
    return this.judgements.find(({ seq }) => seq === moment) ?? null;
  }

  /** Whether the decision that led to a moment has been looked at, or passed over. */
  hasReached(moment: number): boolean {
    return this.isComplete || moment <= (this.judgements.at(-1)?.seq ?? 0);
  }

  /** A seat's chances to win, each before a decision; at the end what came of them, by the shares of the victory. */
  curve(seat: number, last: number, shares: readonly number[] | null): Point[] {
    const points = this.judgements.map(({ seq, win_probabilities: chances }) => ({
      moment: seq - 1,
      chance: chances[seat] ?? 0,
    }));
    if (this.isComplete && shares !== null) points.push({ moment: last, chance: shares[seat] ?? 0 });
    return points;
  }

  /** What a seat gave away, a decision on average. */
  averageLoss(seat: number): number | null {
    const losses = this.judgements.filter((judgement) => judgement.seat === seat).map(({ loss }) => loss);
    return losses.length === 0 ? null : losses.reduce((sum, loss) => sum + loss, 0) / losses.length;
  }

  /** The moment of the nearest mistake after this one, or with -1 before it. */
  mistakeFrom(moment: number, direction: 1 | -1): number | null {
    const found =
      direction === 1
        ? this.mistakes.find(({ seq }) => seq > moment)
        : this.mistakes.findLast(({ seq }) => seq < moment);
    return found?.seq ?? null;
  }
}

/** The mistake that cost most. */
export function worstOf(mistakes: readonly Judgement[]): Judgement | null {
  return mistakes.reduce<Judgement | null>((worst, each) => (each.loss > (worst?.loss ?? 0) ? each : worst), null);
}

/** The chance of a curve at a moment: that of its last point until then. */
export function chanceAt(curve: readonly Point[], moment: number): number | null {
  return (curve.findLast((point) => point.moment <= moment) ?? curve[0])?.chance ?? null;
}

/** Whether a loss is worth a word. */
export function isLoss(loss: number): boolean {
  return loss >= NOTHING;
}

/** Each seat's share of a victory. */
export function sharesOf(winners: readonly number[], players: number): number[] {
  return Array.from({ length: players }, (_, seat) => (winners.includes(seat) ? 1 / winners.length : 0));
}

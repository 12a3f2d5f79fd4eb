/** A move that is held back for a moment, in which it can be undone: one that the server could not take back. */

import type { LegalMove } from "../generated/protocol";
import type { TableState } from "./table.svelte";

/** How long a move is held back, in milliseconds. */
export const HOLD = 2_000;
/** With less time than this on a clock, in milliseconds, none is. */
const SHORT_TIME = 10_000;

/** Whether the move turns up a card before other people, and there is time for second thoughts. */
export function isFinal({ info, you, shown, ahead }: TableState, { kind, place }: LegalMove): boolean {
  const turnsUp = (kind === "buy" || kind === "reserve") && place !== null && !place.startsWith("h");
  const hasCompany = info?.seats.some(({ seat, kind, has_left }) => seat !== you && kind === "person" && !has_left);
  const deadline = shown?.clock?.deadline;
  const left = deadline ? Date.parse(deadline) - Date.now() - ahead : Infinity;
  return turnsUp && hasCompany === true && left >= SHORT_TIME;
}

/** Holds one move. Who leaves or hides the page has decided: then it is sent at once. */
export class HeldMove {
  move = $state.raw<LegalMove | null>(null);
  #send: () => void = () => undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** Hold a move back, and send it after a moment unless it is cancelled. */
  hold(move: LegalMove, send: () => void): void {
    this.cancel();
    this.move = move;
    this.#send = send;
    this.#timer = setTimeout(this.release, HOLD);
    window.addEventListener("pagehide", this.release);
    document.addEventListener("visibilitychange", this.#hidden);
    if (document.hidden) this.release();
  }

  /** Send the held move now; nothing happens if there is none. */
  readonly release = (): void => {
    if (this.move === null) return;
    const send = this.#send;
    this.cancel();
    send();
  };

  /** Hold nothing any more, and send nothing. */
  cancel(): void {
    clearTimeout(this.#timer);
    window.removeEventListener("pagehide", this.release);
    document.removeEventListener("visibilitychange", this.#hidden);
    this.move = null;
    this.#send = () => undefined;
  }

  readonly #hidden = (): void => {
    if (document.hidden) this.release();
  };
}

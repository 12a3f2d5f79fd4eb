/** A move that is held back for a moment, in which it can be undone: one that the server could not take back. */

import type { LegalMove } from "../generated/protocol";

/** How long a move is held back, in milliseconds. */
export const HOLD = 2_000;

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

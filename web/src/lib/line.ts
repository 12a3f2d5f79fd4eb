/** The line to a table: a socket that comes back by itself. */

import type { ClientMessage, ServerMessage } from "../generated/protocol";

/** `waiting` is between two attempts; `closed` is for good. */
export type LineState = "connecting" | "open" | "waiting" | "closed";

/** What a line needs of a WebSocket. */
export interface Socket {
  onopen: (() => void) | null;
  onmessage: ((event: { data: unknown }) => void) | null;
  onclose: ((event: { code: number }) => void) | null;
  send(data: string): void;
  close(): void;
}

export interface LineOptions {
  /** The address, which says how much the client already has. */
  address: () => string;
  receive: (message: ServerMessage) => void;
  changed: (state: LineState) => void;
  connect?: (address: string) => Socket;
  random?: () => number;
}

const FIRST_DELAY = 500;
const LONGEST_DELAY = 15_000;
const PING_EVERY = 20_000;
const PATIENCE = 10_000;
/** Codes of closing after which it would be useless to try again: there is no such table. */
const FINAL_CODES = new Set([4404]);

/** A WebSocket of the browser. */
function browserSocket(address: string): Socket {
  const inner = new WebSocket(address);
  const socket: Socket = {
    onopen: null,
    onmessage: null,
    onclose: null,
    send: (data) => inner.send(data),
    close: () => inner.close(),
  };
  inner.onopen = () => socket.onopen?.();
  inner.onmessage = (event) => socket.onmessage?.(event);
  inner.onclose = (event) => socket.onclose?.(event);
  return socket;
}

/** The delay before the attempt number `attempt` (from 0): doubling, with jitter so that not all come at once. */
export function delayBefore(attempt: number, random: number): number {
  const longest = Math.min(LONGEST_DELAY, FIRST_DELAY * 2 ** attempt);
  return longest * (0.5 + random / 2);
}

/** A socket that is opened again whenever it breaks, and asked for a sign of life when it is quiet. */
export class Line {
  #socket: Socket | null = null;
  #attempt = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #state: LineState = "closed";
  readonly #options: LineOptions;

  constructor(options: LineOptions) {
    this.#options = options;
  }

  /** Connect, now; also in the place of an attempt that waits for its time. */
  open(): void {
    clearTimeout(this.#timer);
    this.#drop();
    this.#enter("connecting");
    const socket = (this.#options.connect ?? browserSocket)(this.#options.address());
    this.#socket = socket;
    this.#expect(() => this.#lost(0));
    socket.onopen = () => {
      this.#enter("open");
      this.#listen();
    };
    socket.onmessage = (event) => {
      this.#attempt = 0;
      this.#listen();
      this.#options.receive(JSON.parse(String(event.data)) as ServerMessage);
    };
    socket.onclose = (event) => this.#lost(event.code);
  }

  /** Whether the message could be handed to an open socket. */
  send(message: ClientMessage): boolean {
    if (this.#state !== "open" || this.#socket === null) return false;
    this.#socket.send(JSON.stringify(message));
    return true;
  }

  /** Try at once if an attempt waits for its time: the network is back, or the page is looked at again. */
  hurry(): void {
    if (this.#state === "waiting") this.open();
    else if (this.#state === "open") this.#ping();
  }

  /** Close for good. */
  close(): void {
    clearTimeout(this.#timer);
    this.#drop();
    this.#enter("closed");
  }

  #enter(state: LineState): void {
    if (state === this.#state) return;
    this.#state = state;
    this.#options.changed(state);
  }

  #expect(missed: () => void): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(missed, PATIENCE);
  }

  #listen(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#ping(), PING_EVERY);
  }

  #ping(): void {
    this.send({ type: "ping" });
    this.#expect(() => this.#lost(0));
  }

  #drop(): void {
    const socket = this.#socket;
    this.#socket = null;
    if (socket === null) return;
    socket.onopen = socket.onmessage = socket.onclose = null;
    socket.close();
  }

  #lost(code: number): void {
    clearTimeout(this.#timer);
    this.#drop();
    if (FINAL_CODES.has(code)) {
      this.#enter("closed");
      return;
    }
    this.#enter("waiting");
    const delay = delayBefore(this.#attempt, (this.#options.random ?? Math.random)());
    this.#attempt += 1;
    this.#timer = setTimeout(() => this.open(), delay);
  }
}

/** The connection to a table: a WebSocket that reconnects by itself. */

import type { ClientMessage, ServerMessage } from "../generated/protocol";

/** `waiting` is between two attempts to connect; `closed` is final. */
export type ConnectionState = "connecting" | "open" | "waiting" | "closed";

/** The part of a WebSocket that a connection uses. */
export interface Socket {
  onopen: (() => void) | null;
  onmessage: ((event: { data: unknown }) => void) | null;
  onclose: ((event: { code: number }) => void) | null;
  send(data: string): void;
  close(): void;
}

export interface ConnectionOptions {
  /** The address; it says how much of the log the client already has. */
  address: () => string;
  onMessage: (message: ServerMessage) => void;
  /** `code` is the close code if the server closed the connection for good. */
  onStateChange: (state: ConnectionState, code?: number) => void;
  connect?: (address: string) => Socket;
  random?: () => number;
}

const FIRST_DELAY = 500;
const RESTART_DELAY = 200;
const LONGEST_DELAY = 15_000;
const PING_EVERY = 20_000;
const TIMEOUT = 10_000;
/** Close codes after which a retry is useless: there is no such table, or the server has banned the guest. */
const NO_TABLE = 4404;
export const BANNED = 4410;
const FINAL_CODES = new Set([NO_TABLE, BANNED]);
/** The server stops, and is soon back; behind a proxy, another process is there already. Until then it says so again. */
const RESTARTING = 1012;

/** The browser's WebSocket. */
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

/** The delay before an attempt, counted from 0. It doubles each time, with jitter, so that clients do not retry all at once. */
export function delayBefore(attempt: number, random: number): number {
  const longest = Math.min(LONGEST_DELAY, FIRST_DELAY * 2 ** attempt);
  return longest * (0.5 + random / 2);
}

/** A socket that reconnects when it breaks, and pings the server when it is quiet. */
export class Connection {
  #socket: Socket | null = null;
  #attempt = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #state: ConnectionState = "closed";
  readonly #options: ConnectionOptions;

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  /** Connect now, even if another attempt is scheduled. */
  open(): void {
    clearTimeout(this.#timer);
    this.#drop();
    this.#setState("connecting");
    const socket = (this.#options.connect ?? browserSocket)(this.#options.address());
    this.#socket = socket;
    this.#startTimeout(() => this.#reconnect(0));
    socket.onopen = () => {
      this.#setState("open");
      this.#schedulePing();
    };
    socket.onmessage = (event) => {
      this.#attempt = 0;
      this.#schedulePing();
      this.#options.onMessage(JSON.parse(String(event.data)) as ServerMessage);
    };
    socket.onclose = (event) => this.#reconnect(event.code);
  }

  /** Send a message; false if the socket is not open. */
  send(message: ClientMessage): boolean {
    if (this.#state !== "open" || this.#socket === null) return false;
    this.#socket.send(JSON.stringify(message));
    return true;
  }

  /** Connect now if an attempt is scheduled, or check an open connection: the network is back, or the page is visible again. */
  retryNow(): void {
    if (this.#state === "waiting") this.open();
    else if (this.#state === "open") this.#ping();
  }

  /** Close, and do not reconnect. */
  close(): void {
    clearTimeout(this.#timer);
    this.#drop();
    this.#setState("closed");
  }

  #setState(state: ConnectionState, code?: number): void {
    if (state === this.#state) return;
    this.#state = state;
    this.#options.onStateChange(state, code);
  }

  #startTimeout(onTimeout: () => void): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(onTimeout, TIMEOUT);
  }

  #schedulePing(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#ping(), PING_EVERY);
  }

  #ping(): void {
    this.send({ type: "ping" });
    this.#startTimeout(() => this.#reconnect(0));
  }

  #drop(): void {
    const socket = this.#socket;
    this.#socket = null;
    if (socket === null) return;
    socket.onopen = socket.onmessage = socket.onclose = null;
    socket.close();
  }

  #reconnect(code: number): void {
    clearTimeout(this.#timer);
    this.#drop();
    if (FINAL_CODES.has(code)) {
      this.#setState("closed", code);
      return;
    }
    this.#setState("waiting");
    const random = (this.#options.random ?? Math.random)();
    const isRestarting = code === RESTARTING && this.#attempt === 0;
    const delay = isRestarting ? random * RESTART_DELAY : delayBefore(this.#attempt, random);
    this.#attempt += 1;
    this.#timer = setTimeout(() => this.open(), delay);
  }
}

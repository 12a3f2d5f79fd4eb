/** A socket without a network, for the tests. */

import type { ServerMessage } from "../generated/protocol";
import type { Socket } from "../lib/connection";

export class FakeSocket implements Socket {
  onopen: (() => void) | null = null;
  onmessage: ((event: { data: unknown }) => void) | null = null;
  onclose: ((event: { code: number }) => void) | null = null;
  readonly sent: unknown[] = [];
  isClosed = false;

  constructor(readonly address: string) {}

  send(data: string): void {
    this.sent.push(JSON.parse(data));
  }

  close(): void {
    this.isClosed = true;
  }

  /** Let the server send a message. */
  say(message: ServerMessage): void {
    this.onmessage?.({ data: JSON.stringify(message) });
  }
}

/** A network that remembers every socket that was opened. */
export class FakeNetwork {
  readonly sockets: FakeSocket[] = [];
  readonly connect = (address: string): FakeSocket => {
    const socket = new FakeSocket(address);
    this.sockets.push(socket);
    return socket;
  };

  get last(): FakeSocket {
    const socket = this.sockets.at(-1);
    if (socket === undefined) throw new Error("expected a socket to have been opened, found none");
    return socket;
  }
}

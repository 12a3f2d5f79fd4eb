/** One table as this browser knows it: what the server said, shown step after step. */

import { untrack } from "svelte";

import type {
  ErrorInfo,
  Play,
  Position,
  Said,
  ServerMessage,
  Sync,
  TableInfo,
  TableView,
  Undo,
} from "../generated/protocol";
import { socketAddress } from "./api";
import { BANNED, Connection, type ConnectionState, type Socket } from "./connection";
import { isNickname, nameOf } from "./names";
import { settings } from "./settings.svelte";
import { keepEqual, steady } from "./equal_parts";
import { lastTurns, turnsOf, type GameEvent } from "./story";

/** An event, with where the game stood after it. */
export interface Scene {
  event: GameEvent;
  position: Position;
}

/** Animates scenes: moves things on the screen, and calls `apply` when the table should change. */
export interface Animator {
  animate(scene: Scene, before: Position, apply: () => void): Promise<void>;
  /** End the running animation at once. */
  finish(): void;
}

/** Something that was said, by its number. */
export interface Saying extends Pick<Said, "seat" | "phrase"> {
  id: number;
}

const SAYING_LASTS = 5_000;

export const NO_ANIMATIONS: Animator = {
  animate: async (_scene, _before, apply) => apply(),
  finish: () => undefined,
};

/** What a seat of a game is called; as the record has it, where it is not known who sat there. */
export function seatName(seat: number, view: TableView | undefined, info: TableInfo | null): string {
  const sitter = info?.seats[seat];
  return sitter === undefined ? (view?.seats[seat]?.name ?? "") : nameOf(sitter);
}

/** Whether a seat is called by what somebody typed, or is written so in a record. */
export function hasNickname(seat: number, info: TableInfo | null): boolean {
  const sitter = info?.seats[seat];
  return sitter === undefined || isNickname(sitter);
}

/** The card at a place of the market or of the viewer's own hand. */
export function cardAt(view: TableView, place: string): number | null {
  if (place.startsWith("h")) return view.seats[view.viewer ?? -1]?.reserved[Number(place.slice(1)) - 1]?.card ?? null;
  const [level, number] = place.split(".").map(Number);
  return view.market[(level ?? 0) - 1]?.[(number ?? 0) - 1] ?? null;
}

export interface TableOptions {
  id: string;
  /** Which of one's seats to look as; null is as the server decides. */
  seat?: number | null;
  connect?: (address: string) => Socket;
  animator?: Animator;
  /** Told of each event as it is shown. */
  onEvent?: (event: GameEvent, position: Position) => void;
}

/** The state of a table: `shown` is what the screen shows, which may be a few scenes behind the server. */
export class Table {
  readonly id: string;
  /** Whether the game goes on, for all this table knows; a replay is not live. */
  readonly isLive: boolean = true;
  info = $state.raw<TableInfo | null>(null);
  shown = $state.raw<Position | null>(null);
  events = $state.raw<GameEvent[]>([]);
  connection = $state<ConnectionState>("connecting");
  /** Whether the server lets this guest no longer in. */
  isBanned = $state(false);
  refusal = $state.raw<ErrorInfo | null>(null);
  /** What was said just now, the last of each seat. */
  sayings = $state.raw<readonly Saying[]>([]);
  /** By how many milliseconds the server's clock is ahead of this device's. */
  ahead = $state(0);
  /** How many scenes wait to be shown. */
  waiting = $state(0);
  /** Whether a message of ours has not been answered yet. */
  isSending = $state(false);
  animator: Animator;
  #latest = $state.raw<Position | null>(null);
  #received = $state.raw<readonly GameEvent[]>([]);

  readonly turns = $derived(turnsOf(this.events));
  readonly marks = $derived.by(steady(() => lastTurns(this.turns, this.shown?.view.players ?? 0)));
  /** The seat that this browser plays; null for one who watches. */
  readonly you = $derived(this.shown?.view.viewer ?? null);
  /** Whether it is ours to decide, and everything up to now has been shown. */
  readonly isDeciding = $derived(
    this.shown !== null &&
      this.shown.legal.length > 0 &&
      this.waiting === 0 &&
      !this.isSending &&
      this.connection === "open",
  );
  /** Whether our last decision can be taken back: as the server knows it, though the screen may still show it. */
  readonly canUndo = $derived(this.#latest?.can_undo === true && !this.isSending && this.connection === "open");

  /** What an undo would take back: the last step of our last turn, as the server knows it. */
  readonly lastOwnStep = $derived(
    turnsOf(this.#received)
      .findLast((turn) => turn.seat === this.you)
      ?.steps.at(-1),
  );

  /** Whether that would make the game practice, which does not count. */
  readonly undoMakesPractice = $derived(this.#latest?.undo_makes_practice === true);

  readonly #connection: Connection;
  readonly #onEvent: (event: GameEvent, position: Position) => void;
  #queue: Scene[] = [];
  #isPerforming = false;
  #outbox: string[] = [];
  #request: Play | Undo | null = null;
  /** Whether the last undo was overtaken by a bot's move and is sent for the second time. */
  #isUndoRepeated = false;
  /** Whether it was known to make the game practice when it was asked for. */
  #mayUndoMakePractice = false;
  #requests = 0;

  constructor(options: TableOptions) {
    this.id = options.id;
    this.animator = options.animator ?? NO_ANIMATIONS;
    this.#onEvent = options.onEvent ?? (() => undefined);
    this.#connection = new Connection({
      address: () => socketAddress(options.id, this.#latest?.seq ?? 0, options.seat),
      onMessage: (message) => this.receive(message),
      onStateChange: (state, code) => {
        this.connection = state;
        this.isBanned = code === BANNED;
      },
      ...(options.connect === undefined ? {} : { connect: options.connect }),
    });
  }

  open(): void {
    untrack(() => this.#connection.open()); // otherwise an effect that connects would run again at every move
  }

  /** Connect again, as whoever the user is now. */
  reopen(): void {
    this.#connection.open();
  }

  close(): void {
    this.#connection.close();
    this.skip();
  }

  /** Reconnect now if the connection is down. */
  retryNow(): void {
    this.#connection.retryNow();
  }

  /** Play these moves, one after the other; the rest is dropped when one is refused. */
  play(...moves: string[]): void {
    if (this.isSending) return;
    this.refusal = null;
    this.#outbox = moves;
    this.#sendNext();
  }

  /** Take back one's last decision. */
  undo(): void {
    if (this.isSending) return;
    this.refusal = null;
    this.#isUndoRepeated = false;
    this.#mayUndoMakePractice = this.undoMakesPractice;
    this.#sendUndo();
  }

  /** Say something to everybody at the table. */
  say(phrase: Said["phrase"]): void {
    this.#connection.send({ type: "say", phrase, id: this.#reference() });
  }

  /** Show everything that waits at once. */
  skip(): void {
    this.#queue = [];
    if (this.#latest !== null) this.#show(this.#latest);
    this.animator.finish();
  }

  /** What a seat is called. */
  nameOf(seat: number): string {
    return seatName(seat, this.shown?.view, this.info);
  }

  /** The card at a place of the market or of one's own hand, as shown. */
  cardAt(place: string): number | null {
    return this.shown === null ? null : cardAt(this.shown.view, place);
  }

  /** Take in a message of the server. */
  receive(message: ServerMessage): void {
    switch (message.type) {
      case "sync":
        this.ahead = Date.parse(message.now) - Date.now();
        this.#catchUp(message);
        break;
      case "moved":
        this.ahead = Date.parse(message.now) - Date.now();
        this.#takeIn({ event: message.event, position: message.position });
        break;
      case "table":
        this.info = message.table;
        break;
      case "refused":
        this.#refused(message.id, message.error);
        break;
      case "said":
        this.#hear(message);
        break;
      case "pong":
        break;
    }
  }

  #hear({ seat, phrase }: Said): void {
    if (settings.words === "off" && seat !== this.you) return;
    this.#requests += 1;
    const saying = { id: this.#requests, seat, phrase };
    this.sayings = [...this.sayings.filter((other) => other.seat !== seat), saying];
    setTimeout(() => (this.sayings = this.sayings.filter((other) => other !== saying)), SAYING_LASTS);
  }

  #takeIn(scene: Scene): void {
    const known = this.#latest?.seq ?? 0;
    if (scene.position.seq <= known) return;
    if (scene.position.seq > known + 1) {
      this.#connection.send({ type: "catch_up", since: known });
      return;
    }
    this.#received = [...this.#received, scene.event];
    this.#latest = scene.position;
    this.#queue.push(scene);
    this.waiting += 1;
    void this.#perform();
    this.#answered();
  }

  /** After a gap there is only the last position: the scenes between are told, not shown. */
  #catchUp(sync: Sync): void {
    this.info = sync.table;
    const known = this.#latest?.seq ?? 0;
    if (this.#latest !== null && sync.position.seq <= known) {
      // Nothing was decided, but seats may have changed hands: then one may see more, or less.
      if (sync.position.seq === known) this.#latest = sync.position;
      if (sync.position.seq === this.shown?.seq) this.shown = keepEqual(this.shown, sync.position);
      this.#resend();
      return;
    }
    this.#received = [...this.#received, ...sync.events.filter((event) => event.seq > known)];
    this.#latest = sync.position;
    this.skip();
    this.#answered();
  }

  async #perform(): Promise<void> {
    if (this.#isPerforming) return;
    this.#isPerforming = true;
    for (let scene = this.#queue.shift(); scene !== undefined; scene = this.#queue.shift()) {
      const { position } = scene;
      const apply = (): void => this.#show(position);
      if (this.shown !== null) await this.animator.animate(scene, this.shown, apply);
      apply();
      this.waiting = this.#queue.length;
    }
    this.#isPerforming = false;
    this.waiting = 0;
  }

  /** Let the screen stand where the game stands here, and tell of what came since; never backwards. */
  #show(position: Position): void {
    const shown = this.shown;
    if (shown !== null && position.seq <= shown.seq) return;
    this.events = this.#received.filter((event) => event.seq <= position.seq);
    this.shown = keepEqual(shown, position);
    if (shown === null) return; // what one finds at the table is not news
    for (const event of this.events) if (event.seq > shown.seq) this.#onEvent(event, position);
  }

  #reference(): string {
    this.#requests += 1;
    return String(this.#requests);
  }

  #sendNext(): void {
    const move = this.#outbox.shift();
    if (move === undefined || this.#latest === null) return;
    this.#send({ type: "play", seq: this.#latest.seq, move, id: this.#reference() });
  }

  #sendUndo(): void {
    if (this.#latest === null) return;
    this.#send({ type: "undo", seq: this.#latest.seq, id: this.#reference() });
  }

  #send(request: Play | Undo): void {
    this.#request = request;
    this.isSending = true;
    this.#connection.send(request); // if the connection is down, it is sent after the reconnect
  }

  /** After a reconnect: send the unanswered request again, unchanged. */
  #resend(): void {
    if (this.#request !== null) this.#connection.send(this.#request);
  }

  /** The log has grown: if it was by our request, that is done. */
  #answered(): void {
    const request = this.#request;
    const latest = this.#latest;
    if (request === null || latest === null || latest.seq <= request.seq) return;
    const isOurs = this.#wasOurs(request);
    const isOvertaken = !isOurs && request.type === "undo" && this.#meansTheSameUndo(request.seq, latest);
    this.#request = null;
    this.isSending = false;
    if (isOvertaken && !this.#isUndoRepeated) {
      this.#isUndoRepeated = true;
      this.#sendUndo();
    } else if (!isOurs) {
      this.#outbox = [];
      this.refusal = { code: "stale", message: "" };
    } else if (this.#outbox.length > 0) {
      this.#sendNext();
    }
  }

  #wasOurs(request: Play | Undo): boolean {
    const entry = this.#received.find((event) => event.seq === request.seq + 1);
    if (entry === undefined) throw new Error(`expected entry ${request.seq + 1} of the log to be known, found none`);
    if (entry.seat !== this.#latest?.view.viewer) return false;
    if (entry.type === "step") return request.type === "play" && entry.move === request.move;
    return entry.type === "undone" && request.type === "undo";
  }

  /**
   * Whether an undo would still take back the same decision of ours, and now also what others did since. If it makes
   * the game practice only since then, that is for the player to decide.
   */
  #meansTheSameUndo(since: number, latest: Position): boolean {
    const later = this.#received.filter((event) => event.seq > since);
    if (!latest.can_undo || (latest.undo_makes_practice && !this.#mayUndoMakePractice)) return false;
    return later.every(({ type, seat }) => type === "step" && seat !== latest.view.viewer);
  }

  #refused(id: string, error: ErrorInfo): void {
    if (this.#request !== null && this.#request.id !== id) return;
    this.#request = null;
    this.#outbox = [];
    this.isSending = false;
    this.refusal = error;
    if (error.code === "stale" && this.#latest !== null) {
      this.#connection.send({ type: "catch_up", since: this.#latest.seq });
    }
  }
}

/** What the parts of a screen need of a table, be it a live one or one of a replay. */
export type TableState = Pick<
  Table,
  | "isLive"
  | "info"
  | "ahead"
  | "shown"
  | "events"
  | "turns"
  | "marks"
  | "you"
  | "isDeciding"
  | "nameOf"
  | "cardAt"
  | "play"
>;

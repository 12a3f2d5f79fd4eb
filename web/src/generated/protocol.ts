// Written by tools/page_types.py; do not edit.

/** A card in a hand; `card` is null where the viewer may not know it. */
export interface ReservedCard {
  level: number;
  card: number | null;
  blind: boolean;
}

/** One seat's side of the table; cards and tiles by their numbers in the catalogue. */
export interface SeatView {
  seat: number;
  name: string;
  points: number;
  tokens: Record<string, number>;
  bonuses: Record<string, number>;
  cards: number[];
  reserved: ReservedCard[];
  tiles: number[];
  tags: number;
  avengers_tile: boolean;
  qualifies: boolean;
}

/** A noble or location in its place; `owner` is null while it lies on the table. */
export interface TilePlace {
  place: number;
  tile: number;
  owner: number | null;
}

/** What has begun in the turn and is not finished. */
export interface TurnView {
  buying: string | null;
  wilds: Record<string, number>;
  pending: string | null;
  is_wild_due: boolean;
  passes: number;
  idle_turns: number;
}

/** Everything a viewer may know about the game: `cabochon.View.to_dict`, typed. */
export interface TableView {
  game: "splendor" | "marvel";
  players: number;
  viewer: number | null;
  seat: number;
  round: number;
  phase: "act" | "pay" | "reveal" | "return" | "tile" | "over";
  free_take: boolean;
  payment: "choice" | "automatic";
  turn: TurnView;
  ending: string;
  market: ((number | null)[])[];
  decks: number[];
  supply: Record<string, number>;
  tiles: TilePlace[];
  seats: SeatView[];
  legal_moves: string[];
  commitment: string | null;
}

/** A move that the viewer may play now: its text, to be sent back, and what it is about. */
export interface LegalMove {
  move: string;
  kind: "take" | "buy" | "reserve" | "pass" | "return" | "tile" | "wild" | "pay";
  tokens: string[];
  place: string | null;
}

/** What a card would cost the viewer now. `due` is its cost less the bonuses; `missing` what neither bonuses nor coloured tokens cover, which is `wilds` tokens in all; it is affordable if the viewer has that many wilds. */
export interface Price {
  place: string;
  card: number;
  due: Record<string, number>;
  missing: Record<string, number>;
  wilds: number;
  is_affordable: boolean;
}

/** How far a seat is on the way to the end of the game. `has_time` and `colours` (those it has a bonus of) count in Marvel alone, where all must be met (END-M1). */
export interface Progress {
  seat: number;
  points: number;
  points_needed: number;
  colours: string[];
  needs_colours: boolean;
  has_time: boolean;
  needs_time: boolean;
  tags: number;
  tags_needed: number | null;
  qualifies: boolean;
}

/** How the game ended; `rule` is the one that decided, `seed` is what the commitment was made of. The seed is null in a record that does not tell it. */
export interface Outcome {
  places: number[];
  winners: number[];
  points: number[];
  cards: number[];
  reason: string;
  rule: string;
  seed: string | null;
}

/** Where a game stands, for one viewer, after `seq` entries of its log. */
export interface Position {
  seq: number;
  view: TableView;
  legal: LegalMove[];
  prices: Price[];
  progress: Progress[];
  can_undo: boolean;
  outcome: Outcome | null;
}

/** A card that was turned up at a place of the market. */
export interface CardPlaced {
  place: string;
  card: number;
}

/** One decision and all that came of it, as far as the viewer may know. `card` is the card bought or reserved (null if drawn unseen by another), `level` its level, `place` where it lay; `gained` and `spent` are the tokens that the seat got and gave. `at` is null in a replay. */
export interface Step {
  type: "step";
  seq: number;
  round: number;
  seat: number;
  move: string;
  kind: "take" | "buy" | "reserve" | "pass" | "return" | "tile" | "wild" | "pay";
  place: string | null;
  card: number | null;
  level: number | null;
  is_card_bought: boolean;
  gained: Record<string, number>;
  spent: Record<string, number>;
  revealed: CardPlaced | null;
  tiles: number[];
  takes_avengers_tile: boolean;
  is_turn_over: boolean;
  at: string | null;
}

/** The step number `undoes` was taken back. */
export interface Undone {
  type: "undone";
  seq: number;
  seat: number;
  undoes: number;
  at: string;
}

/** Who has a seat: a person, a bot of a level, or nobody yet. */
export interface SeatInfo {
  seat: number;
  kind: "person" | "bot" | "open";
  name: string;
  level: "novice" | "apprentice" | "journeyman" | "artisan" | "expert" | "master" | null;
  is_you: boolean;
  is_connected: boolean;
}

/** A table, without its game. `next` is the table of the rematch, once there is one. */
export interface TableInfo {
  id: string;
  game: "splendor" | "marvel";
  players: number;
  free_take: boolean;
  payment: "choice" | "automatic";
  status: "waiting" | "playing" | "over" | "closed";
  seats: SeatInfo[];
  you: number | null;
  is_host: boolean;
  created_at: string;
  commitment: string;
  seq: number;
  next: string | null;
}

/** Who the server takes a client for. */
export interface Guest {
  id: string;
  nickname: string;
}

/** The answer to who am I: null for one who has not sat down yet. */
export interface Me {
  guest: Guest | null;
}

/** A nickname, for a new guest or instead of one's old one. */
export interface NewGuest {
  nickname: string;
}

/** Who shall have a seat: oneself, a bot, or whoever joins. */
export interface SeatPlan {
  kind: "me" | "bot" | "open";
  level?: "novice" | "apprentice" | "journeyman" | "artisan" | "expert" | "master" | null;
}

/** What a table is opened with. The order of the seats is drawn unless it is `given` (SET-10). */
export interface NewTable {
  game: "splendor" | "marvel";
  seats: SeatPlan[];
  order?: "random" | "given";
  free_take?: boolean;
  payment?: "choice" | "automatic";
}

/** Sit down at an open seat: this one, or the first. */
export interface Join {
  seat?: number | null;
}

/** One's tables, the newest first. */
export interface Tables {
  tables: TableInfo[];
}

/** A game from the deal to its end, or to where its record ends: step n leads from position n to the next. It is told as the seat `viewer` saw it; null is with all cards open. `record` is all of it as text. */
export interface Replay {
  viewer: number | null;
  positions: Position[];
  steps: Step[];
  record: string;
}

/** The record of a game, and as whom to look at it. */
export interface RecordToReplay {
  record: string;
  viewer?: number | null;
}

/** Who sat there in a game that is over, and how it ended for that seat. */
export interface PlayedSeat {
  seat: number;
  kind: "person" | "bot";
  name: string;
  level: "novice" | "apprentice" | "journeyman" | "artisan" | "expert" | "master" | null;
  is_you: boolean;
  place: number;
  points: number;
  has_won: boolean;
}

/** A game of one's own that is over. */
export interface PlayedGame {
  table: string;
  game: "splendor" | "marvel";
  players: number;
  finished_at: string;
  seats: PlayedSeat[];
}

/** One's finished games, the newest first; `next` is the cursor of the older ones, or null. */
export interface History {
  games: PlayedGame[];
  next: string | null;
}

/** How one did in games of one kind. `level` is that of the bots, where all were of the same. Games in which one held several seats are not counted. */
export interface Score {
  game: "splendor" | "marvel";
  players: number;
  opponents: "people" | "bots" | "both";
  level: "novice" | "apprentice" | "journeyman" | "artisan" | "expert" | "master" | null;
  played: number;
  won: number;
  mean_place: number;
  mean_points: number;
}

/** How one did, by game, number of players and opponents. */
export interface Statistics {
  scores: Score[];
}

/** A private link that signs another device in as oneself; who has it, plays as oneself. */
export interface DeviceLink {
  path: string;
  expires_at: string;
}

/** The secret of a device link. */
export interface Claim {
  key: string;
}

/** Whether the server and its database answer. */
export interface Health {
  status: "ok";
  version: string;
  rules: number;
  protocol: number;
}

/** Why something was refused: nothing has changed. `rule` is an id of the rule catalogue. `line` is that of a record which cannot be replayed from there on. */
export interface ErrorInfo {
  code: "malformed" | "too_large" | "too_fast" | "no_guest" | "not_found" | "not_yours" | "not_your_turn" | "stale" | "illegal" | "cannot_undo" | "over" | "not_playing" | "bad_record" | "origin" | "unavailable";
  message: string;
  rule?: string | null;
  line?: number | null;
}

/** The body of every HTTP answer that is not a success. */
export interface Problem {
  error: ErrorInfo;
}

/** Play a move. `seq` is the length of the log for which it is meant, `id` comes back in a refusal. Sent again after a broken line it is not played twice: the same move for the same `seq` by the same seat is answered as if it had come once. */
export interface Play {
  type: "play";
  seq: number;
  move: string;
  id?: string;
}

/** Take back one's last move: possible until a card was turned up or another seat has decided. */
export interface Undo {
  type: "undo";
  seq: number;
  id?: string;
}

/** Ask for everything after `since`, as at the start. */
export interface Catch {
  type: "catch_up";
  since: number;
}

/** Ask for a `pong`. */
export interface Ping {
  type: "ping";
}

/** Sent first, and on `catch_up`: the table, what happened after `since`, and where it stands. */
export interface Sync {
  type: "sync";
  table: TableInfo;
  since: number;
  happenings: (Step | Undone)[];
  position: Position;
}

/** A step or its taking back, and where the game stands now. */
export interface Moved {
  type: "moved";
  happening: Step | Undone;
  position: Position;
}

/** Somebody sat down, left, came or went; or the table has a successor. */
export interface TableChanged {
  type: "table";
  table: TableInfo;
}

/** A message of the client's was refused and changed nothing; `seq` is where the game stands. */
export interface Refused {
  type: "refused";
  id: string;
  seq: number;
  error: ErrorInfo;
}

/** The answer to `ping`. */
export interface Pong {
  type: "pong";
}

export type ClientMessage = Play | Undo | Catch | Ping;

export type ServerMessage = Sync | Moved | TableChanged | Refused | Pong;

export type ErrorCode = "malformed" | "too_large" | "too_fast" | "no_guest" | "not_found" | "not_yours" | "not_your_turn" | "stale" | "illegal" | "cannot_undo" | "over" | "not_playing" | "bad_record" | "origin" | "unavailable";

export const PROTOCOL_VERSION = 1;

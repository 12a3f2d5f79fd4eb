// Written by tools/page_types.py; do not edit.

/** A card in a hand. `card` is null if the viewer may not know it. */
export interface ReservedCard {
  level: number;
  card: number | null;
  blind: boolean;
}

/** One seat's side of the table. Cards and tiles are given by their numbers in the catalogue. */
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

/** A noble or location at its place. `owner` is null while it is on the table. */
export interface TilePlace {
  place: number;
  tile: number;
  owner: number | null;
}

/** The unfinished part of the current turn, and the counters towards a stalemate (STL-1). */
export interface TurnView {
  buying: string | null;
  wilds: Record<string, number>;
  pending: string | null;
  is_wild_due: boolean;
  passes: number;
  idle_turns: number;
}

/** Everything the viewer may know about the game, as `cabochon.View.to_dict` writes it. */
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

/** A move that the viewer may play now. To play it, the client sends back its text `move`. */
export interface LegalMove {
  move: string;
  kind: "take" | "buy" | "reserve" | "pass" | "return" | "tile" | "wild" | "pay";
  tokens: string[];
  place: string | null;
}

/** What a card costs the viewer. `due` is the cost minus the bonuses. `missing` is the part of `due` that the viewer's coloured tokens do not cover, and `wilds` the number of wilds needed for it. The card is affordable if the viewer has that many wilds. */
export interface Price {
  place: string;
  card: number;
  due: Record<string, number>;
  missing: Record<string, number>;
  wilds: number;
  is_affordable: boolean;
}

/** How close a seat is to meeting the conditions of victory. `has_time` and `colours` (the colours of its bonuses) count only in Marvel, where all conditions must be met (END-M1). */
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

/** How the game ended. `termination` is how it ended, and `reason` groups terminations: "won", "all passed", "no progress" or "forfeit". If a seat forfeited the game, `seat` is that seat and `detail` explains it in free text; otherwise both are null. `rule` is the rule that decided who comes first. `seed` is the seed of the commitment; it is null in the replay of a record that does not contain it. */
export interface Outcome {
  places: number[];
  winners: number[];
  points: number[];
  cards: number[];
  reason: string;
  termination: "points" | "gauntlet" | "all_passed" | "no_progress" | "resignation" | "timeout" | "failure" | "forfeit";
  seat: number | null;
  detail: string | null;
  rule: string;
  seed: string | null;
}

/** Whose time is running, and until when, in the server's time. The time for the turn runs until `reserve_from`, then the seat's reserve runs until `deadline`. Both are null while a bot decides. `reserves` are the seconds that each seat had in reserve when this turn began. */
export interface RunningClock {
  seat: number;
  reserve_from: string | null;
  deadline: string | null;
  reserves: number[];
}

/** The position of a game for one viewer, after `seq` entries of its log. `clock` is null if no clock is running. `undo_makes_practice` is true if the viewer may undo, and the game would then become practice. */
export interface Position {
  seq: number;
  view: TableView;
  legal: LegalMove[];
  prices: Price[];
  progress: Progress[];
  can_undo: boolean;
  undo_makes_practice: boolean;
  outcome: Outcome | null;
  clock: RunningClock | null;
}

/** A card that was revealed at a place of the market. */
export interface CardPlaced {
  place: string;
  card: number;
}

/** One decision and its results, as far as the viewer may know. `card` is the card bought or reserved (null if another seat drew it unseen), `level` its level, and `place` where it was. `gained` and `spent` are the tokens that the seat gained and spent. `at` is null in a replay. */
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

/** The steps with the numbers in `undoes` were taken back: the last one of this seat, and what followed it. */
export interface Undone {
  type: "undone";
  seq: number;
  seat: number;
  undoes: number[];
  at: string;
}

/** A person left or ran out of time. A bot of this `level` plays on; if `level` is null, the game is over. */
export interface Left {
  type: "left";
  seq: number;
  seat: number;
  reason: "left" | "clock";
  level: "novice" | "apprentice" | "journeyman" | "artisan" | "expert" | "master" | "grandmaster" | null;
  at: string;
}

/** A number of seconds for each turn, and a reserve for the whole game. */
export interface LiveClock {
  kind: "live";
  move_seconds: number;
  reserve_seconds: number;
}

/** A number of days for each turn. */
export interface DaysClock {
  kind: "days";
  days: number;
}

/** Who has a seat: a person, a bot, or nobody yet. `is_you` is true for the seat from which the client looks. `is_yours` is true for every seat of the guest, who may have several on one device, and for a seat that is kept for the guest. An open seat with `is_kept` is kept for the person in `name`. If a person `has_left`, `name` is still theirs; with three or four players, a bot plays on. */
export interface SeatInfo {
  seat: number;
  kind: "person" | "bot" | "open";
  name: string;
  level: "novice" | "apprentice" | "journeyman" | "artisan" | "expert" | "master" | "grandmaster" | null;
  is_you: boolean;
  is_yours: boolean;
  is_kept: boolean;
  has_left: boolean;
  is_connected: boolean;
}

/** A table, without its game. `clock` is null if there is no time limit. `watching` is the number of spectators. `next` is the id of the table of the rematch, or null. Public tables that wait for players are in the lobby. `is_practice` is true once the person took back more than people may who play each other: the game does not count in the statistics. */
export interface TableInfo {
  id: string;
  game: "splendor" | "marvel";
  players: number;
  free_take: boolean;
  payment: "choice" | "automatic";
  clock: LiveClock | DaysClock | null;
  visibility: "public" | "private";
  status: "waiting" | "playing" | "over" | "closed";
  is_practice: boolean;
  seats: SeatInfo[];
  you: number | null;
  is_host: boolean;
  created_at: string;
  commitment: string;
  seq: number;
  watching: number;
  next: string | null;
}

/** Who has a seat at a table that waits for players. */
export interface OpenTableSeat {
  kind: "person" | "bot" | "open";
  name: string;
  level: "novice" | "apprentice" | "journeyman" | "artisan" | "expert" | "master" | "grandmaster" | null;
}

/** A public table that waits for players, as listed in the lobby. `free` is the number of seats open to anyone. */
export interface OpenTable {
  id: string;
  host: string;
  game: "splendor" | "marvel";
  players: number;
  free: number;
  free_take: boolean;
  payment: "choice" | "automatic";
  clock: LiveClock | DaysClock | null;
  seats: OpenTableSeat[];
  created_at: string;
}

/** A page of the public tables that wait for players, the newest first; pages count from 1, and there is one. */
export interface Lobby {
  tables: OpenTable[];
  page: number;
  pages: number;
}

/** The guest that a client is signed in as. */
export interface Guest {
  id: string;
  nickname: string;
}

/** The client's own guest; null if it has none yet. */
export interface Me {
  guest: Guest | null;
}

/** A nickname for a new guest, or a new nickname for a guest. */
export interface NewGuest {
  nickname: string;
}

/** Who gets a seat: `me`, a `bot`, whoever joins (`open`), or another person on the same device (`here`). A person `here` needs a `name`. An `open` seat can be kept for an invited guest: `kept_for` is the guest's id, which `Me` contains. */
export interface SeatPlan {
  kind: "me" | "bot" | "open" | "here";
  level?: "novice" | "apprentice" | "journeyman" | "artisan" | "expert" | "master" | "grandmaster" | null;
  name?: string | null;
  kept_for?: string | null;
}

/** The host gives a seat at a waiting table to a bot, or makes it open, whoever has it. */
export interface SeatChange {
  kind: "bot" | "open";
  level?: "novice" | "apprentice" | "journeyman" | "artisan" | "expert" | "master" | "grandmaster" | null;
}

/** The options of a new table. The order of the seats is random unless it is `given` (SET-10). */
export interface NewTable {
  game: "splendor" | "marvel";
  seats: SeatPlan[];
  order?: "random" | "given";
  free_take?: boolean;
  payment?: "choice" | "automatic";
  visibility?: "public" | "private";
  clock?: LiveClock | DaysClock | null;
}

/** Take an open seat: this one, or by default the first. */
export interface Join {
  seat?: number | null;
}

/** The guest's tables: unfinished ones first, then the newest. */
export interface Tables {
  tables: TableInfo[];
}

/** A game from the deal to its end, or to the end of its record. Step n leads from position n to the next position. It shows what the seat `viewer` saw; if `viewer` is null, all cards are open. `record` is the record of the game. */
export interface Replay {
  viewer: number | null;
  positions: Position[];
  steps: Step[];
  record: string;
}

/** The record of a game, and the seat whose view to show. */
export interface RecordToReplay {
  record: string;
  viewer?: number | null;
}

/** A bot's judgement of the decision in step `seq` of a replay, given what the seat knew. `win_probabilities` are the win probabilities of all seats before the decision. `loss` is the win probability that the seat lost compared with the bot's move, from 0 to 1. `best` is what the bot's move would have done, or null if it was played. `line` is the play that the bot expects after its move, at most to the end of the seat's next turn. Neither contains cards that would have been revealed. */
export interface Judgement {
  seq: number;
  seat: number;
  win_probabilities: number[];
  loss: number;
  best: Step | null;
  line: Step[];
}

/** A bot's analysis of a finished game: the judgements so far, and the number of `decisions` to judge. Until `is_complete`, the analysis continues, and the client can repeat its request for more judgements. */
export interface Analysis {
  decisions: number;
  judgements: Judgement[];
  is_complete: boolean;
}

/** The record of a finished game. */
export interface RecordToAnalyse {
  record: string;
}

/** A seat of a finished game: who had it, and their result. If its person `has_left`, `leaving` tells whether they did so themselves or ran out of time. */
export interface PlayedSeat {
  seat: number;
  kind: "person" | "bot";
  name: string;
  level: "novice" | "apprentice" | "journeyman" | "artisan" | "expert" | "master" | "grandmaster" | null;
  is_you: boolean;
  has_left: boolean;
  leaving: "left" | "clock" | null;
  place: number;
  points: number;
  has_won: boolean;
}

/** A finished game of the guest. If it `is_practice`, it does not count in the statistics. */
export interface PlayedGame {
  table: string;
  game: "splendor" | "marvel";
  players: number;
  is_practice: boolean;
  finished_at: string;
  seats: PlayedSeat[];
}

/** The guest's finished games, the newest first. `next` is the cursor for older games, or null. */
export interface History {
  games: PlayedGame[];
  next: string | null;
}

/** The guest's results in games of one kind, against one person or only against bots. `name` is the person's current nickname. `level` is the level of the bots, if they all had the same. A game with several people counts for each of them. Practice, and games in which the guest had several seats, do not count. */
export interface Score {
  game: "splendor" | "marvel";
  players: number;
  name: string | null;
  level: "novice" | "apprentice" | "journeyman" | "artisan" | "expert" | "master" | "grandmaster" | null;
  played: number;
  won: number;
  mean_place: number;
  mean_points: number;
}

/** The guest's results by game, number of players and opponent. */
export interface Statistics {
  scores: Score[];
}

/** A private link that signs in another device as this guest. Anyone who has the link can play as this guest. */
export interface DeviceLink {
  path: string;
  expires_at: string;
}

/** The key of a device link: the part after the `#`. */
export interface Claim {
  key: string;
}

/** The name of a new token. */
export interface NewBotToken {
  name: string;
}

/** A token with which a program can play as the guest. */
export interface BotToken {
  id: string;
  name: string;
  created_at: string;
}

/** A new token with its secret, which no other message contains. */
export interface GivenBotToken {
  token: string;
  info: BotToken;
}

/** The guest's tokens, the newest first. */
export interface BotTokens {
  tokens: BotToken[];
}

/** The server is ready, and its database answers. */
export interface Health {
  status: "ok";
  version: string;
  rules: number;
  protocol: number;
}

/** Why a request or message was refused. Nothing has changed. `rule` is the id of the broken rule, if any. `line` is the line where a record is damaged or breaks the rules. */
export interface ErrorInfo {
  code: "malformed" | "too_large" | "too_fast" | "limit_reached" | "no_guest" | "not_found" | "not_yours" | "not_your_turn" | "stale" | "illegal" | "cannot_undo" | "over" | "not_playing" | "begun" | "closed" | "bad_record" | "banned" | "origin" | "busy" | "unavailable";
  message: string;
  rule?: string | null;
  line?: number | null;
}

/** The body of every HTTP response that is not a success. */
export interface Problem {
  error: ErrorInfo;
}

/** Play a move. `seq` is the length of the log for which it is meant. A refusal repeats `id`. A client may send it again after a broken connection: the same move of the same seat with the same `seq` is played only once. */
export interface Play {
  type: "play";
  seq: number;
  move: string;
  id?: string;
}

/** Take back your last decision. Between people, this is possible until a card is revealed or another seat decides. Against bots alone and without a clock, it is always possible until the game is over, and takes back what the bots decided since. */
export interface Undo {
  type: "undo";
  seq: number;
  id?: string;
}

/** Send a phrase to everybody at the table. Only players may do this, and only at a limited rate. */
export interface Say {
  type: "say";
  phrase: "hello" | "good_luck" | "nice_move" | "thanks" | "oops" | "one_moment" | "your_turn" | "close_game" | "well_played" | "another_game" | "smile" | "laugh" | "surprise" | "sweat" | "applause" | "heart";
  id?: string;
}

/** Ask for a `sync` with everything after the first `since` entries of the log. */
export interface Catch {
  type: "catch_up";
  since: number;
}

/** Ask for a `pong`. */
export interface Ping {
  type: "ping";
}

/** The table, what happened after the first `since` entries of the log, and the position. The server sends it first, on `catch_up`, and when the whole state may have changed. `now` is the server's time, for clocks. */
export interface Sync {
  type: "sync";
  now: string;
  table: TableInfo;
  since: number;
  events: (Step | Undone | Left)[];
  position: Position;
}

/** A step, an undo, or a person who left, and the position after it. */
export interface Moved {
  type: "moved";
  now: string;
  event: Step | Undone | Left;
  position: Position;
}

/** The table changed: somebody sat down, left, connected or disconnected, or opened a rematch. */
export interface TableChanged {
  type: "table";
  table: TableInfo;
}

/** A player sent a phrase. */
export interface Said {
  type: "said";
  seat: number;
  phrase: "hello" | "good_luck" | "nice_move" | "thanks" | "oops" | "one_moment" | "your_turn" | "close_game" | "well_played" | "another_game" | "smile" | "laugh" | "surprise" | "sweat" | "applause" | "heart";
  at: string;
}

/** A message of the client was refused and changed nothing. `seq` is the length of the log. */
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

export type ClientMessage = Play | Undo | Say | Catch | Ping;

export type ServerMessage = Sync | Moved | TableChanged | Said | Refused | Pong;

export type ErrorCode = "malformed" | "too_large" | "too_fast" | "limit_reached" | "no_guest" | "not_found" | "not_yours" | "not_your_turn" | "stale" | "illegal" | "cannot_undo" | "over" | "not_playing" | "begun" | "closed" | "bad_record" | "banned" | "origin" | "busy" | "unavailable";

export const PROTOCOL_VERSION = 1;

/** Positions and events for the tests, as the server would send them. */

import { CATALOGUES, type GameName } from "../generated/catalogue";
import type {
  LegalMove,
  Outcome,
  Position,
  Price,
  SeatView,
  Step,
  Sync,
  TableInfo,
  TableView,
} from "../generated/protocol";

function counts(names: readonly string[], count: number): Record<string, number> {
  return Object.fromEntries(names.map((name) => [name, count]));
}

export function seatView(game: GameName, seat: number, changes: Partial<SeatView> = {}): SeatView {
  const { colours, wild } = CATALOGUES[game];
  const tokens = game === "marvel" ? [...colours, wild, "time"] : [...colours, wild];
  return {
    seat,
    name: ["Ada", "Novice", "Cleo", "Dan"][seat] ?? "",
    points: 0,
    tokens: counts(tokens, 0),
    bonuses: counts(colours, 0),
    cards: [],
    reserved: [],
    tiles: [],
    tags: 0,
    avengers_tile: false,
    qualifies: false,
    ...changes,
  };
}

export interface Plan {
  game?: GameName;
  seq?: number;
  seats?: SeatView[];
  view?: Partial<TableView>;
  legal?: LegalMove[];
}

/** A position at the beginning of a game of two, with these changes. */
export function position(plan: Plan & Partial<Omit<Position, "view" | "seq" | "legal">> = {}): Position {
  const { game = "splendor", seq = 0, seats, view = {}, legal = [], ...changes } = plan;
  const { colours, wild } = CATALOGUES[game];
  const sides = seats ?? [seatView(game, 0), seatView(game, 1)];
  const supply = { ...counts(colours, 4), [wild]: 5, ...(game === "marvel" ? { time: 2 } : {}) };
  return {
    seq,
    view: {
      game,
      players: sides.length,
      viewer: 0,
      seat: 0,
      round: 1,
      phase: "act",
      free_take: false,
      payment: "choice",
      turn: { buying: null, wilds: {}, pending: null, is_wild_due: false, passes: 0, idle_turns: 0 },
      ending: "*",
      market: [
        [1, 2, 3, 4],
        [41, 42, 43, 44],
        [71, 72, 73, 74],
      ],
      decks: [36, 26, 16],
      supply,
      tiles: [
        { place: 0, tile: 1, owner: null },
        { place: 1, tile: 2, owner: null },
        { place: 2, tile: 3, owner: null },
      ],
      seats: sides,
      legal_moves: legal.map((move) => move.move),
      commitment: null,
      ...view,
    },
    legal,
    prices: [],
    progress: sides.map((seat) => ({
      seat: seat.seat,
      points: seat.points,
      points_needed: game === "marvel" ? 16 : 15,
      colours: [],
      needs_colours: game === "marvel",
      has_time: false,
      needs_time: game === "marvel",
      tags: 0,
      tags_needed: game === "marvel" ? 3 : null,
      qualifies: false,
    })),
    can_undo: false,
    undo_makes_practice: false,
    outcome: null,
    clock: null,
    ...changes,
  };
}

export function outcome(changes: Partial<Outcome> = {}): Outcome {
  return {
    places: [1, 2],
    winners: [0],
    points: [15, 3],
    cards: [9, 4],
    reason: "won",
    termination: "points",
    seat: null,
    detail: null,
    rule: "END-B2",
    seed: "5eed",
    ...changes,
  };
}

/** The outcome of a game that the second of two players forfeits. */
export function forfeited(termination: Outcome["termination"], detail = ""): Outcome {
  return outcome({ reason: "forfeit", termination, seat: 1, detail, rule: "RNK-1" });
}

export function take(move: string, ...tokens: string[]): LegalMove {
  return { move, kind: "take", tokens, place: null };
}

/** What a card at a place costs the viewer: nothing, with these changes. */
export function price(place: string, card: number, changes: Partial<Price> = {}): Price {
  return { place, card, due: {}, missing: {}, wilds: 0, is_affordable: true, ...changes };
}

export function step(seq: number, seat: number, changes: Partial<Step> = {}): Step {
  return {
    type: "step",
    seq,
    round: 1,
    seat,
    move: "take wbg",
    kind: "take",
    place: null,
    card: null,
    level: null,
    is_card_bought: false,
    gained: {},
    spent: {},
    revealed: null,
    tiles: [],
    takes_avengers_tile: false,
    is_turn_over: true,
    at: "2026-01-01T00:00:00Z",
    ...changes,
  };
}

export function tableInfo(changes: Partial<TableInfo> = {}): TableInfo {
  return {
    id: "table",
    game: "splendor",
    players: 2,
    free_take: false,
    payment: "choice",
    clock: null,
    visibility: "private",
    status: "playing",
    seats: [
      {
        seat: 0,
        kind: "person",
        name: "Ada",
        level: null,
        is_you: true,
        is_yours: true,
        is_kept: false,
        has_left: false,
        is_connected: true,
      },
      {
        seat: 1,
        kind: "bot",
        name: "Novice",
        level: "novice",
        is_you: false,
        is_yours: false,
        is_kept: false,
        has_left: false,
        is_connected: true,
      },
    ],
    you: 0,
    is_host: true,
    created_at: "2026-01-01T00:00:00Z",
    commitment: "c0ffee",
    seq: 0,
    watching: 0,
    is_practice: false,
    next: null,
    ...changes,
  };
}

export function sync(now: Position, events: Sync["events"] = [], since = 0): Sync {
  return { type: "sync", now: "2026-01-01T00:00:00Z", table: tableInfo(), since, events, position: now };
}

/** The log of a game, turn by turn, and in words. */

import { CATALOGUES, type Card, type GameName, type Tile } from "../generated/catalogue";
import type { Left, Outcome, Step, Undone } from "../generated/protocol";
import { listed, localName, t, type MessageKey } from "./messages.svelte";

export type GameEvent = Step | Undone | Left;

/** One turn of a seat: its decisions, in their order. */
export interface Turn {
  round: number;
  seat: number;
  steps: Step[];
}

/** The steps that still count: those that were not taken back. */
export function effectiveSteps(events: readonly GameEvent[]): Step[] {
  const undone = new Set(events.flatMap((event) => (event.type === "undone" ? event.undoes : [])));
  return events.filter((event) => event.type === "step").filter((step) => !undone.has(step.seq));
}

/** The turns of a game, the one under way included. */
export function turnsOf(events: readonly GameEvent[]): Turn[] {
  const turns: Turn[] = [];
  for (const step of effectiveSteps(events)) {
    const last = turns.at(-1);
    if (last?.round === step.round && last.seat === step.seat) last.steps.push(step);
    else turns.push({ round: step.round, seat: step.seat, steps: [step] });
  }
  return turns;
}

/** A point of a game to which a player went back, and where it went on. */
export interface Takeback {
  seq: number;
  round: number;
  seat: number;
  /** The turns of the player, whole or in part, that were taken back to here. */
  turns: number;
}

/** Where a game was taken back to; going back further swallows what was taken back before. */
export function takebacksOf(events: readonly GameEvent[]): Takeback[] {
  const steps = new Map<number, Step>();
  const rounds = new Map<Takeback, Set<number>>();
  let takebacks: Takeback[] = [];
  for (const event of events) {
    if (event.type === "step") steps.set(event.seq, event);
    if (event.type !== "undone") continue;
    const { seq, seat, undoes } = event;
    const undone = undoes.flatMap((number) => steps.get(number) ?? []);
    const own = new Set(undone.filter((step) => step.seat === seat).map((step) => step.round));
    const first = undone[0];
    if (first === undefined) continue;
    const swallowed = takebacks.filter((takeback) => takeback.seq > first.seq);
    for (const takeback of swallowed) for (const round of rounds.get(takeback) ?? []) own.add(round);
    const takeback = { seq, seat, round: first.round, turns: own.size };
    rounds.set(takeback, own);
    takebacks = [...takebacks.filter((each) => !swallowed.includes(each)), takeback];
  }
  return takebacks;
}

/** The last turn of each seat: what stays marked on the table until the seat's next one. */
export function lastTurns(turns: readonly Turn[], players: number): (Turn | null)[] {
  return Array.from({ length: players }, (_, seat) => turns.findLast((turn) => turn.seat === seat) ?? null);
}

/** The card of this number. */
export function cardOf(game: GameName, number: number): Card {
  const card = CATALOGUES[game].cards[number - 1];
  if (card === undefined) throw new Error(`expected a card from 1 to ${CATALOGUES[game].cards.length}, got ${number}`);
  return card;
}

/** The noble or location of this number. */
export function tileOf(game: GameName, number: number): Tile {
  const tile = CATALOGUES[game].tiles[number - 1];
  if (tile === undefined) throw new Error(`expected a tile from 1 to ${CATALOGUES[game].tiles.length}, got ${number}`);
  return tile;
}

/** The tokens of a game in their order on the table. */
export function tokensOf(game: GameName): string[] {
  const { colours, wild } = CATALOGUES[game];
  return game === "marvel" ? [...colours, wild, "time"] : [...colours, wild];
}

/** Tokens by their names and numbers, as a list with each as often as there are. */
export function spread(tokens: Record<string, number>): string[] {
  return Object.entries(tokens).flatMap(([token, count]) => Array.from({ length: count }, () => token));
}

/** The name of a token, without a number. */
export function tokenName(game: GameName, token: string): string {
  return t(`colour.${game}.${token}` as MessageKey);
}

/** "2 rubies". */
export function tokenCount(game: GameName, token: string, count: number): string {
  return t(`token.${game}.${token}` as MessageKey, { count });
}

/** "2 rubies and 1 gold", by the game's order. */
export function tokenList(game: GameName, tokens: Record<string, number>): string {
  const named = tokensOf(game).filter((token) => (tokens[token] ?? 0) > 0);
  return listed(named.map((token) => tokenCount(game, token, tokens[token] ?? 0)));
}

/** A card by its name, or where cards have none, by what it is. */
export function cardName(game: GameName, number: number): string {
  const card = cardOf(game, number);
  if (card.name !== null) return localName(card.name);
  const { level, points } = card;
  const gem = tokenName(game, card.bonus);
  return points > 0 ? t("card.worth", { level, gem, count: points }) : t("card.plain", { level, gem });
}

/** A tile by its name, or where tiles have none, by what it asks for. */
export function tileName(game: GameName, number: number): string {
  const tile = tileOf(game, number);
  return tile.name ?? t("tile.noble", { needs: needsText(game, tile) });
}

/** What a tile asks for: "4 rubies and 4 diamonds", as bonuses. */
export function needsText(game: GameName, tile: Tile): string {
  return tokenList(game, byColour(game, tile.needs));
}

/** Numbers in the order of the colours as a record by colour. */
export function byColour(game: GameName, counts: readonly number[]): Record<string, number> {
  return Object.fromEntries(CATALOGUES[game].colours.map((colour, index) => [colour, counts[index] ?? 0]));
}

/** One decision in words, without who decided. */
export function clausesOf(game: GameName, step: Step): string[] {
  const clauses: string[] = [];
  const { time, ...gained } = step.gained;
  const tokens = tokenList(game, gained);
  if (step.kind === "take") clauses.push(t("log.take", { tokens }));
  if (step.kind === "return") clauses.push(t("log.return", { tokens: tokenList(game, step.spent) }));
  if (step.kind === "pass") clauses.push(t("log.pass"));
  if (step.kind === "reserve") clauses.push(reserveClause(game, step, tokens));
  if (step.is_card_bought && step.card !== null) {
    const card = cardName(game, step.card);
    const price = tokenList(game, step.spent);
    clauses.push(price === "" ? t(`log.free.${game}`, { card }) : t(`log.buy.${game}`, { card, tokens: price }));
  }
  if (time) clauses.push(t("log.time"));
  if (step.takes_avengers_tile) clauses.push(t("log.avengers"));
  for (const tile of step.tiles) clauses.push(t(`log.tile.${game}`, { tile: tileName(game, tile) }));
  return clauses;
}

function reserveClause(game: GameName, step: Step, tokens: string): string {
  const isBlind = step.place !== null && !step.place.includes(".");
  const level = step.level ?? 0;
  if (step.card === null) return tokens ? t("log.blind.wild", { level, tokens }) : t("log.blind", { level });
  const card = cardName(game, step.card);
  if (isBlind) return tokens ? t(`log.drawn.wild.${game}`, { card, tokens }) : t(`log.drawn.${game}`, { card });
  return tokens ? t(`log.reserve.wild.${game}`, { card, tokens }) : t(`log.reserve.${game}`, { card });
}

/** A turn in words, without whose it was; tokens that were returned one by one are listed together. */
export function turnText(game: GameName, turn: Turn): string {
  const merged: Step[] = [];
  for (const step of turn.steps) {
    const last = merged.at(-1);
    if (last?.kind === "return" && step.kind === "return") {
      const spent = { ...last.spent };
      for (const [token, count] of Object.entries(step.spent)) spent[token] = (spent[token] ?? 0) + count;
      merged[merged.length - 1] = { ...step, spent };
    } else {
      merged.push(step);
    }
  }
  return merged.flatMap((step) => clausesOf(game, step)).join(t("log.between"));
}

/** A line of the log: a turn, or that somebody left and a bot plays on. */
export interface LogLine {
  /** The number of its first event. */
  seq: number;
  round: number;
  seat: number;
  text: string;
}

/** The lines of the log in their order; a turn in which nothing can be told yet has none. */
export function linesOf(game: GameName, events: readonly GameEvent[]): LogLine[] {
  const lines = turnsOf(events).map((turn) => ({
    seq: turn.steps[0]?.seq ?? 0,
    round: turn.round,
    seat: turn.seat,
    text: turnText(game, turn),
  }));
  for (const { seq, round, seat, turns } of takebacksOf(events)) {
    lines.push({ seq, round, seat, text: t("log.undone", { count: turns }) });
  }
  for (const event of events) {
    if (event.type !== "left" || event.level === null) continue; // otherwise the game is over, which says it
    const round = lines.findLast(({ seq }) => seq < event.seq)?.round ?? 1;
    const text = t(event.reason === "clock" ? "log.clock" : "log.left");
    lines.push({ seq: event.seq, round, seat: event.seat, text });
  }
  return lines.filter(({ text }) => text !== "").sort((one, other) => one.seq - other.seq);
}

/** Why who won, by the rule that decided, when the game was played to its end. */
const DECIDED: Partial<Record<string, MessageKey & `won.${string}`>> = {
  "END-B2": "won.END-B2",
  "TIE-B1": "won.TIE-B1",
  "END-M3": "won.END-M3",
  "END-M5": "won.END-M5",
  "TIE-M1": "won.TIE-M1",
  "TIE-M2": "won.TIE-M2",
};

/** How a game ended, in words: what happened, who won, and why. */
export function endingText(outcome: Outcome, nameOf: (seat: number) => string): string {
  const { termination, seat, winners, points, rule } = outcome;
  const names = listed(winners.map(nameOf));
  const best = Math.max(...winners.map((winner) => points[winner] ?? 0));
  if (termination === "points" || termination === "gauntlet") {
    if (winners.length > 1) return t("won.tied", { names, points: best });
    const decided = DECIDED[rule];
    if (decided !== undefined) return t(decided, { name: names, points: best });
    return t("won", { name: names });
  }
  const what = stoppedText(termination, seat === null ? "" : nameOf(seat));
  if (winners.length === 0) return `${what} ${t("won.nobody")}`;
  return `${what} ${winners.length > 1 ? t("won.shared", { names }) : t("won", { name: names })}`;
}

/** What stopped a game before its end, and by whom. */
function stoppedText(termination: Exclude<Outcome["termination"], "points" | "gauntlet">, name: string): string {
  switch (termination) {
    case "all_passed":
      return t("ended.all_passed");
    case "no_progress":
      return t("ended.no_progress");
    case "resignation":
      return t("ended.resignation", { name });
    case "timeout":
      return t("ended.timeout", { name });
    case "failure":
      return t("ended.failure", { name });
    case "forfeit":
      return t("ended.forfeit", { name });
  }
}

/** What the record says of a failure, for whoever wrote the bot: in English, and not always a sentence. */
export function failureDetail({ termination, detail }: Outcome): string {
  return termination === "failure" || termination === "forfeit" ? (detail ?? "") : "";
}

/**
 * The guide of a first game: short hints, each said once, when the table shows what it is about.
 *
 * `pickHint` looks at a position as the server sends it and at the hints already said, and gives the one that fits
 * best, or null. The page says it, marks what it is about (`focus`), and may ask again with the hint added to
 * those said: several can fit one position, and at the start of a game they form a small tour.
 */

import { CATALOGUES, TOKEN_LIMIT, HAND_LIMIT, type Card, type GameName } from "../generated/catalogue";
import type { Position, Price, Progress, SeatView } from "../generated/protocol";
import { filled, type Language } from "../lib/messages.svelte";

/** What a hint is about, found in the position: the texts name it, and the page marks it. */
export interface Finding {
  card?: number;
  place?: string;
  tile?: number;
  seat?: number;
  colours?: string[];
  count?: number;
}

/**
 * What the page marks: `market`, `supply`, `tiles`, `hand`, `tokens` and `gauntlet` as a whole, or one thing:
 * `card:2.3`, `card:h1`, `tile:5` (the number in the catalogue), `pile:red`, `seat:1`.
 */
export type Focus = string;

export interface Hint {
  id: HintId;
  finding: Finding;
  focus: Focus[];
  rules: string[];
}

/** A position with what the conditions ask of it. */
interface Scene {
  position: Position;
  game: GameName;
  me: SeatView;
  own: Progress;
  rivals: Progress[];
  wilds: number;
  held: number;
  affordable: Price[];
}

type Condition = (scene: Scene) => Finding | null;

const LATE_POINTS = 8;
const CLOSE_POINTS = 3;
const STRONG_POINTS = 3;
const NEAR_BONUSES = 2;
const ROUND_TO_RESERVE = 3;
/** From so many tokens on a take of three goes beyond the limit. */
const MANY_TOKENS = TOKEN_LIMIT - 2;

/** Each condition by its name; `opening`, for one, holds until one's first move. */
const CONDITIONS = {
  won: ({ position: { outcome }, me }) => (outcome?.winners.includes(me.seat) === true ? {} : null),
  lost: ({ position: { outcome }, me }) => {
    const winner = outcome?.winners[0];
    return outcome === null || winner === undefined || outcome.winners.includes(me.seat) ? null : { seat: winner };
  },
  nobody_won: ({ position: { outcome } }) => (outcome?.winners.length === 0 ? {} : null),

  opening: ({ position, me, held }) =>
    acts(position) && held === 0 && me.cards.length === 0 && me.reserved.length === 0 ? {} : null,

  returning: ({ position, held }) => (decides(position, "return") ? { count: held - TOKEN_LIMIT } : null),
  choosing_tile: ({ position }) => (decides(position, "tile") ? {} : null),
  paying: ({ position }) => (decides(position, "pay") ? {} : null),
  passing: ({ position }) =>
    acts(position) && position.legal.length > 0 && position.legal.every((move) => move.kind === "pass") ? {} : null,

  can_finish: (scene) => {
    const price = best(scene, (card) => finishes(scene, card));
    return price && { ...about(price), count: scene.own.points + cardAt(scene, price).points };
  },
  last_turn: ({ position, rivals }) => {
    const first = acts(position) ? rivals.find((rival) => rival.qualifies) : undefined;
    return first === undefined ? null : { seat: first.seat, count: first.points };
  },
  completes_tile: (scene) => {
    for (const price of scene.affordable) {
      const tile = completedBy(scene, cardAt(scene, price));
      if (tile !== undefined) return { ...about(price), tile };
    }
    return null;
  },
  brings_time: (scene) => {
    const isLacking = scene.own.needs_time && !scene.own.has_time;
    const price = isLacking ? best(scene, (card) => card.level === 3) : null;
    return price && about(price);
  },
  takes_avengers: (scene) => {
    const { tags, tags_needed: needed } = scene.own;
    const price = needed === null ? null : best(scene, (card) => card.tags > 0 && tags + card.tags >= needed);
    return price && about(price);
  },
  rival_close: ({ position, rivals }) => {
    const close = rivals.filter((rival) => rival.points >= rival.points_needed - CLOSE_POINTS);
    const closest = acts(position) ? highest(close, (rival) => rival.points) : undefined;
    return closest === undefined ? null : { seat: closest.seat, count: closest.points };
  },
  rival_wants: (scene) => wantedByRival(scene),

  can_buy: (scene) => {
    const price = best(scene, () => true);
    return price && about(price);
  },
  free_card: (scene) => {
    const price = scene.affordable.find((each) => sum(each.due) === 0);
    return price === undefined ? null : about(price);
  },
  worth_points: (scene) => {
    const price = best(scene, (card) => card.points > 0);
    return price && about(price);
  },
  wild_pays: (scene) => {
    const price = scene.affordable.find((each) => each.wilds > 0);
    return price === undefined ? null : about(price);
  },
  first_bonus: ({ position, game, me }) => {
    const [number, ...others] = me.cards;
    if (!acts(position) || number === undefined || others.length > 0) return null;
    return { colours: [cardOf(game, number).bonus] };
  },
  hand_full: ({ position, me }) => (acts(position) && me.reserved.length >= HAND_LIMIT ? {} : null),
  has_reserved: ({ position, me }) => (acts(position) && me.reserved.length > 0 ? {} : null),
  many_tokens: ({ position, held }) => (acts(position) && held >= MANY_TOKENS ? { count: held } : null),
  one_short: (scene) => oneShort(scene),
  two_alike: (scene) => twoAlike(scene),
  few_piles: ({ position, game }) => {
    const piles = CATALOGUES[game].colours.filter((colour) => (position.view.supply[colour] ?? 0) > 0);
    return acts(position) && piles.length < 3 ? {} : null;
  },
  tile_near: (scene) => {
    if (!acts(scene.position)) return null;
    for (const { tile, owner } of scene.position.view.tiles) {
      const lacking = owner === null ? lackingBonuses(scene, tile) : [];
      if (lacking.length > 0 && lacking.length <= NEAR_BONUSES) return { tile, colours: [...new Set(lacking)] };
    }
    return null;
  },
  missing_time: ({ position, own }) =>
    acts(position) && own.needs_time && !own.has_time && own.points >= LATE_POINTS ? { count: own.points } : null,
  missing_colours: ({ position, game, own }) => {
    const lacking = CATALOGUES[game].colours.filter((colour) => !own.colours.includes(colour));
    const isLate = acts(position) && own.needs_colours && own.points >= LATE_POINTS;
    return isLate && lacking.length > 0 ? { colours: lacking } : null;
  },
  rival_avengers: ({ position, own, me }) => {
    const owner = position.view.seats.find((seat) => seat.avengers_tile && seat.seat !== me.seat);
    return !acts(position) || owner === undefined || own.tags_needed === null
      ? null
      : { seat: owner.seat, count: own.tags_needed };
  },
  own_avengers: ({ position, me }) => (acts(position) && me.avengers_tile ? {} : null),
  may_reserve: ({ position, game, me, affordable }) => {
    const hasWild = (position.view.supply[CATALOGUES[game].wild] ?? 0) > 0;
    const isTime = acts(position) && position.view.round >= ROUND_TO_RESERVE && affordable.length === 0;
    return isTime && hasWild && me.reserved.length === 0 ? {} : null;
  },
} satisfies Record<string, Condition>;

export type ConditionName = keyof typeof CONDITIONS;

interface Entry {
  id: string;
  when: ConditionName;
  rules: Record<GameName, string[]>;
  focus?: Focus[];
}

function both(...rules: string[]): Record<GameName, string[]> {
  return { splendor: rules, marvel: rules };
}

function each(splendor: string[], marvel: string[]): Record<GameName, string[]> {
  return { splendor, marvel };
}

/** The hints, the most urgent first. */
export const HINTS = [
  { id: "won", when: "won", rules: each(["END-B2"], ["END-M3"]) },
  { id: "lost", when: "lost", rules: each(["END-B2"], ["END-M3"]) },
  { id: "nobody_won", when: "nobody_won", rules: both("STL-1") },

  { id: "welcome", when: "opening", rules: each(["END-B1"], ["END-M1"]) },
  { id: "market", when: "opening", rules: both("CRD-1", "BON-1"), focus: ["market"] },
  { id: "supply", when: "opening", rules: each(["TRN-3", "RSV-6"], ["TRN-3", "RSV-6", "TIM-2"]), focus: ["supply"] },
  { id: "tiles", when: "opening", rules: each(["NOB-1"], ["LOC-1"]), focus: ["tiles"] },
  { id: "first_take", when: "opening", rules: both("TRN-2"), focus: ["supply"] },

  { id: "must_return", when: "returning", rules: both("LIM-1", "LIM-2"), focus: ["tokens"] },
  { id: "choose_tile", when: "choosing_tile", rules: each(["NOB-3"], ["LOC-2"]), focus: ["tiles"] },
  { id: "pay", when: "paying", rules: both("BUY-3") },
  { id: "must_pass", when: "passing", rules: both("TRN-9") },

  { id: "can_finish", when: "can_finish", rules: each(["END-B1"], ["END-M1", "SPC-1"]) },
  { id: "last_turn", when: "last_turn", rules: each(["END-B1"], ["END-M2", "SPC-1"]) },
  { id: "completes_tile", when: "completes_tile", rules: each(["NOB-1"], ["LOC-1"]) },
  { id: "brings_time", when: "brings_time", rules: each([], ["TIM-2"]) },
  { id: "takes_avengers", when: "takes_avengers", rules: each([], ["AVG-2", "AVG-3"]) },
  { id: "rival_close", when: "rival_close", rules: each(["END-B1"], ["END-M1"]) },
  { id: "can_buy", when: "can_buy", rules: both("TRN-8", "BON-1") },
  { id: "first_bonus", when: "first_bonus", rules: both("BON-1"), focus: ["market"] },
  { id: "free_card", when: "free_card", rules: both("BON-3") },
  { id: "rival_wants", when: "rival_wants", rules: both("RSV-1", "RSV-7") },
  { id: "worth_points", when: "worth_points", rules: both("CRD-1") },
  { id: "wild_pays", when: "wild_pays", rules: both("BUY-3") },
  { id: "hand_full", when: "hand_full", rules: both("RSV-4"), focus: ["hand"] },
  { id: "has_reserved", when: "has_reserved", rules: both("RSV-5", "RSV-7"), focus: ["hand"] },
  { id: "many_tokens", when: "many_tokens", rules: both("LIM-1"), focus: ["tokens"] },
  { id: "one_short", when: "one_short", rules: both("TRN-2") },
  { id: "two_alike", when: "two_alike", rules: both("TRN-5") },
  { id: "few_piles", when: "few_piles", rules: both("TRN-4"), focus: ["supply"] },
  { id: "tile_near", when: "tile_near", rules: each(["NOB-1"], ["LOC-1"]) },
  { id: "missing_time", when: "missing_time", rules: each([], ["TIM-3"]), focus: ["gauntlet"] },
  { id: "missing_colours", when: "missing_colours", rules: each([], ["END-M1"]), focus: ["gauntlet"] },
  { id: "rival_avengers", when: "rival_avengers", rules: each([], ["AVG-3"]) },
  { id: "own_avengers", when: "own_avengers", rules: each([], ["AVG-3", "SPC-1"]) },
  { id: "reserve", when: "may_reserve", rules: both("TRN-7", "RSV-6") },
] as const satisfies readonly Entry[];

export type HintId = (typeof HINTS)[number]["id"];

/** The hint for this position that was not said yet, or null: for a spectator always, for others often. */
export function pickHint(position: Position, said: ReadonlySet<string>): Hint | null {
  const scene = sceneOf(position);
  if (scene === null) return null;
  for (const entry of HINTS) {
    if (said.has(entry.id)) continue;
    const finding = (CONDITIONS[entry.when] as Condition)(scene);
    if (finding !== null) {
      const focus = [...("focus" in entry ? entry.focus : []), ...focusOn(finding)];
      return { id: entry.id, finding, focus, rules: [...entry.rules[scene.game]] };
    }
  }
  return null;
}

// What the texts need

export type GuideTexts = Record<string, string | Partial<Record<Intl.LDMLPluralRule, string>>>;

/** How the page names things in its language. */
export interface Names {
  card: (number: number) => string;
  tile: (number: number) => string;
  seat: (seat: number) => string;
  colours: (colours: readonly string[]) => string;
}

const TEXTS: Record<Language, () => Promise<{ default: GuideTexts }>> = {
  en: () => import("./guide.en.json"),
  es: () => import("./guide.es.json"),
  de: () => import("./guide.de.json"),
  ru: () => import("./guide.ru.json"),
  it: () => import("./guide.it.json"),
};

/** The texts of the guide in a language, loaded when first asked for. */
export async function guideTexts(language: Language): Promise<GuideTexts> {
  return (await TEXTS[language]()).default;
}

/** A hint in words: the text for the game, or the one for both. */
export function hintText(texts: GuideTexts, language: Language, game: GameName, hint: Hint, names: Names): string {
  const entry = texts[`${hint.id}.${game}`] ?? texts[hint.id];
  const { card, tile, seat, colours, count } = hint.finding;
  const form = new Intl.PluralRules(language).select(count ?? 0);
  const text = typeof entry === "object" ? (entry[form] ?? entry.other) : entry;
  if (text === undefined) throw new Error(`expected a text for the hint ${hint.id} in ${game}, found none`);
  const values: Record<string, string | undefined> = {
    card: card === undefined ? undefined : names.card(card),
    tile: tile === undefined ? undefined : names.tile(tile),
    player: seat === undefined ? undefined : names.seat(seat),
    colours: colours === undefined ? undefined : names.colours(colours),
    count: count?.toString(),
  };
  return filled(text, (name) => {
    const value = values[name];
    if (value === undefined) throw new Error(`expected ${name} for the hint ${hint.id}, found none`);
    return value;
  });
}

// Looking at a position

function sceneOf(position: Position): Scene | null {
  const { view } = position;
  const me = view.viewer === null ? undefined : view.seats[view.viewer];
  const own = position.progress.find((progress) => progress.seat === view.viewer);
  if (me === undefined || own === undefined) return null;
  return {
    position,
    game: view.game,
    me,
    own,
    rivals: position.progress.filter((progress) => progress.seat !== view.viewer),
    wilds: me.tokens[CATALOGUES[view.game].wild] ?? 0,
    held: sum(me.tokens),
    affordable: acts(position) ? position.prices.filter((price) => price.is_affordable) : [],
  };
}

function decides(position: Position, phase: Position["view"]["phase"]): boolean {
  return position.view.seat === position.view.viewer && position.view.phase === phase;
}

/** It is the viewer's turn to take, reserve or buy. */
function acts(position: Position): boolean {
  return decides(position, "act");
}

function sum(tokens: Record<string, number>): number {
  return Object.values(tokens).reduce((total, count) => total + count, 0);
}

function highest<Item>(items: readonly Item[], value: (item: Item) => number): Item | undefined {
  return items.reduce<Item | undefined>(
    (found, item) => (found === undefined || value(item) > value(found) ? item : found),
    undefined,
  );
}

function cardOf(game: GameName, number: number): Card {
  const card = CATALOGUES[game].cards[number - 1];
  if (card === undefined) throw new Error(`expected a card from 1 to ${CATALOGUES[game].cards.length}, got ${number}`);
  return card;
}

function cardAt(scene: Scene, price: Price): Card {
  return cardOf(scene.game, price.card);
}

function about(price: Price): Finding {
  return { card: price.card, place: price.place };
}

/** The affordable card with the most points among those that will do. */
function best(scene: Scene, willDo: (card: Card) => boolean): Price | null {
  const fitting = scene.affordable.filter((price) => willDo(cardAt(scene, price)));
  return highest(fitting, (price) => cardAt(scene, price).points) ?? null;
}

/** Whether the card alone would make the viewer fulfil what ends the game. */
function finishes({ own, game }: Scene, card: Card): boolean {
  const colours = new Set([...own.colours, card.bonus]);
  return (
    own.points + card.points >= own.points_needed &&
    (!own.needs_colours || colours.size === CATALOGUES[game].colours.length) &&
    (!own.needs_time || own.has_time || card.level === 3)
  );
}

/** The colours of the bonuses that the viewer lacks for a tile, each as often as it lacks it. */
function lackingBonuses({ game, me }: Scene, tile: number): string[] {
  const needs = CATALOGUES[game].tiles[tile - 1]?.needs ?? [];
  return CATALOGUES[game].colours.flatMap((colour, index) => {
    const lacking = Math.max(0, (needs[index] ?? 0) - (me.bonuses[colour] ?? 0));
    return Array.from({ length: lacking }, () => colour);
  });
}

/** The tile on the table for which the card's bonus is the only one missing. */
function completedBy(scene: Scene, card: Card): number | undefined {
  return scene.position.view.tiles.find(({ tile, owner }) => {
    const lacking = owner === null ? lackingBonuses(scene, tile) : [];
    return lacking.length === 1 && lacking[0] === card.bonus;
  })?.tile;
}

/** A strong card in the market that a rival can pay for and the viewer cannot, but may reserve. */
function wantedByRival({ position, game, me, rivals }: Scene): Finding | null {
  const { colours, wild } = CATALOGUES[game];
  for (const price of position.prices) {
    const card = cardOf(game, price.card);
    const canReserve = position.legal.some((move) => move.kind === "reserve" && move.place === price.place);
    if (!acts(position) || !canReserve || price.is_affordable || card.points < STRONG_POINTS) continue;
    const buyer = rivals.find(({ seat }) => {
      const side = position.view.seats[seat];
      if (side === undefined || seat === me.seat) return false;
      const missing = colours.map((colour, index) => {
        const covered = (side.bonuses[colour] ?? 0) + (side.tokens[colour] ?? 0);
        return Math.max(0, (card.cost[index] ?? 0) - covered);
      });
      return missing.reduce((total, count) => total + count, 0) <= (side.tokens[wild] ?? 0);
    });
    if (buyer !== undefined) return { ...about(price), seat: buyer.seat, count: card.points };
  }
  return null;
}

/** The best card that one more token, which lies in the supply, would pay for. */
function oneShort(scene: Scene): Finding | null {
  const { position, wilds } = scene;
  if (!acts(position)) return null;
  const near = position.prices.filter((price) => price.wilds - wilds === 1);
  const price = highest(near, (each) => cardAt(scene, each).points);
  const colour = Object.entries(price?.missing ?? {}).find(
    ([token, count]) => count > 0 && (position.view.supply[token] ?? 0) > 0,
  )?.[0];
  return price === undefined || colour === undefined ? null : { ...about(price), colours: [colour] };
}

/** A colour of which two can be taken, and a card for which two or more are missing; not in the first round. */
function twoAlike({ position }: Scene): Finding | null {
  if (!acts(position) || position.view.round === 1) return null;
  for (const { kind, tokens } of position.legal) {
    const [first, second] = tokens;
    if (kind !== "take" || tokens.length !== 2 || first === undefined || first !== second) continue;
    const price = position.prices.find((each) => (each.missing[first] ?? 0) >= 2);
    if (price !== undefined) return { ...about(price), colours: [first] };
  }
  return null;
}

function focusOn({ place, tile, seat, colours }: Finding): Focus[] {
  return [
    ...(place === undefined ? [] : [`card:${place}`]),
    ...(tile === undefined ? [] : [`tile:${tile}`]),
    ...(seat === undefined ? [] : [`seat:${seat}`]),
    ...(colours ?? []).map((colour) => `pile:${colour}`),
  ];
}

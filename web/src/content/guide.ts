/**
 * The guide of a first game: short hints, each said once, when the table shows what it is about.
 *
 * `pickHint` looks at a position as the server sends it and at the hints already said, and gives the one that fits
 * best, or null. The page says it and points at the one thing it is about (`focus`). At the start of a game, several
 * hints form a small tour; later there is at most one in a turn.
 */

import { CATALOGUES, TOKEN_LIMIT, type Card, type GameName } from "../generated/catalogue";
import type { Position, Price, Progress, SeatView } from "../generated/protocol";
import { filled, type Language } from "../lib/messages.svelte";

/** What a hint is about, found in the position: the texts name it, and the page points at it. */
export interface Finding {
  place?: string;
  tile?: number;
  seat?: number;
  colour?: string;
  count?: number;
}

/**
 * What the page points at: `supply`, `hand`, `holdings` and `goal`, which are one's own, or one thing: `card:2.3`,
 * `card:h1`, `tile:5` (the number in the catalogue), `pile:red`, `bonus:red` (one's own), `seat:1`.
 */
export type Focus = string;

export interface Hint {
  id: HintId;
  finding: Finding;
  focus: Focus;
  rule: string;
  /** Whether another hint may follow at once. */
  isTour: boolean;
}

/** A position with what the conditions ask of it. */
interface Scene {
  position: Position;
  game: GameName;
  me: SeatView;
  own: Progress;
  rivals: Progress[];
  held: number;
  affordable: Price[];
}

type Condition = (scene: Scene) => Finding | null;

const CLOSE_POINTS = 3;
const ROUND_TO_RESERVE = 3;
/** So many cards one has before a noble or a location is worth a thought. */
const CARDS_BEFORE_TILES = 2;

/** Each condition by its name; `opening`, for one, holds until one's first move. */
const CONDITIONS = {
  opening: (scene) => (isOpening(scene) ? {} : null),
  first_card: (scene) => (isOpening(scene) ? cheapest(scene) : null),

  returning: ({ position, held }) => (decides(position, "return") ? { count: held - TOKEN_LIMIT } : null),
  choosing_tile: (scene) => {
    const { position } = scene;
    if (!decides(position, "tile")) return null;
    const free = position.view.tiles.filter(({ owner }) => owner === null);
    const earned = free.find(({ tile }) => lackingBonuses(scene, tile).length === 0) ?? free[0];
    return earned === undefined ? null : { tile: earned.tile };
  },

  can_finish: (scene) => {
    const price = best(scene, (card) => finishes(scene, card));
    return price && { ...about(price), count: scene.own.points + cardAt(scene, price).points };
  },
  last_turn: ({ position, rivals }) => {
    const first = acts(position) ? rivals.find((rival) => rival.qualifies) : undefined;
    return first === undefined ? null : { seat: first.seat };
  },
  completes_tile: (scene) => {
    const price = scene.affordable.find((each) => completesTile(scene, cardAt(scene, each)));
    return price === undefined ? null : about(price);
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

  can_buy: (scene) => {
    const price = best(scene, () => true);
    return price && about(price);
  },
  free_card: (scene) => {
    const price = scene.affordable.find((each) => sum(each.due) === 0);
    return price === undefined ? null : about(price);
  },
  first_bonus: ({ position, game, me }) => {
    const [number, ...others] = me.cards;
    if (!acts(position) || number === undefined || others.length > 0) return null;
    return { colour: cardOf(game, number).bonus };
  },
  has_reserved: ({ position, me }) => (acts(position) && me.reserved.length > 0 ? {} : null),
  two_alike: (scene) => twoAlike(scene),
  nearest_tile: (scene) => {
    const { position, me } = scene;
    if (!acts(position) || me.cards.length < CARDS_BEFORE_TILES) return null;
    const free = position.view.tiles.filter(({ owner }) => owner === null);
    const nearest = highest(free, ({ tile }) => -lackingBonuses(scene, tile).length);
    return nearest === undefined ? null : { tile: nearest.tile };
  },
  may_reserve: ({ position, game, me, affordable }) => {
    const { wild } = CATALOGUES[game];
    const isTime = acts(position) && position.view.round >= ROUND_TO_RESERVE && affordable.length === 0;
    const canTake = (position.view.supply[wild] ?? 0) > 0 && me.reserved.length === 0;
    return isTime && canTake ? { colour: wild } : null;
  },
} satisfies Record<string, Condition>;

export type ConditionName = keyof typeof CONDITIONS;

interface Entry {
  id: string;
  when: ConditionName;
  /** Where to read more, in each game. */
  rules: Record<GameName, string>;
  focus?: Focus;
  isTour?: true;
}

function both(rule: string): Record<GameName, string> {
  return { splendor: rule, marvel: rule };
}

function each(splendor: string, marvel: string): Record<GameName, string> {
  return { splendor, marvel };
}

/** The hints, the most urgent first. */
export const HINTS = [
  { id: "goal", when: "opening", rules: each("END-B1", "END-M1"), focus: "goal", isTour: true },
  { id: "cost", when: "first_card", rules: both("CRD-1"), isTour: true },
  { id: "take", when: "opening", rules: both("TRN-2"), focus: "supply" },

  { id: "must_return", when: "returning", rules: both("LIM-1"), focus: "holdings" },
  { id: "choose_tile", when: "choosing_tile", rules: each("NOB-3", "LOC-2") },

  { id: "can_finish", when: "can_finish", rules: each("END-B1", "END-M1") },
  { id: "last_turn", when: "last_turn", rules: each("END-B1", "END-M2") },
  { id: "completes_tile", when: "completes_tile", rules: each("NOB-1", "LOC-1") },
  { id: "brings_time", when: "brings_time", rules: both("TIM-2") },
  { id: "takes_avengers", when: "takes_avengers", rules: both("AVG-2") },
  { id: "rival_close", when: "rival_close", rules: each("END-B1", "END-M1") },
  { id: "can_buy", when: "can_buy", rules: both("TRN-8") },
  { id: "first_bonus", when: "first_bonus", rules: both("BON-1") },
  { id: "free_card", when: "free_card", rules: both("BON-3") },
  { id: "has_reserved", when: "has_reserved", rules: both("RSV-7"), focus: "hand" },
  { id: "tiles", when: "nearest_tile", rules: each("NOB-1", "LOC-1") },
  { id: "two_alike", when: "two_alike", rules: both("TRN-5") },
  { id: "reserve", when: "may_reserve", rules: both("RSV-6") },
] as const satisfies readonly Entry[];

export type HintId = (typeof HINTS)[number]["id"];

/** The hint for this position that was not said yet, or null: for a spectator always, for others often. */
export function pickHint(position: Position, said: ReadonlySet<string>): Hint | null {
  const scene = sceneOf(position);
  if (scene === null) return null;
  for (const entry of HINTS) {
    if (said.has(entry.id)) continue;
    const finding = (CONDITIONS[entry.when] as Condition)(scene);
    if (finding === null) continue;
    const focus = "focus" in entry ? entry.focus : focusOn(entry.id, finding);
    return { id: entry.id, finding, focus, rule: entry.rules[scene.game], isTour: "isTour" in entry };
  }
  return null;
}

// What the texts need

export type GuideTexts = Record<string, string | Partial<Record<Intl.LDMLPluralRule, string>>>;

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
export function hintText(
  texts: GuideTexts,
  language: Language,
  game: GameName,
  hint: Pick<Hint, "id" | "finding">,
  nameOf: (seat: number) => string,
): string {
  const entry = texts[`${hint.id}.${game}`] ?? texts[hint.id];
  const { seat, count } = hint.finding;
  const form = new Intl.PluralRules(language).select(count ?? 0);
  const text = typeof entry === "object" ? (entry[form] ?? entry.other) : entry;
  if (text === undefined) throw new Error(`expected a text for the hint ${hint.id} in ${game}, found none`);
  const values: Record<string, string | undefined> = {
    player: seat === undefined ? undefined : nameOf(seat),
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
  if (me === undefined || own === undefined || position.outcome !== null) return null;
  return {
    position,
    game: view.game,
    me,
    own,
    rivals: position.progress.filter((progress) => progress.seat !== view.viewer),
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

function isOpening({ position, me, held }: Scene): boolean {
  return acts(position) && held === 0 && me.cards.length === 0 && me.reserved.length === 0;
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
  return { place: price.place };
}

/** The card of the market that costs the fewest tokens. */
function cheapest({ position }: Scene): Finding | null {
  const price = highest(position.prices, (each) => -sum(each.due));
  return price === undefined ? null : about(price);
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

/** Whether the card's bonus is the only one missing for a tile on the table. */
function completesTile(scene: Scene, card: Card): boolean {
  return scene.position.view.tiles.some(({ tile, owner }) => {
    const lacking = owner === null ? lackingBonuses(scene, tile) : [];
    return lacking.length === 1 && lacking[0] === card.bonus;
  });
}

/** A colour of which two can be taken, for a card for which two or more are missing; not in the first round. */
function twoAlike({ position }: Scene): Finding | null {
  if (!acts(position) || position.view.round === 1) return null;
  for (const { kind, tokens } of position.legal) {
    const [first, second] = tokens;
    if (kind !== "take" || tokens.length !== 2 || first === undefined || first !== second) continue;
    if (position.prices.some((each) => (each.missing[first] ?? 0) >= 2)) return { colour: first };
  }
  return null;
}

function focusOn(id: HintId, { place, tile, seat, colour }: Finding): Focus {
  if (place !== undefined) return `card:${place}`;
  if (tile !== undefined) return `tile:${tile}`;
  if (seat !== undefined) return `seat:${seat}`;
  if (colour === undefined) throw new Error(`expected something that the hint ${id} is about, found nothing`);
  return id === "first_bonus" ? `bonus:${colour}` : `pile:${colour}`;
}

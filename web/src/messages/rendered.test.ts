/**
 * Every text of the page that takes insertions, with every kind of insertion that the page makes.
 *
 * The files in `rendered` hold these sentences as players see them, for native speakers to review. Where a change is
 * meant, write them anew with `python tools/npm.py test -- -u`, and read the difference.
 */

import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

import { afterEach, expect, test } from "vitest";

import { guideTexts, HINTS, hintText, type Finding, type HintId } from "../content/guide";
import { rulebook } from "../content/rulebook";
import { CATALOGUES, HAND_LIMIT, LEVELS, LOCAL_NAMES, TOKEN_LIMIT } from "../generated/catalogue";
import type { Card, GameName } from "../generated/catalogue";
import type { Price, Step } from "../generated/protocol";
import { spanText } from "../lib/clock";
import { cardLabel, printedLabel } from "../lib/labels";
import { currentLanguage, LANGUAGES, listed, percent, speak, t } from "../lib/messages.svelte";
import type { Language, MessageKey, Parameters } from "../lib/messages.svelte";
import { nameOf } from "../lib/names";
import { FACES, WORDS } from "../lib/phrases";
import { cardName, clausesOf, endingText, needsText, tileName, tileOf, turnsOf, turnText } from "../lib/story";
import { tokenCount, tokenList, tokenName, tokensOf } from "../lib/story";
import { digits } from "../lib/time.svelte";
import { forfeited, position, step } from "../testing/positions";
import english from "./en.json";

type Value = Parameters[string];
type Entry = string | Record<string, string>;

/** What is inserted for a placeholder, in the language that is spoken. */
type Kind<Inserted = Value> = (game: GameName) => readonly Inserted[];

const FOLDER = join(import.meta.dirname, "rendered");
const GAMES: readonly GameName[] = ["splendor", "marvel"];
const LANGUAGE_NAMES = Object.keys(LANGUAGES) as Language[];
const GUIDES = new Map(await load(guideTexts));
const BOOKS = new Map(await load(rulebook));

async function load<Texts>(from: (language: Language) => Promise<Texts>): Promise<[Language, Texts][]> {
  return Promise.all(LANGUAGE_NAMES.map(async (language) => [language, await from(language)] as [Language, Texts]));
}

// What is inserted

/** They need every plural form of every language; where there are only two, the first two numbers will do. */
const NUMBERS = [1, 2, 5, 11, 21];
/** Nobles with two and with three colours, and locations with and without a comma in their names. */
const TILES: Record<GameName, number[]> = { splendor: [1, 4, 7, 10], marvel: [1, 5] };
/** Names with an article or a full stop of their own, and those that a rulebook translates. */
const CHARACTERS = new Set([
  ...["Thor", "The Collector", "M.O.D.O.K."],
  ...Object.values(LOCAL_NAMES).flatMap((names) => Object.keys(names)),
]);

/** The characters; in Splendor a card of each colour without points, and one of each with 1 to 5 points. */
function cards(game: GameName): number[] {
  const { cards, colours } = CATALOGUES[game];
  const wanted: ((card: Card) => boolean)[] =
    game === "marvel"
      ? [...CHARACTERS].map((name) => (card) => card.name === name)
      : colours.flatMap((colour, index) =>
          [0, index + 1].map((points) => (card) => card.bonus === colour && card.points === points),
        );
  return wanted.flatMap((fits) => cards.find(fits)?.number ?? []);
}

function colours(game: GameName): string[] {
  return CATALOGUES[game].colours;
}

function coloursAndWild(game: GameName): string[] {
  return [...colours(game), CATALOGUES[game].wild];
}

function coloursAndTime(game: GameName): string[] {
  return [...colours(game), "time"];
}

function namesOf(tokens: (game: GameName) => string[]): Kind {
  return (game) => tokens(game).map((token) => tokenName(game, token));
}

function numbers(): number[] {
  const plural = new Intl.PluralRules(currentLanguage());
  return new Set(NUMBERS.map((number) => plural.select(number))).size > 2 ? NUMBERS : NUMBERS.slice(0, 2);
}

/** Each token 1, 2 and 5 times, but 5 times only where the language has a plural form for it, and two together. */
function amounts(tokens: readonly string[]): Record<string, number>[] {
  const pair = Object.fromEntries(tokens.slice(-2).map((token, index) => [token, 2 - index]));
  const counts = numbers().slice(0, 3);
  return [...tokens.flatMap((token) => counts.map((count) => ({ [token]: count }))), pair];
}

function amountsOf(tokens: (game: GameName) => string[]): Kind {
  return (game) => amounts(tokens(game)).map((amount) => tokenList(game, amount));
}

function bots(): string[] {
  return [
    nameOf({ kind: "bot", name: "Grandmaster", level: "grandmaster" }),
    nameOf({ kind: "bot", name: "Novice 2", level: "novice" }),
  ];
}

/** Whoever types no name is called by words of the page. */
function people(): string[] {
  return ["Ada", "Boris", "J. R.", t("start.nobody"), t("here.player", { seat: 2 })];
}

function sitters(): string[] {
  return [...people().slice(0, 3), ...bots()];
}

function groups(): string[] {
  return [["Ada", "Boris"], bots(), ["Ada", ...bots()]].map(listed);
}

/** What a seat may do in one decision. */
function steps(game: GameName): Step[] {
  const { wild } = CATALOGUES[game];
  const [one = "", two = "", three = ""] = colours(game);
  const [card = 0] = cards(game);
  const wilds = { [wild]: 1 };
  const market = { kind: "reserve", place: "1.1", card, level: 1 } as const;
  const deck = { kind: "reserve", place: "2", level: 2 } as const;
  const bought = { kind: "pay", card, is_card_bought: true } as const;
  const more = game === "marvel" ? { gained: { time: 1 }, takes_avengers_tile: true } : {};
  const changes: Partial<Step>[] = [
    { gained: { [one]: 1, [two]: 1, [three]: 1 } },
    { gained: { [one]: 2 } },
    { kind: "return", spent: wilds },
    { kind: "pass" },
    { ...market, gained: wilds },
    market,
    { ...deck, gained: wilds },
    deck,
    { ...deck, card, gained: wilds },
    { ...deck, card },
    { ...bought, spent: { [three]: 2, ...wilds } },
    bought,
    { ...bought, spent: { [one]: 5 }, tiles: TILES[game].slice(0, 1), ...more },
  ];
  return changes.map((change) => step(1, 0, change));
}

function deeds(game: GameName): string[] {
  return steps(game).map((one) => clausesOf(game, one).join(t("log.between")));
}

/** Two turns of bots, each in a sentence. */
function line(game: GameName): string {
  const turns = turnsOf(
    steps(game)
      .map((one, index) => ({ ...one, seq: index, seat: index % 2 }))
      .slice(0, 2),
  );
  return turns.map((turn) => t("news", { name: bots()[turn.seat] ?? "", what: turnText(game, turn) })).join(" ");
}

function example(): string {
  return BOOKS.get(currentLanguage())?.topics.find((topic) => topic.example !== "")?.example ?? "";
}

function ruling(): string {
  return BOOKS.get(currentLanguage())?.rules.find((rule) => rule.ruling !== "")?.ruling ?? "";
}

/** By the name of the placeholder. */
const KINDS: Record<string, Kind> = {
  card: (game) => cards(game).map((card) => cardName(game, card)),
  chosen: () => [1],
  count: numbers,
  done: () => [3],
  example: () => [example()],
  expected: () => [7],
  game: () => GAMES.map((game) => t(`game.${game}`)),
  gem: namesOf(colours),
  has: () => [1],
  held: () => [2],
  left: () => [4],
  level: () => [1, 2, 3],
  levels: () => ["1, 3"],
  line: () => [12],
  loss: () => [0.05, 0.21].map(percent),
  move: () => [3],
  name: sitters,
  names: groups,
  needs: (game) => TILES[game].map((tile) => needsText(game, tileOf(game, tile))),
  number: () => [12],
  others: () => [t("start.against", { names: "Ada" }), t("room.title")],
  page: () => [1],
  pages: () => [3],
  phrase: () => [...WORDS, ...FACES].map((phrase) => t(`phrase.${phrase}`)),
  place: () => [2],
  points: () => [4],
  reserve: () => [60, 300].map(spanText),
  round: () => [12],
  ruling: () => [ruling()],
  seat: () => [2],
  tile: (game) => TILES[game].map((tile) => tileName(game, tile)),
  time: () => [65, 3725].map(digits),
  token: namesOf(coloursAndWild),
  tokens: amountsOf(coloursAndWild),
  turn: () => [30, 45, 60, 120].map(spanText),
  what: deeds,
  where: () => ["2.3", "h", "t2"],
  wild: (game) => [tokenName(game, CATALOGUES[game].wild)],
};

const oneWild: Kind = (game) => [tokenCount(game, CATALOGUES[game].wild, 1)];

/** Where a placeholder stands for something else. */
const EXCEPTIONS: Partial<Record<MessageKey, Record<string, Kind>>> = {
  "label.cost": { tokens: amountsOf(colours) },
  "label.tile": { name: (game) => TILES[game].map((tile) => tileOf(game, tile).name ?? t("noble")) },
  "price.missing": { tokens: amountsOf(colours) },
  "start.against": { names: () => [...sitters(), ...groups()] },
  "lobby.by": { name: people },
  "pass.to": { name: people },
  "pass.how": { name: people },
  "pass.show": { name: people },
  "clock.is.days": { turn: () => [1, 2, 5].map((count) => t("clock.dayCount", { count })) },
  "own.tokens": { count: () => [TOKEN_LIMIT] },
  "own.reserved": { count: () => [HAND_LIMIT] },
  "holdings.return": {
    tokens: (game) => tokensOf(game).flatMap((token) => [1, 2].map((count) => tokenCount(game, token, count))),
  },
  "pile.label": { token: namesOf(tokensOf) },
  "way.of": { count: (game) => [game === "marvel" ? 16 : 15] },
  "way.has": { token: namesOf(coloursAndTime) },
  "way.lacks": { token: namesOf(coloursAndTime) },
  "avengers.free": { count: () => [3, 4, 5] },
  "tile.has": { count: () => [3, 4] },
  "take.all": {
    tokens: (game) =>
      amounts(colours(game)).map((amount) =>
        Object.entries(amount)
          .map(([token, count]) => tokenCount(game, token, count))
          .join(", "),
      ),
  },
  "pay.more": { token: namesOf(colours) },
  "pay.less": { token: namesOf(colours) },
  "log.take": { tokens: amountsOf(colours) },
  "log.blind.wild": { tokens: oneWild },
  "log.reserve.wild.splendor": { tokens: oneWild },
  "log.reserve.wild.marvel": { tokens: oneWild },
  "log.drawn.wild.splendor": { tokens: oneWild },
  "log.drawn.wild.marvel": { tokens: oneWild },
  news: { what: (game) => [...deeds(game), t("last_move.paying")] },
  "ended.failure": { name: bots },
  "analysis.line": { line: (game) => [line(game)] },
  "opponents.bots.level": { level: () => LEVELS.map((level) => t(`level.${level}`)) },
  "room.seatKept": { name: people },
  "room.remove": { name: people },
  "room.sat": { name: people },
  "claim.instead": { name: people },
};

/** Texts of one game whose keys do not say so. */
const ONE_GAME: Partial<Record<MessageKey, GameName>> = {
  "card.plain": "splendor",
  "card.worth": "splendor",
  "tile.noble": "splendor",
  "label.bonus": "marvel",
  "way.has": "marvel",
  "way.lacks": "marvel",
};

function counts(...found: number[]): Record<string, Kind<Finding>> {
  return { count: () => found.map((count) => ({ count })) };
}

/** What the guide finds in a position, by the name of the placeholder. */
const FINDINGS: Record<string, Kind<Finding>> = { player: () => sitters().map((_, seat) => ({ seat })) };

/** Where a hint finds something else. */
const OWN_FINDINGS: Partial<Record<HintId, Record<string, Kind<Finding>>>> = {
  must_return: counts(1, 2, 3),
  can_finish: counts(15, 16, 21),
  rival_close: counts(12, 13, 15),
};

// Rendering

/** The placeholders of a text; a text with plural forms needs a number in any case. */
function placeholders(entry: Entry): string[] {
  const texts = typeof entry === "string" ? [entry] : ["{count}", ...Object.values(entry)];
  return [...new Set(texts.flatMap((text) => [...text.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? "")))];
}

function gamesOf(key: string): readonly GameName[] {
  const only = GAMES.find((game) => key.split(".").includes(game)) ?? ONE_GAME[key as MessageKey];
  return only === undefined ? GAMES : [only];
}

/** All choices that differ from the first choice in one place at most. */
function oneByOne<Inserted>(options: [string, readonly Inserted[]][]): Record<string, Inserted>[] {
  const first = Object.fromEntries(
    options.flatMap(([name, values]) => values.slice(0, 1).map((value) => [name, value])),
  );
  return options.flatMap(([name, values]) => values.map((value) => ({ ...first, [name]: value })));
}

const used = new Set<string>();

function kindOf(key: MessageKey, name: string): Kind {
  const own = EXCEPTIONS[key]?.[name];
  const kind = own ?? KINDS[name];
  if (kind === undefined)
    throw new Error(`expected a kind of insertion for {${name}} of the message ${key}, found none`);
  used.add(own === undefined ? name : `${key} ${name}`);
  return kind;
}

function findingsOf(id: HintId, name: string): Kind<Finding> {
  const kind = OWN_FINDINGS[id]?.[name] ?? FINDINGS[name];
  if (kind === undefined) throw new Error(`expected a kind of finding for {${name}} of the hint ${id}, found none`);
  return kind;
}

function ofMessage(key: MessageKey): string[] {
  const names = placeholders(english[key]);
  return gamesOf(key).flatMap((game) =>
    oneByOne(names.map((name) => [name, kindOf(key, name)(game)])).map((parameters) => t(key, parameters)),
  );
}

function ofHint(key: string): string[] {
  const texts = GUIDES.get(currentLanguage()) ?? {};
  const id = HINTS.find((hint) => hint.id === key.split(".")[0])?.id;
  if (id === undefined) throw new Error(`expected a hint for the text ${key} of the guide, found none`);
  return gamesOf(key).flatMap((game) =>
    oneByOne(placeholders(texts[key] ?? "").map((name) => [name, findingsOf(id, name)(game)])).map((findings) => {
      const finding = Object.assign({}, ...Object.values(findings)) as Finding;
      return hintText(texts, currentLanguage(), game, { id, finding }, (seat) => sitters()[seat] ?? "");
    }),
  );
}

/** Texts that are put together of several messages. */
function ofFunctions(): [string, string[]][] {
  const prices = (game: GameName): Omit<Price, "place" | "card">[] => {
    const [one = "", two = ""] = colours(game);
    const due = { [one]: 3, [two]: 1 };
    return [
      { due, missing: { [one]: 2 }, wilds: 2, is_affordable: false },
      { due, missing: { [one]: 1 }, wilds: 1, is_affordable: true },
      { due, missing: {}, wilds: 0, is_affordable: true },
      { due: {}, missing: {}, wilds: 0, is_affordable: true },
    ];
  };
  const cardLabels = GAMES.flatMap((game) =>
    prices(game).map((price, index) => {
      const card = cards(game).at(index) ?? 1;
      return cardLabel(position({ game, prices: [{ ...price, place: "1.1", card }] }), "1.1", card);
    }),
  );
  const turnTexts = GAMES.map((game) => turnText(game, { round: 1, seat: 0, steps: steps(game).slice(0, 4) }));
  return [
    ["printedLabel", GAMES.flatMap((game) => cards(game).map((card) => printedLabel(game, card)))],
    ["cardLabel", cardLabels],
    ["turnText", turnTexts],
    [
      "endingText",
      sitters().map((name, seat) => endingText(forfeited("timeout"), (one) => sitters()[seat + one] ?? name)),
    ],
  ];
}

/** All of it, one rendering per line; non-breaking spaces are written as plain ones. */
function rendered(): string {
  const all: [string, string[]][] = [
    ...(Object.keys(english) as MessageKey[]).map((key): [string, string[]] => [key, ofMessage(key)]),
    ...Object.keys(GUIDES.get("en") ?? {}).map((key): [string, string[]] => [`guide.${key}`, ofHint(key)]),
    ...ofFunctions(),
  ];
  const lines = all.flatMap(([key, texts]) => texts.map((text) => `${key}: ${text}\n`));
  return [...new Set(lines)].join("").replaceAll(/[\u00a0\u202f]/g, " ");
}

afterEach(() => speak("en"));

test.each(LANGUAGE_NAMES)("the sentences in %s are the reviewed ones", async (language) => {
  const path = join(FOLDER, `${language}.txt`);
  const isWriting = expect.getState().snapshotState.snapshotUpdateState === "all";
  if (!isWriting && !existsSync(path))
    throw new Error(`expected the reviewed sentences in ${path}, found no such file`);
  speak(language);
  await expect(rendered()).toMatchFileSnapshot(path);
});

test("every kind of insertion is used, and every file belongs to a language", () => {
  rendered();
  const exceptions = Object.entries(EXCEPTIONS).flatMap(([key, kinds]) =>
    Object.keys(kinds).map((name) => `${key} ${name}`),
  );
  expect([...used].sort()).toEqual([...Object.keys(KINDS), ...exceptions].sort());
  expect(LANGUAGE_NAMES.map((language) => `${language}.txt`)).toEqual(expect.arrayContaining(readdirSync(FOLDER)));
});

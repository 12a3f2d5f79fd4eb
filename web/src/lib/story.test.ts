import { afterEach, describe, expect, test } from "vitest";

import { CATALOGUES, type GameName } from "../generated/catalogue";
import type { Outcome } from "../generated/protocol";
import { forfeited, outcome, step } from "../testing/positions";
import { LANGUAGES, speak, t, type Language } from "./messages.svelte";
import { cardName, clausesOf, endingText, failureDetail, lastTurns, linesOf } from "./story";
import { takebacksOf, tileName, tokenList, turnsOf, turnText, type GameEvent } from "./story";

test("steps of one turn belong together", () => {
  const turns = turnsOf([
    step(1, 0),
    step(2, 0, { kind: "return", spent: { red: 1 } }),
    step(3, 1),
    step(4, 0, { round: 2 }),
  ]);
  expect(turns.map((turn) => turn.steps.map((one) => one.seq))).toEqual([[1, 2], [3], [4]]);
  expect(lastTurns(turns, 3).map((turn) => turn?.round ?? null)).toEqual([2, 1, null]);
});

function undone(seq: number, ...undoes: number[]): GameEvent {
  return { type: "undone", seq, seat: 0, undoes, at: "2026-01-01T00:00:00Z" };
}

/** Two rounds against a bot, all of which was taken back, and the first turn once more. */
const TAKEN_BACK: GameEvent[] = [
  step(1, 0),
  step(2, 1),
  step(3, 0, { round: 2 }),
  step(4, 1, { round: 2 }),
  undone(5, 3, 4),
  step(6, 0, { round: 2, kind: "return", is_turn_over: false }),
  undone(7, 6),
  undone(8, 1, 2),
  step(9, 0),
];

test("what was taken back is no turn any more, and marks nothing", () => {
  const seqs = (count: number): number[] =>
    turnsOf(TAKEN_BACK.slice(0, count)).flatMap((turn) => turn.steps.map((each) => each.seq));
  expect(seqs(5)).toEqual([1, 2]);
  expect(seqs(7)).toEqual([1, 2]);
  expect(seqs(9)).toEqual([9]);
  expect(lastTurns(turnsOf(TAKEN_BACK), 2).map((turn) => turn?.steps[0]?.seq)).toEqual([9, undefined]);
});

test("going back further swallows what was taken back before", () => {
  expect(takebacksOf(TAKEN_BACK.slice(0, 6))).toEqual([{ seq: 5, seat: 0, round: 2, turns: 1 }]);
  expect(takebacksOf(TAKEN_BACK)).toEqual([{ seq: 8, seat: 0, round: 1, turns: 2 }]);
  expect(
    takebacksOf([step(1, 0), undone(2, 1), step(3, 0), step(4, 1), step(5, 0, { round: 2 }), undone(6, 5)]),
  ).toEqual([
    { seq: 2, seat: 0, round: 1, turns: 1 },
    { seq: 6, seat: 0, round: 2, turns: 1 },
  ]);
});

test("tokens are counted in words, in the order of the game", () => {
  expect(tokenList("splendor", { gold: 1, red: 2 })).toBe("2 rubies and 1 gold");
  expect(tokenList("marvel", { time: 1 })).toBe("1 Time");
  expect(tokenList("splendor", { red: 0 })).toBe("");
});

test("cards and tiles have names, or are described", () => {
  expect(cardName("splendor", 1)).toBe("level 1 diamond card");
  expect(cardName("splendor", 8)).toBe("level 1 diamond card worth 1 point");
  expect(cardName("marvel", 83)).toBe("Thor");
  expect(tileName("marvel", 5)).toBe("Asgard");
  expect(tileName("splendor", 1)).toMatch(/^the noble who wants /);
});

test("characters have the names that the rulebook of the language prints", () => {
  const captain = CATALOGUES.marvel.cards.find((card) => card.name === "Captain America")?.number ?? 0;
  const named = (["en", "es", "de", "ru"] as const).map((language) => {
    speak(language);
    return cardName("marvel", captain);
  });
  speak("en");
  expect(named).toEqual(["Captain America", "Capitán América", "Captain America", "Капитан Америка"]);
});

test.each([
  [{ gained: { white: 1, blue: 1, green: 1 } }, ["took 1 diamond, 1 sapphire, and 1 emerald"]],
  [{ kind: "return", spent: { red: 1 } }, ["returned 1 ruby"]],
  [{ kind: "pass" }, ["passed"]],
  [
    { kind: "reserve", place: "1.2", card: 2, level: 1, gained: { gold: 1 } },
    ["reserved a level 1 diamond card and took 1 gold"],
  ],
  [{ kind: "reserve", place: "3", card: null, level: 3 }, ["reserved an unseen level 3 card"]],
  [{ kind: "reserve", place: "1", card: 2, level: 1 }, ["drew and reserved a level 1 diamond card"]],
  [{ kind: "buy", card: 2, place: "1.2" }, []],
  [
    { kind: "pay", card: 2, is_card_bought: true, spent: { blue: 2, gold: 1 } },
    ["bought a level 1 diamond card for 2 sapphires and 1 gold"],
  ],
  [{ kind: "buy", card: 2, is_card_bought: true }, ["bought a level 1 diamond card, paying only with bonuses"]],
] as const)("a step of Splendor is told: %o", (changes, clauses) => {
  expect(clausesOf("splendor", step(1, 0, changes))).toEqual(clauses);
});

test("a step of Marvel is told with all that came of it", () => {
  const recruit = step(1, 0, {
    kind: "buy",
    card: 83,
    is_card_bought: true,
    spent: { purple: 5 },
    gained: { time: 1 },
    takes_avengers_tile: true,
    tiles: [5],
  });
  expect(turnText("marvel", { round: 1, seat: 0, steps: [recruit] })).toBe(
    "recruited Thor for 5 Power; received the Time Stone; took the Avengers tile; took Asgard",
  );
});

test("tokens returned one by one are told together", () => {
  const steps = [
    step(1, 0, { gained: { white: 2 } }),
    step(2, 0, { kind: "return", spent: { red: 1 } }),
    step(3, 0, { kind: "return", spent: { red: 1 } }),
    step(4, 0, { kind: "return", spent: { gold: 1 } }),
  ];
  expect(turnText("splendor", { round: 1, seat: 0, steps })).toBe("took 2 diamonds; returned 2 rubies and 1 gold");
});

const PEOPLE = ["Ada", "Bo", "Cleo", "Dan"];
const nameOf = (seat: number): string => PEOPLE[seat] ?? "";

test.each<[Partial<Outcome>, string]>([
  [{}, "Ada wins with the highest score: 15."],
  [{ rule: "TIE-B1" }, "Tied on points (15): Ada wins with the fewest cards."],
  [{ rule: "TIE-B1", winners: [0, 1] }, "Tied on points (15) and on cards: Ada and Bo share the victory."],
  [{ termination: "gauntlet", rule: "END-M3" }, "Ada wins: nobody else filled the Gauntlet."],
  [
    { termination: "gauntlet", rule: "END-M5" },
    "Several players filled the Gauntlet: Ada wins with the highest score, 15.",
  ],
  [{ termination: "gauntlet", rule: "TIE-M1" }, "Tied on points (15): Ada wins with the Avengers tile."],
  [{ termination: "gauntlet", rule: "TIE-M2" }, "Tied on points (15): Ada wins with the fewest cards."],
  [
    { termination: "gauntlet", rule: "TIE-M3", winners: [0, 1] },
    "Tied on points (15) and on cards: Ada and Bo share the victory.",
  ],
  [{ termination: "all_passed", rule: "STL-1" }, "Everyone passed: a stalemate. Ada wins."],
  [
    { termination: "no_progress", rule: "STL-1", winners: [] },
    "No more progress: a stalemate. Nobody filled the Gauntlet, so nobody wins.",
  ],
  [forfeited("resignation", "left the table"), "Bo left the game. Ada wins."],
  [forfeited("timeout", "ran out of time"), "Bo ran out of time. Ada wins."],
  [forfeited("failure", "crashed: exit status 1"), "The bot Bo failed. Ada wins."],
  [forfeited("forfeit"), "Bo forfeited the game. Ada wins."],
])("the end of a game is told in a sentence: %o", (changes, sentence) => {
  expect(endingText(outcome(changes), nameOf)).toBe(sentence);
});

/** Every way in which a game of so many can end, as the server sends it. */
function outcomes(game: GameName, players: number): Outcome[] {
  const ranked = (winners: number[]): Partial<Outcome> => ({
    winners,
    places: Array.from({ length: players }, (_, seat) => (winners.includes(seat) ? 1 : winners.length + 1)),
    points: Array.from({ length: players }, (_, seat) => (winners.includes(seat) ? 17 : seat)),
    cards: Array.from({ length: players }, () => 9),
  });
  const [last, all] = [players - 1, Array.from({ length: players }, (_, seat) => seat)];
  const played: Partial<Outcome>[] =
    game === "splendor"
      ? [
          { ...ranked([last]), rule: "END-B2" },
          { ...ranked([0]), rule: "TIE-B1" },
          { ...ranked(all), rule: "TIE-B1" },
        ]
      : [
          ...["END-M3", "END-M5", "TIE-M1", "TIE-M2"].map((rule) => ({ ...ranked([last]), rule })),
          { ...ranked(all), rule: "TIE-M3" },
        ];
  const stuck = (["all_passed", "no_progress"] as const).flatMap((termination) =>
    [...(game === "marvel" ? [[]] : []), [0], all].map((winners) => ({
      ...ranked(winners),
      termination,
      rule: "STL-1",
    })),
  );
  const forfeits = (["resignation", "timeout", "failure", "forfeit"] as const).flatMap((termination) =>
    [[0], ...(players > 2 ? [[0, 1]] : [])].map((winners) => ({
      ...ranked(winners),
      termination,
      rule: "RNK-1",
      seat: last,
      detail: "no answer within 2 s",
    })),
  );
  const termination = game === "splendor" ? "points" : "gauntlet";
  return [...played.map((changes) => ({ termination, ...changes }) as const), ...stuck, ...forfeits].map(outcome);
}

const OF_MARVEL = /Gauntlet|Avengers|Guantelete|Vengadores|Handschuh|Перчатк|Мстител|Guanto/;

describe.each(Object.keys(LANGUAGES) as Language[])("every ending in %s", (language) => {
  afterEach(() => speak("en"));

  test.each(["splendor", "marvel"] as const)("of %s says what happened and who won, without codes", (game) => {
    speak(language);
    for (const players of [2, 3, 4])
      for (const end of outcomes(game, players)) {
        const text = endingText(end, nameOf);
        const named = [...end.winners, ...(end.seat === null ? [] : [end.seat])];
        for (const seat of named) expect(text).toContain(PEOPLE[seat]);
        expect(text).toMatch(/^\p{Lu}.*\.$/u);
        expect(text).not.toMatch(/[A-Z]{3}-\w|[{}_]|undefined|no answer|-Infinity|\.\.|\(0\)/);
        if (game === "splendor") expect(text).not.toMatch(OF_MARVEL);
        if (end.termination === "timeout")
          expect(text).toContain(t("ended.timeout", { name: PEOPLE[players - 1] ?? "" }));
      }
  });
});

test("the log tells of one who left and for whom a bot plays on, and how far a game was taken back", () => {
  const left = { type: "left", seat: 0, level: "novice", at: "2026-01-01T00:00:00Z" } as const;
  const lines = linesOf("splendor", [
    step(1, 0, { gained: { white: 2 } }),
    step(2, 1, { gained: { red: 2 } }),
    { type: "undone", seq: 3, seat: 1, undoes: [2], at: "2026-01-01T00:00:00Z" },
    { ...left, seq: 4, reason: "left" },
    step(5, 1, { kind: "pass" }),
    { ...left, seq: 6, seat: 1, reason: "clock" },
    step(7, 0, { round: 2, kind: "pass" }),
    { ...left, seq: 8, reason: "left", level: null },
  ]);
  expect(lines).toEqual([
    { seq: 1, round: 1, seat: 0, text: "took 2 diamonds" },
    { seq: 3, round: 1, seat: 1, text: "went back 1 turn" },
    { seq: 4, round: 1, seat: 0, text: "left the game; a bot took over" },
    { seq: 5, round: 1, seat: 1, text: "passed" },
    { seq: 6, round: 1, seat: 1, text: "ran out of time; a bot took over" },
    { seq: 7, round: 2, seat: 0, text: "passed" },
  ]);
});

test("what a bot's failure was is told apart from its sentence", () => {
  expect(failureDetail(forfeited("failure", "crashed: exit status 1"))).toBe("crashed: exit status 1");
  expect(failureDetail(forfeited("timeout", "no answer within 2 s"))).toBe("");
  expect(failureDetail(outcome())).toBe("");
});

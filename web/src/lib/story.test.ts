import { expect, test } from "vitest";

import { CATALOGUES } from "../generated/catalogue";
import { forfeited, outcome, step } from "../testing/positions";
import { speak } from "./messages.svelte";
import { cardName, clausesOf, endingText, lastTurns, takebacksOf, tileName } from "./story";
import { tokenList, turnsOf, turnText, type Happening } from "./story";

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

function undone(seq: number, ...undoes: number[]): Happening {
  return { type: "undone", seq, seat: 0, undoes, at: "2026-01-01T00:00:00Z" };
}

/** Two rounds against a bot, all of which was taken back, and the first turn once more. */
const TAKEN_BACK: Happening[] = [
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
  [{ kind: "buy", card: 2, is_card_bought: true }, ["bought a level 1 diamond card with bonuses alone"]],
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

test("the end of a game is called what it is", () => {
  const nameOf = (seat: number): string => ["Ada", "Bo"][seat] ?? "";
  expect(endingText(outcome(), nameOf)).toBe("The highest score won.");
  expect(endingText(outcome({ termination: "gauntlet", rule: "END-M3" }), nameOf)).toBe(
    "Only the winner filled the Gauntlet.",
  );
  expect(endingText(outcome({ termination: "all_passed", rule: "STL-1" }), nameOf)).toBe(
    "Everyone passed: a stalemate.",
  );
  expect(endingText(forfeited("timeout", "no answer within 2 s"), nameOf)).toBe("Bo ran out of time.");
  expect(endingText(forfeited("forfeit"), nameOf)).toBe("Bo forfeited the game.");
});

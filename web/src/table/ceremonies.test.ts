import { describe, expect, test } from "vitest";

import type { Position, Progress, Undone } from "../generated/protocol";
import { outcome, position, seatView, step } from "../testing/positions";
import { ceremoniesOf, ceremonySound, DURATIONS, endingSound, soundOf, type CeremonyKind } from "./ceremonies";

/** A position of Marvel of two, with this progress of each. */
function progressed(...changes: Partial<Progress>[]): Position {
  const now = position({ game: "marvel" });
  return { ...now, progress: now.progress.map((progress, seat) => ({ ...progress, ...changes[seat] })) };
}

const ALL = ["yellow", "purple", "blue", "red", "orange"];
const START = position();

describe("what is celebrated", () => {
  test("nothing of an ordinary move", () => {
    expect(ceremoniesOf([step(1, 0, { gained: { white: 2 } })], START, position({ seq: 1 }), [0])).toEqual([]);
  });

  test("the visit of a noble, whoever is visited", () => {
    const visited = step(1, 1, { tiles: [3] });
    expect(ceremoniesOf([visited], START, position({ seq: 1 }), [0])).toEqual([{ kind: "tile", seat: 1, tile: 3 }]);
  });

  test("the Avengers tile, with who had it before", () => {
    const took = step(1, 0, { takes_avengers_tile: true });
    const seats = [seatView("marvel", 0), seatView("marvel", 1, { avengers_tile: true })];
    const now = position({ game: "marvel", seq: 1 });
    expect(ceremoniesOf([took], position({ game: "marvel", seats }), now, [0])).toEqual([
      { kind: "avengers", seat: 0, from: 1 },
    ]);
    expect(ceremoniesOf([took], position({ game: "marvel" }), now, [0])).toEqual([
      { kind: "avengers", seat: 0, from: null },
    ]);
  });

  test("each of one's own stones, and of another's the last", () => {
    const before = progressed({ colours: ["red"] }, { colours: ALL });
    const now = progressed({ colours: ["red", "blue"], has_time: true }, { colours: ALL, has_time: true });
    expect(ceremoniesOf([], before, now, [0])).toMatchObject([
      { kind: "stone", seat: 0, token: "blue", number: 2, isFull: false },
      { kind: "stone", seat: 0, token: "time", number: 3, isFull: false },
      { kind: "stone", seat: 1, token: "time", number: 6, isFull: true },
    ]);
    expect(ceremoniesOf([], now, now, [0])).toEqual([]);
  });

  test("that somebody can win now, once", () => {
    const before = progressed();
    const now = progressed({}, { qualifies: true });
    expect(ceremoniesOf([], before, now, [0])).toEqual([{ kind: "last", seat: 1 }]);
    expect(ceremoniesOf([], now, progressed({ qualifies: true }, { qualifies: true }), [0])).toEqual([]);
  });

  test("a victory, and nothing beside it; a defeat is not celebrated", () => {
    const won = position({ seq: 1, outcome: outcome() });
    const visited = step(1, 0, { tiles: [3] });
    expect(ceremoniesOf([visited], START, won, [0])).toEqual([{ kind: "victory" }]);
    expect(ceremoniesOf([visited], START, won, [1])).toEqual([]);
    expect(ceremoniesOf([], START, won, [])).toEqual([]);
    expect(ceremoniesOf([], won, won, [0])).toEqual([]);
  });

  test("nothing that is taken back", () => {
    const undone: Undone = { type: "undone", seq: 2, seat: 0, undoes: [1], at: "2026-01-01T00:00:00Z" };
    const now = progressed({ colours: ["red"] });
    expect(ceremoniesOf([step(1, 0, { tiles: [3] }), undone], progressed(), now, [0])).toEqual([]);
  });
});

test("no ceremony lasts 2.5 seconds", () => {
  for (const lasts of Object.values(DURATIONS)) expect(lasts).toBeLessThan(2500);
});

test("every move sounds like what it is", () => {
  expect(soundOf(step(1, 0, { gained: { white: 2 } }))).toEqual(["token", 2]);
  expect(soundOf(step(1, 0, { kind: "return", spent: { white: 1 } }))).toEqual(["token", 1]);
  expect(soundOf(step(1, 0, { kind: "reserve", card: 2, gained: { gold: 1 } }))).toEqual(["reserve", 1]);
  expect(soundOf(step(1, 0, { kind: "buy", card: 2, is_card_bought: true, spent: { red: 3 } }))).toEqual(["buy", 1]);
  expect(soundOf(step(1, 0, { kind: "pass" }))).toBeNull();
});

test("the end sounds glad to who won and to those who look on, and not to who lost", () => {
  const over = position({ outcome: outcome() });
  expect([[0], [1], [], [0, 1]].map((own) => endingSound(over, own))).toEqual(["win", "loss", "win", "win"]);
});

test("every ceremony has a sound", () => {
  const progress = progressed().progress[0] as Progress;
  const stone = { kind: "stone", seat: 0, token: "red", number: 4, isFull: false, progress } as const;
  expect(ceremonySound(stone)).toEqual(["stone", 4]);
  expect(ceremonySound({ kind: "victory" })).toEqual(["win", 1]);
  const kinds: CeremonyKind[] = ["tile", "avengers", "last"];
  expect(kinds.map((kind) => ceremonySound({ kind, seat: 0, tile: 1, from: null } as never)[0])).toEqual(kinds);
});

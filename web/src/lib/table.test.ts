import { afterEach, beforeEach, expect, test, vi } from "vitest";

import type { Position } from "../generated/protocol";
import { position, step, sync, take } from "../testing/positions";
import { FakeNetwork } from "../testing/socket";
import type { GameEvent } from "./story";
import { Table, type Animator, type Scene } from "./table.svelte";

const TAKE = take("take wbg", "white", "blue", "green");

/** An animator that ends a scene only when it is told to. */
class SlowAnimator implements Animator {
  readonly scenes: Scene[] = [];
  #end: () => void = () => undefined;

  animate(scene: Scene): Promise<void> {
    this.scenes.push(scene);
    return new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  finish(): void {
    this.#end();
  }
}

let network: FakeNetwork;
let shown: GameEvent[];
let table: Table;

function open(animator?: Animator): void {
  shown = [];
  table = new Table({
    id: "table",
    connect: network.connect,
    onEvent: (event) => shown.push(event),
    ...(animator === undefined ? {} : { animator }),
  });
  table.open();
  network.last.onopen?.();
}

function moved(event: GameEvent, now: Position): void {
  network.last.say({ type: "moved", now: "2026-01-01T00:00:00Z", event, position: now });
}

/** Let everything that waits for a promise go on. */
async function settle(): Promise<void> {
  await vi.advanceTimersByTimeAsync(0);
}

beforeEach(() => {
  vi.useFakeTimers();
  network = new FakeNetwork();
});

afterEach(() => {
  table.close();
  vi.useRealTimers();
});

test("what one finds at the table is shown and is no news", () => {
  open();
  network.last.say(sync(position({ seq: 2, legal: [TAKE] }), [step(1, 0), step(2, 1)]));
  expect(table.shown?.seq).toBe(2);
  expect(table.turns).toHaveLength(2);
  expect(shown).toEqual([]);
  expect(table.isDeciding).toBe(true);
});

test("scenes are shown one after the other, and meanwhile nothing can be decided", async () => {
  const animator = new SlowAnimator();
  open(animator);
  network.last.say(sync(position({ seq: 0 })));
  moved(step(1, 0), position({ seq: 1 }));
  moved(step(2, 1), position({ seq: 2, legal: [TAKE] }));
  await settle();
  expect(animator.scenes.map((scene) => scene.position.seq)).toEqual([1]);
  expect(table.shown?.seq).toBe(0);
  expect(table.isDeciding).toBe(false);
  animator.finish();
  await settle();
  expect(table.shown?.seq).toBe(1);
  animator.finish();
  await settle();
  expect(table.shown?.seq).toBe(2);
  expect(shown.map((event) => event.seq)).toEqual([1, 2]);
  expect(table.isDeciding).toBe(true);
});

test("everything that waits can be shown at once, and is told in its order", async () => {
  const animator = new SlowAnimator();
  open(animator);
  network.last.say(sync(position({ seq: 0 })));
  for (const seq of [1, 2, 3]) moved(step(seq, seq % 2), position({ seq, legal: [TAKE] }));
  await settle();
  table.skip();
  await settle();
  expect(table.shown?.seq).toBe(3);
  expect(shown.map((event) => event.seq)).toEqual([1, 2, 3]);
  expect(table.isDeciding).toBe(true);
});

test("a move is sent with the length of the log, and until it is answered no second one is", () => {
  open();
  network.last.say(sync(position({ seq: 4, legal: [TAKE] })));
  table.play("take wbg");
  table.play("take wbg");
  expect(network.last.sent).toEqual([{ type: "play", seq: 4, move: "take wbg", id: "1" }]);
  expect(table.isDeciding).toBe(false);
});

test("several moves go one after the other, each when the one before is there", async () => {
  open();
  network.last.say(sync(position({ seq: 4 })));
  table.play("return w", "return b");
  moved(step(5, 0, { move: "return w", kind: "return" }), position({ seq: 5 }));
  await settle();
  expect(network.last.sent).toEqual([
    { type: "play", seq: 4, move: "return w", id: "1" },
    { type: "play", seq: 5, move: "return b", id: "2" },
  ]);
});

test("a refusal is kept to be shown, and what was to follow is dropped", () => {
  open();
  network.last.say(sync(position({ seq: 4 })));
  table.play("return w", "return b");
  network.last.say({
    type: "refused",
    id: "1",
    seq: 4,
    error: { code: "illegal", message: "no", rule: "LIM-2" },
  });
  expect(table.refusal?.rule).toBe("LIM-2");
  expect(table.isSending).toBe(false);
  expect(network.last.sent).toHaveLength(1);
});

test("a line that breaks before the answer sends the same move again", () => {
  open();
  network.last.say(sync(position({ seq: 4 })));
  table.play("take wbg");
  network.last.onclose?.({ code: 1006 });
  expect(table.connection).toBe("waiting");
  vi.advanceTimersByTime(1000);
  expect(network.last.address).toMatch(/since=4$/);
  network.last.onopen?.();
  network.last.say(sync(position({ seq: 4 }), [], 4));
  expect(network.last.sent).toEqual([{ type: "play", seq: 4, move: "take wbg", id: "1" }]);
});

test("a line that breaks after the move was played does not send it again", () => {
  open();
  network.last.say(sync(position({ seq: 4 })));
  table.play("take wbg");
  network.last.onclose?.({ code: 1006 });
  vi.advanceTimersByTime(1000);
  network.last.onopen?.();
  network.last.say(sync(position({ seq: 6 }), [step(5, 0), step(6, 1)], 4));
  expect(network.last.sent).toEqual([]);
  expect(table.isSending).toBe(false);
  expect(table.refusal).toBeNull();
  expect(shown.map((event) => event.seq)).toEqual([5, 6]);
});

test("a move that came too late is given up and said so", () => {
  open();
  network.last.say(sync(position({ seq: 4 })));
  table.play("take wbg");
  network.last.onclose?.({ code: 1006 });
  vi.advanceTimersByTime(1000);
  network.last.onopen?.();
  network.last.say(sync(position({ seq: 5 }), [step(5, 1)], 4));
  expect(table.isSending).toBe(false);
  expect(table.refusal?.code).toBe("stale");
});

test("a gap in what comes is asked for", () => {
  open();
  network.last.say(sync(position({ seq: 1 }), [step(1, 0)]));
  moved(step(3, 0), position({ seq: 3 }));
  expect(network.last.sent).toEqual([{ type: "catch_up", since: 1 }]);
  expect(table.shown?.seq).toBe(1);
  network.last.say(sync(position({ seq: 3 }), [step(2, 1), step(3, 0)], 1));
  expect(table.shown?.seq).toBe(3);
});

test("what is taken back counts no more, in the turns and the marks", async () => {
  open();
  network.last.say(sync(position({ seq: 1, can_undo: true }), [step(1, 0, { gained: { white: 1 } })]));
  expect(table.marks[0]?.steps).toHaveLength(1);
  table.undo();
  expect(network.last.sent).toEqual([{ type: "undo", seq: 1, id: "1" }]);
  moved({ type: "undone", seq: 2, seat: 0, undoes: [1], at: "2026-01-01T00:00:00Z" }, position({ seq: 2 }));
  await settle();
  expect(table.turns).toEqual([]);
  expect(table.marks[0]).toBeNull();
  expect(table.isSending).toBe(false);
});

test("an undo that a bot's move overtakes is sent once more, where it takes that back too", async () => {
  open();
  network.last.say(sync(position({ seq: 1, can_undo: true, undo_makes_practice: true }), [step(1, 0)]));
  table.undo();
  moved(step(2, 1), position({ seq: 2, can_undo: true, undo_makes_practice: true }));
  await settle();
  const stale = { type: "refused", seq: 2, error: { code: "stale", message: "" } } as const;
  network.last.say({ ...stale, id: "1" });
  expect(network.last.sent).toEqual([
    { type: "undo", seq: 1, id: "1" },
    { type: "undo", seq: 2, id: "2" },
  ]);
  expect([table.refusal, table.isSending]).toEqual([null, true]);
  moved(step(3, 2), position({ seq: 3, can_undo: true }));
  await settle();
  expect([network.last.sent.length, table.refusal?.code, table.isSending]).toEqual([2, "stale", false]);
});

test.each([
  ["that ends what could be taken back", step(2, 1), { can_undo: false }],
  ["of one's own from elsewhere", step(2, 0), { can_undo: true }],
  ["with which it would make the game practice", step(2, 1), { can_undo: true, undo_makes_practice: true }],
])("an undo is not sent once more after a move %s", async (_, event, changes) => {
  open();
  network.last.say(sync(position({ seq: 1, can_undo: true }), [step(1, 0)]));
  table.undo();
  moved(event, position({ seq: 2, ...changes }));
  await settle();
  expect([network.last.sent.length, table.refusal?.code]).toEqual([1, "stale"]);
});

test("a card is found at its place, in the market and in the hand", () => {
  open();
  const now = position();
  const seat = now.view.seats[0];
  if (seat === undefined) throw new Error("expected a seat 0, found none");
  seat.reserved = [{ level: 2, card: 50, blind: true }];
  network.last.say(sync(now));
  expect(table.cardAt("2.3")).toBe(43);
  expect(table.cardAt("h1")).toBe(50);
  expect(table.cardAt("h2")).toBeNull();
});

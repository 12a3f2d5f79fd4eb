import { flushSync } from "svelte";
import { afterEach, beforeEach, expect, test } from "vitest";

import type { TableInfo } from "../generated/protocol";
import { position, seatView, sync, tableInfo } from "../testing/positions";
import { FakeNetwork } from "../testing/socket";
import { ALONE, SharedDevice, type Place } from "./shared_device.svelte";
import { Table } from "./table.svelte";

const UNSEEN = [{ level: 1, card: 1, blind: true }];

let network: FakeNetwork;
let table: Table;
let device: SharedDevice;
let moves: Place[];
let leave: () => void;
let isCelebrating = $state(false);

/** The two seats of this device; these have left the game. */
function shared(...left: number[]): TableInfo {
  const seats = tableInfo().seats.map((seat) => ({ ...seat, kind: "person" as const, level: null, is_yours: true }));
  return tableInfo({ seats: seats.map((seat) => ({ ...seat, has_left: left.includes(seat.seat) })) });
}

/** A position that one of the two sees, in which these seats hold a card that they reserved unseen. */
function seen(viewer: number | null, seat: number, holders: number[] = [], seq = 1): ReturnType<typeof position> {
  const seats = [0, 1].map((each) => seatView("splendor", each, { reserved: holders.includes(each) ? UNSEEN : [] }));
  return position({ seq, seats, view: { viewer, seat } });
}

function arrive(place: Partial<Place>, now: ReturnType<typeof position>): void {
  leave = $effect.root(() => {
    table = new Table({ id: "table", connect: network.connect });
    const move = (next: Place): unknown => moves.push(next);
    device = new SharedDevice(table, { ...ALONE, ...place }, move, () => isCelebrating);
    device.follow();
  });
  table.open();
  network.last.onopen?.();
  tell(now);
}

function tell(now: ReturnType<typeof position>, info = shared()): void {
  network.last.say({ ...sync(now), table: info });
  flushSync();
}

beforeEach(() => {
  network = new FakeNetwork();
  moves = [];
  isCelebrating = false;
});

afterEach(() => {
  table.close();
  leave();
});

test("without unseen cards the table turns to whoever is next", () => {
  arrive({}, seen(0, 0));
  expect(device.announced).toBe(0);
  tell(seen(0, 1, [], 2));
  expect(device.awaited).toBeNull();
  expect(moves).toEqual([{ seat: 1, from: 0, isTrusted: false, isLookingBack: false }]);
});

test("the device stays with who has it until what they see celebrated is over", () => {
  arrive({}, seen(0, 0));
  isCelebrating = true;
  tell(seen(0, 1, [], 2));
  expect(moves).toEqual([]);
  isCelebrating = false;
  flushSync();
  expect(moves).toEqual([{ seat: 1, from: 0, isTrusted: false, isLookingBack: false }]);
});

test("an unseen card is covered when what its holder sees celebrated is over", () => {
  arrive({ seat: 0, isTrusted: true }, seen(0, 0, [0]));
  isCelebrating = true;
  tell(seen(0, 1, [0], 2));
  expect(device.awaited).toBeNull();
  isCelebrating = false;
  flushSync();
  expect(device.awaited).toBe(1);
});

test("no celebration uncovers an unseen card for somebody who has not said who they are", () => {
  arrive({ seat: 0 }, seen(0, 0, [0]));
  isCelebrating = true;
  tell(seen(0, 1, [0], 2));
  expect(device.awaited).toBe(1);
});

test("an unseen card is covered until the next person has the device, and only its holder is named to look back", () => {
  arrive({ seat: 0, isTrusted: true }, seen(0, 0, [0]));
  expect(device.awaited).toBeNull();
  tell(seen(0, 1, [0], 2));
  expect(device.awaited).toBe(1);
  expect(moves).toEqual([]);
  expect(device.previous?.name).toBe("Ada");
  device.previous?.go();
  flushSync();
  expect(device.awaited).toBeNull();
  device.handOver();
  flushSync();
  expect(device.awaited).toBe(1);
});

test("who holds an unseen card has to say who they are when the turn returns to them", () => {
  arrive({ seat: 0, isTrusted: true }, seen(0, 0, [0]));
  tell(seen(0, 1, [0], 2));
  tell(seen(0, 0, [0], 3)); // the one before took their move back from the cover
  expect(device.awaited).toBe(0);
  device.passTo(0, true);
  flushSync();
  expect(device.awaited).toBeNull();
});

test("a person who leaves while they have the device does not see the cards of the other", () => {
  arrive({ seat: 0, isTrusted: true }, seen(0, 0, [0]));
  tell(seen(0, 1, [0], 2));
  tell(seen(0, 0, [0], 3), shared(1));
  expect(device.awaited).toBe(0);
});

test("the server's change to another seat does not show what that one holds", () => {
  arrive({}, seen(0, 0));
  expect(device.awaited).toBeNull();
  tell(seen(1, 1, [1], 2), shared(0));
  expect(device.awaited).toBe(1);
});

test("the seat that left hands over to the one that plays on", () => {
  arrive({ seat: 0 }, seen(0, 0));
  tell(seen(null, 1, [1], 2), shared(0));
  expect(moves.at(-1)).toEqual({ ...ALONE, seat: 1 });
});

test("the way back does not lead to unseen cards", () => {
  arrive({ seat: 1, from: 0, isTrusted: true }, seen(1, 1));
  expect(device.wayBack?.name).toBe("Ada");
  leave();
  arrive({ seat: 1, from: 0, isTrusted: true }, seen(1, 1, [0]));
  expect(device.wayBack).toBeNull();
});

import { cleanup, render } from "@testing-library/svelte";
import { tick } from "svelte";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import type { Position, SeatView } from "../generated/protocol";
import { settings } from "../lib/settings.svelte";
import { position, seatView, sync, tableInfo } from "../testing/positions";
import { FakeNetwork } from "../testing/socket";
import TablePlace from "./TablePlace.svelte";

let network: FakeNetwork;

beforeEach(() => {
  network = new FakeNetwork();
  vi.stubGlobal("WebSocket", function (address: string) {
    return network.connect(address);
  });
  vi.stubGlobal("matchMedia", () => ({ matches: true }));
  vi.stubGlobal("innerWidth", 1440);
  Object.assign(settings, { speed: "fast", sound: "off" });
  render(TablePlace, { id: "table" });
});

afterEach(cleanup);

/** Ada and Bo at one device, as one of them sees it. */
function seen(viewer: number, mover: number, seats: SeatView[], changes: Partial<Position> = {}): Position {
  return position({ seats, view: { viewer, seat: mover }, ...changes });
}

/** What the server says to the connection that was opened last. */
async function say(now: Position): Promise<void> {
  const seats = tableInfo().seats.map((seat) => ({
    ...seat,
    kind: "person" as const,
    level: null,
    name: seat.seat === 0 ? "Ada" : "Bo",
    is_yours: true,
  }));
  network.last.onopen?.();
  network.last.say({ ...sync(now), table: tableInfo({ seats }) });
  await tick();
  await tick();
}

function seats(...changes: Partial<SeatView>[]): SeatView[] {
  return [0, 1].map((seat) => seatView("splendor", seat, changes[seat] ?? {}));
}

const KNOWN = { reserved: [{ level: 1, card: 5, blind: true }] };
const HIDDEN = { reserved: [{ level: 1, card: null, blind: true }] };
const OPEN = { reserved: [{ level: 1, card: 5, blind: false }] };

const isCovered = (): boolean => document.querySelector(".table") === null;
const words = (selector: string): string => document.querySelector(selector)?.textContent.trim() ?? "";

async function press(name: string): Promise<void> {
  const found = [...document.querySelectorAll("button")].find((button) => button.textContent.trim() === name);
  if (found === undefined) throw new Error(`expected a button ${name} in:\n${document.body.textContent}`);
  found.click();
  await tick();
}

test("with nothing to hide the table is not covered, and turns to whoever is to move", async () => {
  await say(seen(0, 0, seats(OPEN)));
  expect(isCovered()).toBe(false);
  expect(words(".turn-banner")).toBe("Ada: your turn");
  window.dispatchEvent(new Event("pointerdown"));
  await tick();
  expect(document.querySelector(".turn-banner")).toBeNull();

  const before = network.last;
  network.last.say({ ...sync(seen(0, 1, seats(OPEN), { seq: 1 })), table: tableInfo() });
  await say(seen(0, 1, seats(OPEN), { seq: 1 }));
  expect(network.last).not.toBe(before);
  await say(seen(1, 1, seats(OPEN), { seq: 1 }));
  expect(isCovered()).toBe(false);
  expect(words(".own .name")).toBe("Bo");
  expect(words(".turn-banner")).toBe("Bo: your turn");
});

test("what one sees celebrated is not cut short by the turn of the next, but any tap ends it", async () => {
  await say(seen(0, 0, seats()));
  await say(seen(0, 1, seats(), { seq: 1, progress: position().progress.map((one) => ({ ...one, qualifies: true })) }));
  expect(words("[data-ceremony]")).toMatch(/^Last round/);
  expect(words("header .last")).toBe("Last round");
  expect(words(".own .name")).toBe("Ada");
  const before = network.last;
  window.dispatchEvent(new Event("pointerdown"));
  await tick();
  await tick();
  expect(network.last).not.toBe(before);
  await say(seen(1, 1, seats(), { seq: 1 }));
  expect(words(".own .name")).toBe("Bo");
});

test("what one sees celebrated is not cut short by the cover of an unseen card either", async () => {
  await say(seen(0, 0, seats()));
  const progress = position().progress.map((one) => ({ ...one, qualifies: true }));
  await say(seen(0, 1, seats(KNOWN), { seq: 1, progress }));
  expect(words("[data-ceremony]")).toMatch(/^Last round/);
  expect(isCovered()).toBe(false);
  window.dispatchEvent(new Event("pointerdown"));
  await tick();
  expect(isCovered()).toBe(true);
  expect(words("h1")).toBe("Pass the device to Bo");
});

test("the one before can come back to undo, until something else happens", async () => {
  await say(seen(0, 1, seats(), { seq: 1 }));
  await say(seen(1, 1, seats(), { seq: 1 }));
  await press("Back to Ada");
  await say(seen(0, 1, seats(), { seq: 1, can_undo: true }));
  expect(words(".own .name")).toBe("Ada");
  await press("Undo");
  expect(network.last.sent.at(-1)).toMatchObject({ type: "undo" });
  await press("Pass the device to Bo");
  await say(seen(1, 1, seats(), { seq: 1 }));
  expect(words(".own .name")).toBe("Bo");
});

test("who holds an unseen card says who they are before it is shown", async () => {
  await say(seen(1, 1, seats({}, KNOWN)));
  expect(isCovered()).toBe(true);
  expect(words("h1")).toBe("Pass the device to Bo");
  await press("I am Bo: show my board");
  expect(isCovered()).toBe(false);
});

test("a card that is reserved unseen is covered when the turn goes to the next, who is then shown the table", async () => {
  await say(seen(0, 0, seats()));
  expect(isCovered()).toBe(false);
  await say(seen(0, 1, seats(KNOWN), { seq: 1 }));
  expect(isCovered()).toBe(true);
  expect(words("h1")).toBe("Pass the device to Bo");
  await press("I am Ada: look at the table again");
  expect(isCovered()).toBe(false);
  await press("Pass the device to Bo");
  expect(isCovered()).toBe(true);
  await press("I am Bo: show my board");
  await say(seen(1, 1, seats(HIDDEN), { seq: 1 }));
  expect(isCovered()).toBe(false);
  expect(document.body.textContent).not.toContain("Back to Ada"); // that would show Bo what Ada reserved
  await say(seen(1, 0, seats(HIDDEN), { seq: 2 }));
  await say(seen(0, 0, seats(KNOWN), { seq: 2 }));
  expect(isCovered()).toBe(true);
  expect(words("h1")).toBe("Pass the device to Ada");
});

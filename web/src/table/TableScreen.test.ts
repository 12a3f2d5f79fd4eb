import { cleanup, render, screen, waitFor } from "@testing-library/svelte";
import { tick } from "svelte";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import type { LegalMove, Position } from "../generated/protocol";
import * as api from "../lib/api";
import { settings } from "../lib/settings.svelte";
import { listen } from "../testing/audio";
import { forfeited, outcome, position, price, seatView, step, sync, tableInfo, take } from "../testing/positions";
import { FakeNetwork } from "../testing/socket";
import TableScreen from "./TableScreen.svelte";

let network: FakeNetwork;

beforeEach(() => {
  network = new FakeNetwork();
  vi.stubGlobal("WebSocket", function (address: string) {
    return network.connect(address);
  });
  vi.stubGlobal("matchMedia", () => ({ matches: true }));
  vi.stubGlobal("innerWidth", 1440);
  HTMLDialogElement.prototype.showModal = function () {
    this.open = true;
  };
  localStorage.clear();
  Object.assign(settings, { speed: "fast", sound: "off", confirm: "off" });
});

afterEach(cleanup);

async function sitDown(now: Position, events: Parameters<typeof sync>[1] = []): Promise<void> {
  render(TableScreen, { id: "table" });
  network.last.onopen?.();
  network.last.say(sync(now, events));
  await tick();
}

/** The buttons of this name. Asking for roles would take seconds among so many drawings. */
function buttons(name: string | RegExp): HTMLButtonElement[] {
  return [...document.querySelectorAll("button")].filter((button) => {
    const text = button.getAttribute("aria-label") ?? button.textContent.trim();
    return typeof name === "string" ? text === name : name.test(text);
  });
}

function button(name: string | RegExp): HTMLButtonElement {
  const [found, ...more] = buttons(name);
  if (found === undefined || more.length > 0) {
    throw new Error(
      `expected one button ${String(name)}, found ${more.length + (found ? 1 : 0)} in:\n${document.body.innerText}`,
    );
  }
  return found;
}

async function press(name: string | RegExp): Promise<void> {
  button(name).click();
  await tick();
}

function sentMoves(): unknown[] {
  return network.last.sent.map((message) => (message as { move?: string }).move);
}

test("tokens are chosen pile by pile, as far as it is legal, and then taken", async () => {
  settings.confirm = "on";
  await sitDown(
    position({
      legal: [take("take wbg", "white", "blue", "green"), take("take wbr", "white", "blue", "red")],
    }),
  );
  await press(/^diamond/);
  await press(/^onyx/); // leads to no legal take
  await press(/^emerald/);
  expect(button(/^ruby/).getAttribute("aria-disabled")).toBe("true");
  await press(/^sapphire/);
  await press("Take 1 diamond, 1 emerald, 1 sapphire");
  expect(sentMoves()).toEqual(["take wbg"]);
});

test("a chosen token can be put back, and all of them", async () => {
  settings.confirm = "on";
  await sitDown(position({ legal: [take("take wbg", "white", "blue", "green"), take("take ww", "white", "white")] }));
  await press(/^diamond/);
  await press(/^diamond/);
  expect(button("Take 2 diamonds")).toBeTruthy();
  buttons("Put back: diamond")[0]?.click();
  await tick();
  expect(screen.getByText("Choose one more.")).toBeTruthy();
  await press("Cancel");
  expect(buttons(/^Put/)).toEqual([]);
});

test("what is chosen outlasts a broken line, as long as nothing was decided meanwhile", async () => {
  settings.confirm = "on";
  const now = position({ legal: [take("take ww", "white", "white")] });
  await sitDown(now);
  await press(/^diamond/);
  network.last.onclose?.({ code: 1006 });
  await tick();
  expect(buttons(/^Put/)).toEqual([]);
  window.dispatchEvent(new Event("online"));
  network.last.onopen?.();
  await tick();
  await press(/^diamond/); // before it is known whether anything happened
  network.last.say(sync(now));
  await tick();
  await press("Take 2 diamonds");
  expect(sentMoves()).toEqual(["take ww"]);
});

test("what is chosen is forgotten when the game has gone on, or one looks from another seat", async () => {
  const legal = [take("take ww", "white", "white")];
  await sitDown(position({ legal }));
  await press(/^diamond/);
  network.last.say(sync(position({ legal, view: { viewer: 1, seat: 1 } })));
  await tick();
  expect(buttons(/^Put/)).toEqual([]);
  await press(/^diamond/);
  network.last.say(sync(position({ seq: 1, legal }), [step(1, 1)]));
  await tick();
  expect(buttons(/^Put/)).toEqual([]);
});

test("a tap on a card that is no longer there does nothing", async () => {
  vi.stubGlobal("matchMedia", () => ({ matches: false })); // what changes is drawn some frames late
  await sitDown(position({ view: { seat: 1 } }));
  const place = "1.1";
  const view = {
    market: [
      [5, 2, 3, 4],
      [41, 42, 43, 44],
      [71, 72, 73, 74],
    ],
  };
  const legal: LegalMove[] = [{ move: `buy ${place}`, kind: "buy", tokens: [], place }];
  network.last.say(sync(position({ seq: 1, view, legal, prices: [price(place, 5)] }), [step(1, 1)]));
  await tick();
  const tap = (): void => document.querySelector<HTMLElement>(`[data-place="${place}"]`)?.click();
  tap();
  expect(sentMoves()).toEqual([]);
  await waitFor(() => expect(document.querySelector(`[data-place="${place}"]`)?.className).toContain("open"));
  tap();
  expect(sentMoves()).toEqual(["buy 1.1"]);
});

test("a card says what it would cost, and is bought from where it is opened", async () => {
  settings.confirm = "on";
  const buy: LegalMove = { move: "buy 1.2", kind: "buy", tokens: [], place: "1.2" };
  const reserve: LegalMove = { move: "reserve 1.2", kind: "reserve", tokens: [], place: "1.2" };
  await sitDown(
    position({
      legal: [buy, reserve],
      prices: [price("1.2", 2, { due: { blue: 3 }, missing: { blue: 1 }, wilds: 1 })],
    }),
  );
  await press(/level 1 diamond card, costs 3 sapphires\. You can pay with 2 sapphires and 1 gold/);
  expect(button("Reserve and take gold")).toBeTruthy();
  await press("Buy");
  expect(sentMoves()).toEqual(["buy 1.2"]);
});

test("without a wild in the supply, reserving does not promise one", async () => {
  await sitDown(
    position({
      legal: [{ move: "reserve 2", kind: "reserve", tokens: [], place: "2" }],
      view: { supply: { white: 4, blue: 4, green: 4, red: 4, black: 4, gold: 0 } },
    }),
  );
  await press(/^Level 2 deck/);
  await press("Reserve");
  expect(sentMoves()).toEqual(["reserve 2"]);
});

test("a payment takes the wilds that are chosen, one decision after the other", async () => {
  const paying = (seq: number): Position =>
    position({
      seq,
      seats: [
        seatView("splendor", 0, { tokens: { white: 0, blue: 3, green: 0, red: 0, black: 0, gold: 2 } }),
        seatView("splendor", 1),
      ],
      view: {
        phase: "pay",
        turn: { buying: "1.2", wilds: {}, pending: null, is_wild_due: false, passes: 0, idle_turns: 0 },
      },
      legal: [
        { move: "wild b", kind: "wild", tokens: ["blue"], place: null },
        { move: "pay", kind: "pay", tokens: [], place: null },
      ],
      prices: [price("1.2", 2, { due: { blue: 3 } })],
    });
  await sitDown(paying(1), [step(1, 0, { kind: "buy", move: "buy 1.2", card: 2, is_turn_over: false })]);
  expect(button("Pay 3 sapphires")).toBeTruthy();
  await press("sapphire: spend one more gold");
  await press("Pay 2 sapphires and 1 gold");
  network.last.say({
    type: "moved",
    now: "2026-01-01T00:00:00Z",
    event: step(2, 0, { kind: "wild", move: "wild b", card: 2, is_turn_over: false }),
    position: paying(2),
  });
  expect(sentMoves()).toEqual(["wild b", "pay"]);
});

test("as many tokens as are too many are returned, one decision after the other", async () => {
  settings.confirm = "on";
  const tokens = { white: 6, blue: 6, green: 0, red: 0, black: 0, gold: 0 };
  await sitDown(
    position({
      seats: [seatView("splendor", 0, { tokens }), seatView("splendor", 1)],
      view: { phase: "return" },
      legal: [
        { move: "return w", kind: "return", tokens: ["white"], place: null },
        { move: "return b", kind: "return", tokens: ["blue"], place: null },
      ],
    }),
  );
  await press(/^6 diamonds/);
  await press("Return 2"); // which says why not
  expect(button("Return 2").getAttribute("aria-disabled")).toBe("true");
  expect(document.querySelector(".said")?.textContent).toContain("Too many tokens: return 2.");
  await press(/^6 sapphires/);
  await press("Return 2");
  expect(sentMoves()).toEqual(["return w"]);
});

test("a choice between tiles is made on the tile", async () => {
  settings.confirm = "on";
  await sitDown(
    position({ view: { phase: "tile" }, legal: [{ move: "tile 2", kind: "tile", tokens: [], place: "2" }] }),
  );
  buttons(/^Noble/)[1]?.click();
  await tick();
  await press("Choose this noble");
  expect(sentMoves()).toEqual(["tile 2"]);
});

/** Let the server say that a move of a seat was played, and wait until it is shown. */
async function played(now: Position, event: ReturnType<typeof step>): Promise<void> {
  network.last.say({ type: "moved", now: "2026-01-01T00:00:00Z", event, position: now });
  await waitFor(() => expect(document.querySelector(`[data-seq="${now.seq}"]`)).toBeTruthy());
  await tick();
}

test("a purchase is one tap, and its payment can be changed after it was made", async () => {
  const seats = [seatView("splendor", 0, { tokens: { blue: 3, gold: 2 } }), seatView("splendor", 1)];
  const prices = [price("1.2", 2, { due: { blue: 3 } })];
  const turn = { buying: "1.2", wilds: {}, pending: null, is_wild_due: false, passes: 0, idle_turns: 0 };
  const legal: LegalMove[] = [
    { move: "wild b", kind: "wild", tokens: ["blue"], place: null },
    { move: "pay", kind: "pay", tokens: [], place: null },
  ];
  const paying = (seq: number) => position({ seq, seats, prices, legal, can_undo: true, view: { phase: "pay", turn } });
  await sitDown(position({ seats, prices, legal: [{ move: "buy 1.2", kind: "buy", tokens: [], place: "1.2" }] }));
  await press(/level 1 diamond card.*\. You/);
  await played(paying(1), step(1, 0, { kind: "buy", move: "buy 1.2", place: "1.2", is_turn_over: false }));
  expect(document.querySelector("dialog")).toBeNull();
  expect(sentMoves()).toEqual(["buy 1.2", "pay"]);
  const paid = { kind: "pay", move: "pay", card: 2, is_card_bought: true, spent: { blue: 3 } } as const;
  await played(position({ seq: 2, view: { seat: 1 }, can_undo: true }), step(2, 0, paid));
  expect(document.querySelector(".hint")?.textContent).toContain("Ada bought a level 1");
  await press("Change the payment");
  expect(network.last.sent.at(-1)).toEqual({ type: "undo", seq: 2, id: "3" });
  const undone = { type: "undone" as const, seq: 3, seat: 0, undoes: [2], at: "2026-01-01T00:00:00Z" };
  network.last.say({ type: "moved", now: "2026-01-01T00:00:00Z", event: undone, position: paying(3) });
  expect(await screen.findByText("Gold can stand in for any gem.")).toBeTruthy();
});

test("among people, a purchase is announced before it is sent, and taken back by its button", async () => {
  const seats = tableInfo().seats.map((seat) => ({ ...seat, kind: "person" as const, level: null }));
  const now = position({
    prices: [price("1.2", 2)],
    legal: [{ move: "buy 1.2", kind: "buy", tokens: [], place: "1.2" }],
  });
  render(TableScreen, { id: "table" });
  network.last.onopen?.();
  network.last.say({ ...sync(now), table: tableInfo({ seats }) });
  await tick();
  await press(/level 1 diamond card.*\. You/);
  expect(document.querySelector(".said")?.textContent).toContain("Buying: level 1 diamond card");
  expect(document.querySelector("[data-place='1.2'].chosen")).toBeTruthy();
  await press("Undo");
  expect(document.querySelector("[data-place='1.2'].chosen")).toBeNull();
  expect(sentMoves()).toEqual([]);
  await press(/level 1 diamond card.*\. You/);
  cleanup(); // to leave the table is to have decided
  expect(sentMoves()).toEqual(["buy 1.2"]);
});

test("while others move, a plan is shown, and the title of the goal says what is missing", async () => {
  const prices = [price("1.2", 2, { missing: { blue: 2 }, wilds: 2, is_affordable: false })];
  await sitDown(position({ view: { seat: 1 }, prices }));
  await press(/^diamond/);
  await press(/^onyx/);
  expect(screen.getByText("Planned: 1 diamond and 1 onyx")).toBeTruthy();
  expect(document.querySelectorAll(".pile.planned")).toHaveLength(2);
  await press(/level 1 diamond card.*\. You/);
  await press("Make this my goal");
  expect(document.querySelector("[data-place='1.2'].goal .flag")?.textContent.trim()).toBe("2");
  expect(button(/^sapphire.*2 more tokens needed for your goal/).textContent).toContain("2");
  await press("Drop this goal");
  expect(document.querySelector(".goal")).toBeNull();
});

test("a planned deck has the brackets of what is chosen", async () => {
  await sitDown(position({ view: { seat: 1 } }));
  const brackets = (): Element | null => document.querySelector("[data-deck='2'] .marks .chosen");
  expect(brackets()).toBeNull();
  await press(/^gold/);
  document.querySelector<HTMLElement>("[data-deck='2']")?.click();
  await tick();
  expect(brackets()).not.toBeNull();
});

test("the sheet of what is planned says so, and offers to cancel that", async () => {
  await sitDown(position({ view: { seat: 1 }, prices: [price("1.2", 2)] }));
  const open = (selector: string): Promise<boolean> =>
    type("i", {}, document.querySelector<HTMLElement>(selector) ?? document.body);
  await press(/level 1 diamond card.*\. You/);
  await open("[data-place='1.2']");
  expect(document.querySelector("dialog")?.textContent).toContain("Planned purchase: level 1 diamond card");
  expect(buttons("Buy on your turn")).toEqual([]);
  document.querySelector<HTMLElement>("dialog .planned button")?.click();
  await tick();
  expect(document.querySelector("[data-place='1.2'].planned")).toBeNull();
  await open("[data-place='1.2']");
  await press("Reserve on your turn");
  await open("[data-place='1.2']");
  expect(button("Buy on your turn")).toBeTruthy();
  expect(document.querySelector("dialog .planned")?.textContent).toContain("Planned reservation");
  document.querySelector<HTMLElement>("dialog .planned button")?.click();
  await tick();
  await open("[data-deck='2']");
  await press("Reserve on your turn");
  await open("[data-deck='2']");
  expect(document.querySelector("dialog .planned")?.textContent).toContain("Planned reservation");
  expect(buttons("Reserve on your turn")).toEqual([]);
});

test("only what is to be returned can be chosen, and the last token completes it", async () => {
  const tokens = { white: 6, blue: 6, green: 0, red: 0, black: 0, gold: 0 };
  await sitDown(
    position({
      seats: [seatView("splendor", 0, { tokens }), seatView("splendor", 1)],
      view: { phase: "return" },
      prices: [price("1.2", 2)],
      legal: ["white", "blue"].map((token) => ({
        move: `return ${token}`,
        kind: "return" as const,
        tokens: [token],
        place: null,
      })),
    }),
  );
  expect(document.querySelector(".affordable")).toBeNull();
  expect(document.querySelectorAll(".open")).toHaveLength(2);
  await press(/^6 diamonds/);
  expect(sentMoves()).toEqual([]);
  await press(/^6 sapphires/);
  expect(sentMoves()).toEqual(["return white"]);
});

test("the Avengers tile says who has it, and how it is taken", async () => {
  const seats = [seatView("marvel", 0, { tags: 2 }), seatView("marvel", 1, { tags: 4, avengers_tile: true })];
  await sitDown(position({ game: "marvel", seats }));
  await press(/^Avengers tile/);
  const sheet = document.querySelector("dialog");
  expect(sheet?.querySelector("li:last-child")?.textContent.replaceAll(/\s+/g, " ")).toContain(
    "Novice 4 Avengers tags has the tile",
  );
  await waitFor(() => expect(sheet?.textContent).toContain("takes over the tile"));
});

test("who can do nothing passes, by a button that says so", async () => {
  await sitDown(position({ legal: [{ move: "pass", kind: "pass", tokens: [], place: null }] }));
  await press("Pass");
  expect(sentMoves()).toEqual(["pass"]);
});

test("a refusal names its rule, with the rule's words", async () => {
  await sitDown(position({ legal: [{ move: "pass", kind: "pass", tokens: [], place: null }] }));
  await press("Pass");
  network.last.say({ type: "refused", id: "1", seq: 0, error: { code: "illegal", message: "", rule: "TRN-9" } });
  const link = (await screen.findByText("TRN-9")).closest("a");
  expect(link?.getAttribute("href")).toBe("/rules/splendor#TRN-9");
  expect(await screen.findByText(/You pass if/)).toBeTruthy();
});

test("what happens is said, and stays at the board of the one who did it", async () => {
  await sitDown(position({ view: { seat: 1 } }));
  network.last.say({
    type: "moved",
    now: "2026-01-01T00:00:00Z",
    event: step(1, 1, { gained: { red: 2 } }),
    position: position({ seq: 1, legal: [take("take wbg", "white", "blue", "green")] }),
  });
  await waitFor(() => {
    expect(document.querySelector("[aria-live=polite]")?.textContent).toBe("Novice took 2 rubies. It is your turn.");
  });
  const board = document.querySelector('[aria-label="Novice\'s board"]');
  expect(board?.querySelector(".last-move")?.textContent).toContain("took 2 rubies");
});

test("the title and a sound say when one's turn comes, and only the title to who muted the page", async () => {
  const moved = (seq: number, seat: number, then: number): void =>
    network.last.say({
      type: "moved",
      now: "2026-01-01T00:00:00Z",
      event: step(seq, seat, { round: seq, gained: { red: 2 } }),
      position: position({
        seq,
        view: { seat: then },
        legal: then === 0 ? [take("take wbg", "white", "blue", "green")] : [],
      }),
    });
  const heard = listen();
  settings.sound = "on";
  await sitDown(position({ view: { seat: 1 } }));
  await waitFor(() => expect(document.title).toBe("Cabochon"));
  expect(heard).toEqual([]);
  moved(1, 1, 0);
  await waitFor(() => expect(document.title).toBe("Your turn · Cabochon"));
  expect(heard).toContain(660); // the first tone of the call
  moved(2, 0, 1);
  await waitFor(() => expect(document.title).toBe("Cabochon"));
  settings.sound = "off";
  heard.length = 0;
  moved(3, 1, 0);
  await waitFor(() => expect(document.title).toBe("Your turn · Cabochon"));
  expect(heard).toEqual([]);
});

test("the sound calls to a turn once, and not to one's own undo", async () => {
  const heard = listen();
  settings.sound = "on";
  const legal = [take("take ww", "white", "white")];
  const calls = (): number => heard.splice(0).filter((pitch) => pitch === 660).length;
  await sitDown(position({ legal }));
  expect(calls()).toBe(1);
  await press(/^diamond/);
  await press(/^diamond/);
  network.last.say({ type: "refused", id: "1", seq: 0, error: { code: "illegal", message: "" } });
  await tick();
  network.last.onclose?.({ code: 1006 });
  await tick();
  window.dispatchEvent(new Event("online"));
  network.last.onopen?.();
  network.last.say(sync(position({ legal })));
  await tick();
  await played(position({ seq: 1, legal, view: { phase: "return" } }), step(1, 0, { is_turn_over: false }));
  await played(position({ seq: 2, view: { seat: 1 } }), step(2, 0, { kind: "return" }));
  const undone = { type: "undone" as const, seq: 3, seat: 0, undoes: [2], at: "2026-01-01T00:00:00Z" };
  network.last.say({
    type: "moved",
    now: "2026-01-01T00:00:00Z",
    event: undone,
    position: position({ seq: 3, legal }),
  });
  await waitFor(() => expect(document.querySelector("[data-seq='3']")).toBeTruthy());
  expect(calls()).toBe(0);
  await played(position({ seq: 4, view: { seat: 1 } }), step(4, 0));
  await played(position({ seq: 5, legal }), step(5, 1));
  expect(calls()).toBe(1);
});

/** What is being celebrated, in words. */
function celebrated(): string | undefined {
  return document.querySelector("[data-ceremony]")?.textContent.trim();
}

/** Let the server send what the bot did. */
async function moved(changes: Parameters<typeof step>[2], now: Parameters<typeof position>[0]): Promise<void> {
  const { seq = 1 } = now ?? {};
  network.last.say({
    type: "moved",
    now: "2026-01-01T00:00:00Z",
    event: step(seq, 1, changes),
    position: position({ ...now, seq }),
  });
  for (let turn = 0; turn < 5; turn += 1) await tick();
}

test("a visit is celebrated for a while, without standing in the way of a move", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  await sitDown(position({ view: { seat: 1 } }));
  await moved({ tiles: [3] }, { legal: [take("take wbg", "white", "blue", "green")] });
  expect(celebrated()).toBe("A noble visits Novice");
  expect(document.querySelector("dialog[open]")).toBeNull();
  expect(button(/^diamond/).getAttribute("aria-disabled")).not.toBe("true");
  vi.advanceTimersByTime(2500);
  await tick();
  expect(celebrated()).toBeUndefined();
  vi.useRealTimers();
});

test.each([new KeyboardEvent("keydown", { key: "Escape" }), new MouseEvent("pointerdown")])(
  "what is celebrated follows one after the other, until a key or a click ends it all",
  async (event) => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    await sitDown(position({ view: { seat: 1 } }));
    await moved({ tiles: [3] }, {});
    const { progress } = position();
    await moved({}, { seq: 2, progress: progress.map((one) => ({ ...one, qualifies: one.seat === 1 })) });
    expect(celebrated()).toBe("A noble visits Novice");
    vi.advanceTimersByTime(2000);
    await tick();
    expect(celebrated()).toMatch(/^Last round\s+Novice has 0 points$/);
    expect(screen.getByText("Last round: Novice has 0 points").getAttribute("role")).toBe("status");
    await moved({ tiles: [2] }, { seq: 3, progress: progress.map((one) => ({ ...one, qualifies: true })) });
    window.dispatchEvent(event);
    await tick();
    expect(celebrated()).toBeUndefined();
    vi.advanceTimersByTime(2500);
    await tick();
    expect(celebrated()).toBeUndefined();
    vi.useRealTimers();
  },
);

test("a victory is celebrated, and what one finds at the table is not", async () => {
  await sitDown(position({ view: { seat: 1 } }));
  await moved({}, { outcome: outcome() });
  expect(celebrated()).toBe("Ada wins with the highest score: 15.");
  cleanup();
  await sitDown(position({ seq: 1, outcome: outcome() }));
  expect(celebrated()).toBeUndefined();
});

test("one who loses hears so", async () => {
  const heard = listen();
  settings.sound = "on";
  await sitDown(position({ view: { seat: 1 } }));
  await moved({}, { outcome: outcome({ places: [2, 1], winners: [1] }) });
  expect(celebrated()).toBeUndefined();
  expect(heard).toEqual([440, 392, 330]);
});

test("a forfeited game is over, whatever was to be decided", async () => {
  await sitDown(position({ legal: [], outcome: forfeited("resignation") }));
  expect(await screen.findByText("The game is over.")).toBeTruthy();
  expect(button("Show the result")).toBeTruthy();
});

test.each([
  ["timeout", "", "Novice ran out of time. Ada wins."],
  ["resignation", "left the table", "Novice left the game. Ada wins."],
  ["failure", "no idea", "The bot Novice failed. Ada wins."],
  ["forfeit", "tired", "Novice forfeited the game. Ada wins."],
] as const)("the end of a game by %s is called what it is", async (termination, detail, text) => {
  await sitDown(position({ legal: [], outcome: forfeited(termination, detail) }));
  await screen.findByText("You won!");
  const ending = document.querySelector(".why");
  expect(ending?.textContent.trim()).toBe(text); // and no rule, for those of a forfeit speak of Marvel as well
  expect(document.querySelector(".log .ending")?.textContent).toBe(text);
  expect(document.querySelector(".log")?.textContent).not.toContain("Nothing has happened yet");
  expect(screen.queryByText("See the turning point")).toBeNull();
});

test("at a shared device the end names the winner, who may be somebody else than the one who holds it", async () => {
  const over = sync(position({ view: { phase: "over" }, outcome: outcome() }));
  const seats = tableInfo().seats.map((seat) => ({ ...seat, kind: "person" as const, level: null, is_yours: true }));
  render(TableScreen, { id: "table" });
  network.last.onopen?.();
  network.last.say({ ...over, table: tableInfo({ seats }) });
  expect(await screen.findByText("Ada won")).toBeTruthy();
  expect(screen.queryByText("You won!")).toBeNull();
});

test("the log is collapsed by its heading, which is remembered", async () => {
  await sitDown(position({ seq: 1 }), [step(1, 0, { gained: { white: 1 } })]);
  expect(document.querySelectorAll(".log li")).toHaveLength(1);
  expect(button("Log").getAttribute("aria-expanded")).toBe("true");
  await press("Log");
  expect(document.querySelectorAll(".log li")).toHaveLength(0);
  expect(button("Log").getAttribute("aria-expanded")).toBe("false");
  expect(settings.log).toBe("off");
  await press("Log");
  expect(document.querySelectorAll(".log li")).toHaveLength(1);
});

test("the end tells who won and why, and offers another game", async () => {
  await sitDown(
    position({
      view: { phase: "over" },
      outcome: outcome({ places: [2, 1], winners: [1], points: [12, 16] }),
    }),
  );
  expect(await screen.findByText("Novice won")).toBeTruthy();
  expect(document.querySelector(".why")?.textContent).toContain("Novice wins with the highest score: 16.");
  expect(document.body.textContent).not.toContain("END-B2");
  expect(screen.getByText("See the rule").getAttribute("href")).toBe("/rules/splendor#END-B2");
  const names = [...document.querySelectorAll("tbody th")].map((name) => name.textContent);
  expect(names).toEqual([" Novice", " Ada"]);
  expect(screen.getByText("See the turning point").getAttribute("href")).toBe("/replay/table#analysis");
  expect(button("Play again")).toBeTruthy();
});

test("practice is announced, marked and explained, and the log says how far one went back", async () => {
  const answered = [step(1, 0, { gained: { white: 1 } }), step(2, 1, { gained: { red: 2 } })];
  await sitDown(position({ seq: 2, can_undo: true, undo_makes_practice: true }), answered);
  expect(buttons("Practice")).toEqual([]);
  expect(button("Undo").title).toContain("practice game");
  await press("Undo");
  expect(network.last.sent).toEqual([{ type: "undo", seq: 2, id: "1" }]);
  const undone = { type: "undone" as const, seq: 3, seat: 0, undoes: [1, 2], at: "2026-01-01T00:00:00Z" };
  const now = position({ seq: 3, can_undo: false });
  network.last.say({ type: "moved", now: "2026-01-01T00:00:00Z", event: undone, position: now });
  network.last.say({ type: "table", table: tableInfo({ is_practice: true }) });
  await waitFor(() => expect(document.querySelector(".log")?.textContent).toContain("went back 1 turn"));
  expect(document.querySelectorAll(".log li")).toHaveLength(1);
  expect(document.querySelector("[aria-live]")?.textContent).toContain("now a practice game");
  await press("Practice");
  expect(screen.getByText(/does not count in your statistics/, { selector: "dialog p" })).toBeTruthy();
});

test("seats that are kept for one are declined together, and then anybody may sit there", async () => {
  vi.spyOn(api, "whoAmI").mockResolvedValue({ guest: { id: "1", nickname: "Ada" } });
  const [ada, bot] = tableInfo().seats;
  if (ada === undefined || bot === undefined) throw new Error("expected two seats");
  const kept = { ...ada, kind: "open" as const, is_you: false, is_kept: true, is_connected: false };
  const waiting = tableInfo({ status: "waiting", you: null, is_host: false });
  const invited = { ...waiting, seats: [kept, bot, { ...kept, seat: 2, name: "Bo" }] };
  const standUp = vi.spyOn(api, "standUp").mockResolvedValue(invited);
  render(TableScreen, { id: "table" });
  network.last.onopen?.();
  network.last.say({ ...sync(position()), table: invited });
  await tick();
  expect([buttons("Decline seat 1"), buttons("Decline seat 3")].map(({ length }) => length)).toEqual([1, 1]);
  await press("Decline seat 3");
  await waitFor(() =>
    expect(standUp.mock.calls).toEqual([
      ["table", 0],
      ["table", 2],
    ]),
  );
  const free = { ...kept, name: "", is_yours: false, is_kept: false };
  network.last.say({ type: "table", table: { ...waiting, seats: [free, bot, { ...free, seat: 2 }] } });
  await tick();
  expect(buttons(/^Decline/)).toEqual([]);
  expect(buttons("Sit here: seat 1")).toHaveLength(1);
});

/** Press a key, or let it repeat because it is held. */
async function type(key: string, more: KeyboardEventInit = {}, target: EventTarget = document.body): Promise<boolean> {
  const isDefault = target.dispatchEvent(
    new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...more }),
  );
  await tick();
  return isDefault;
}

test("a key that is held does what it does once", async () => {
  await sitDown(position({ seq: 1, can_undo: true, legal: [take("take ww", "white", "white")] }), [step(1, 0)]);
  await type("1");
  await type("1", { repeat: true });
  await type("c", { repeat: true });
  expect(buttons("Put back: diamond")).toHaveLength(1);
  await type("Escape");
  await type("u", { repeat: true });
  expect(network.last.sent).toEqual([]);
  expect(await type("Enter", { repeat: true }, button("Undo"))).toBe(false); // which browsers take for a click
  await type("u");
  expect(network.last.sent).toHaveLength(1);
});

test("the same can be said of two cards of one name", async () => {
  const gone = async (card: number, seq: number): Promise<void> => {
    await type("g", {}, document.querySelector(`[data-place='1.${card}']`) ?? document.body);
    await moved(
      {},
      { seq, view: { seat: 1 }, prices: [2, 3].filter((each) => each > card).map((each) => price(`1.${each}`, each)) },
    );
  };
  await sitDown(position({ view: { seat: 1 }, prices: [price("1.2", 2), price("1.3", 3)] }));
  await gone(2, 1);
  await gone(3, 2);
  expect(document.querySelectorAll(".said p")).toHaveLength(2);
});

test.each([
  ["with Caps Lock", { key: "U", code: "KeyU" }, 1],
  ["on a Russian keyboard", { key: "г", code: "KeyU" }, 1],
  ["on a keyboard with another order", { key: "u", code: "KeyF" }, 1],
  ["which is an F there", { key: "f", code: "KeyU" }, 0],
])("a letter means the same %s", async (_, { key, code }, count) => {
  await sitDown(position({ seq: 1, can_undo: true }), [step(1, 0)]);
  await type(key, { code });
  expect(network.last.sent).toHaveLength(count);
});

test("Escape dismisses what is said before it gives up the plan, and Cancel gives up the plan", async () => {
  const said = (): string => document.querySelector(".said")?.textContent.trim() ?? "";
  await sitDown(
    position({
      view: { seat: 1 },
      prices: [price("1.1", 1, { is_affordable: false })],
    }),
  );
  const refuse = (): Promise<boolean> => type("b", {}, document.querySelector("[data-place='1.1']") ?? document.body);
  await press(/^diamond/);
  await refuse();
  expect(said()).not.toBe("");
  await type("Escape");
  expect([said(), buttons("Put back: diamond").length]).toEqual(["", 1]);
  await type("Escape");
  expect(buttons("Put back: diamond")).toEqual([]);
  await press(/^diamond/);
  await refuse();
  await press("Cancel");
  expect([said(), buttons("Put back: diamond").length]).toEqual(["", 0]);
});

test("a banned guest is told so, and sees the table no longer", async () => {
  await sitDown(position());
  network.last.onclose?.({ code: 4410 });
  await tick();
  expect(document.querySelector("main p")?.textContent).toBe("The operator of this server has banned you.");
  expect(document.querySelector("main a")?.getAttribute("href")).toBe("/");
  expect(document.querySelectorAll("button")).toHaveLength(0);
});

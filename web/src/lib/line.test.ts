import { afterEach, beforeEach, expect, test, vi } from "vitest";

import type { ServerMessage } from "../generated/protocol";
import { FakeNetwork } from "../testing/socket";
import { delayBefore, Line, type LineState } from "./line";

let network: FakeNetwork;
let states: LineState[];
let received: ServerMessage[];
let line: Line;

beforeEach(() => {
  vi.useFakeTimers();
  network = new FakeNetwork();
  states = [];
  received = [];
  line = new Line({
    address: () => "ws://somewhere",
    receive: (message) => received.push(message),
    changed: (state) => states.push(state),
    connect: network.connect,
    random: () => 1,
  });
  line.open();
});

afterEach(() => {
  line.close();
  vi.useRealTimers();
});

test("the delays double, up to a limit, and differ by chance", () => {
  expect([0, 1, 2].map((attempt) => delayBefore(attempt, 1))).toEqual([500, 1000, 2000]);
  expect(delayBefore(20, 1)).toBe(15_000);
  expect(delayBefore(0, 0)).toBe(250);
});

test("a broken line is opened again, later each time, until something is heard", () => {
  network.last.onopen?.();
  network.last.onclose?.({ code: 1006 });
  expect(states).toEqual(["connecting", "open", "waiting"]);
  vi.advanceTimersByTime(499);
  expect(network.sockets).toHaveLength(1);
  vi.advanceTimersByTime(1);
  expect(network.sockets).toHaveLength(2);
  network.last.onclose?.({ code: 1006 });
  vi.advanceTimersByTime(999);
  expect(network.sockets).toHaveLength(2);
  vi.advanceTimersByTime(1);
  network.last.onopen?.();
  network.last.say({ type: "pong" });
  network.last.onclose?.({ code: 1006 });
  vi.advanceTimersByTime(500);
  expect(network.sockets).toHaveLength(4);
});

test("a line that has gone quiet is asked, and given up without an answer", () => {
  network.last.onopen?.();
  vi.advanceTimersByTime(20_000);
  expect(network.last.sent).toEqual([{ type: "ping" }]);
  network.last.say({ type: "pong" });
  vi.advanceTimersByTime(20_000);
  expect(network.last.sent).toHaveLength(2);
  vi.advanceTimersByTime(10_000);
  expect(network.sockets[0]?.isClosed).toBe(true);
  expect(states.at(-1)).toBe("waiting");
});

test("an attempt without an answer is given up", () => {
  vi.advanceTimersByTime(10_000);
  expect(states.at(-1)).toBe("waiting");
});

test("when the network is back, the next attempt does not wait", () => {
  network.last.onclose?.({ code: 1006 });
  line.hurry();
  expect(network.sockets).toHaveLength(2);
});

test("where there is no such table, nothing is tried again", () => {
  network.last.onopen?.();
  network.last.onclose?.({ code: 4404 });
  vi.advanceTimersByTime(60_000);
  expect(network.sockets).toHaveLength(1);
  expect(states.at(-1)).toBe("closed");
});

test("what cannot be sent is said to be so", () => {
  expect(line.send({ type: "ping" })).toBe(false);
  network.last.onopen?.();
  expect(line.send({ type: "ping" })).toBe(true);
});

import { afterEach, beforeEach, expect, test, vi } from "vitest";

import type { ServerMessage } from "../generated/protocol";
import { FakeNetwork } from "../testing/socket";
import { Connection, delayBefore, type ConnectionState } from "./connection";

let network: FakeNetwork;
let states: ConnectionState[];
let received: ServerMessage[];
let connection: Connection;

beforeEach(() => {
  vi.useFakeTimers();
  network = new FakeNetwork();
  states = [];
  received = [];
  connection = new Connection({
    address: () => "ws://somewhere",
    onMessage: (message) => received.push(message),
    onStateChange: (state) => states.push(state),
    connect: network.connect,
    random: () => 1,
  });
  connection.open();
});

afterEach(() => {
  connection.close();
  vi.useRealTimers();
});

test("the delays double up to a limit, with jitter", () => {
  expect([0, 1, 2].map((attempt) => delayBefore(attempt, 1))).toEqual([500, 1000, 2000]);
  expect(delayBefore(20, 1)).toBe(15_000);
  expect(delayBefore(0, 0)).toBe(250);
});

test("a broken connection is retried, later each time, until a message arrives", () => {
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

test("while a server stops, it is not asked again and again", () => {
  network.last.onopen?.();
  network.last.onclose?.({ code: 1012 });
  vi.advanceTimersByTime(200);
  for (const delay of [1000, 2000]) {
    const { length } = network.sockets;
    network.last.onopen?.();
    network.last.onclose?.({ code: 1012 });
    vi.advanceTimersByTime(delay - 1);
    expect(network.sockets).toHaveLength(length);
    vi.advanceTimersByTime(1);
    expect(network.sockets).toHaveLength(length + 1);
  }
});

test("when the server restarts, the first attempt starts almost at once, and later ones as usual", () => {
  network.last.onopen?.();
  network.last.onclose?.({ code: 1012 });
  vi.advanceTimersByTime(199);
  expect(network.sockets).toHaveLength(1);
  vi.advanceTimersByTime(1);
  expect(network.sockets).toHaveLength(2);
  network.last.onclose?.({ code: 1006 });
  vi.advanceTimersByTime(999);
  expect(network.sockets).toHaveLength(2);
  vi.advanceTimersByTime(1);
  expect(network.sockets).toHaveLength(3);
});

test("a quiet connection is pinged, and dropped if there is no answer", () => {
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

test("an attempt without an answer times out", () => {
  vi.advanceTimersByTime(10_000);
  expect(states.at(-1)).toBe("waiting");
});

test("when the network is back, the next attempt starts at once", () => {
  network.last.onclose?.({ code: 1006 });
  connection.retryNow();
  expect(network.sockets).toHaveLength(2);
});

test.each([4404, 4410])("there is no retry after close code %i", (code) => {
  network.last.onopen?.();
  network.last.onclose?.({ code });
  vi.advanceTimersByTime(60_000);
  expect(network.sockets).toHaveLength(1);
  expect(states.at(-1)).toBe("closed");
});

test("send() says whether the message was sent", () => {
  expect(connection.send({ type: "ping" })).toBe(false);
  network.last.onopen?.();
  expect(connection.send({ type: "ping" })).toBe(true);
});

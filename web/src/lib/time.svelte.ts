/** The time at a table: whose clock shows what, by the clock of the server. */

import { createSubscriber } from "svelte/reactivity";

import type { RunningClock } from "../generated/protocol";

const TICK = 250;
const SHORT = 15;

const subscribe = createSubscriber((update) => {
  const timer = setInterval(update, TICK);
  return () => clearInterval(timer);
});

/** The time of this device; whoever shows it is told when it has gone on. */
export function ticking(): number {
  subscribe();
  return Date.now();
}

/** What a seat's clock shows: seconds left for this turn and in reserve. Bots have none. */
export interface Reading {
  turn: number | null;
  reserve: number;
  /** Hardly any time is left in all. */
  isShort: boolean;
}

/** What the clock of a seat shows at a moment of the server's time, in milliseconds. */
export function readingOf(clock: RunningClock, seat: number, now: number): Reading {
  const reserve = clock.reserves[seat] ?? 0;
  if (clock.seat !== seat || clock.deadline === null) return { turn: null, reserve, isShort: false };
  const left = Math.max(0, (Date.parse(clock.deadline) - now) / 1000);
  const allowed = clock.reserve_from === null ? 0 : Math.max(0, (Date.parse(clock.reserve_from) - now) / 1000);
  return { turn: allowed, reserve: Math.max(0, left - allowed), isShort: left <= SHORT };
}

/** Seconds as 4:05, or 1:02:03 from an hour on. */
export function digits(seconds: number): string {
  const whole = Math.ceil(seconds);
  const parts = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const shown = parts[0] === 0 ? parts.slice(1) : parts;
  return shown.map((part, index) => (index === 0 ? `${part}` : `${part}`.padStart(2, "0"))).join(":");
}

/** The guide of a first game: which hint is to be seen, which were said already, and where to point. */

import { SvelteSet } from "svelte/reactivity";

import { pickHint, type Hint } from "../content/guide";
import type { Position } from "../generated/protocol";

const STORED_AS = "cabochon.guide";

function stored(): string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(STORED_AS) ?? "[]");
    return Array.isArray(kept) ? kept.map(String) : [];
  } catch {
    return []; // the browser keeps nothing for this page, or something else
  }
}

/** The hints that were said in this browser. */
const said = new SvelteSet(stored());

function keep(): void {
  try {
    localStorage.setItem(STORED_AS, JSON.stringify([...said]));
  } catch {
    return; // they are remembered until the page is closed
  }
}

/** Begin anew: every hint may be said again. */
export function forgetHints(): void {
  said.clear();
  keep();
}

/** Picks hints for the positions it is shown; each is said once, over all games until it is asked to begin anew. */
export class Guide {
  hint = $state.raw<Hint | null>(null);
  /** Whether it has said anything yet. */
  hasSpoken = false;
  #position: Position | null = null;

  /** Look at a position. A hint that was there for an earlier one has been said. */
  look(position: Position): void {
    if (this.#position !== null && this.#position.seq !== position.seq) this.#remember();
    this.#position = position;
    this.hint = pickHint(position, said);
  }

  /** The hint was understood: go on with the tour, if it belongs to one. */
  next(): void {
    const isTour = this.hint?.isTour === true;
    this.#remember();
    this.hint = isTour && this.#position !== null ? pickHint(this.#position, said) : null;
  }

  #remember(): void {
    if (this.hint === null) return;
    this.hasSpoken = true;
    said.add(this.hint.id);
    keep();
  }
}

/** Where on the screen lies what a hint is about; of several places, the first that can be seen. */
export function placesOf(focus: string): string {
  const [kind, name] = focus.split(":");
  if (name === undefined) {
    const wholes: Record<string, string> = {
      supply: ".supply",
      hand: '.own [data-anchor$=":hand"]',
      holdings: '.own [data-anchor$=":cards"]',
      goal: ".own .progress, .own .score",
    };
    const whole = wholes[focus];
    if (whole === undefined) throw new Error(`expected one of ${Object.keys(wholes).join(", ")}, got ${focus}`);
    return whole;
  }
  if (kind === "card") return `[data-place="${name}"]`;
  if (kind === "bonus") return `.own li:has([data-anchor$=":token:${name}"])`;
  return `[data-anchor="${focus}"]`;
}

/** A rectangle on the screen, in pixels. */
export interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** How far a hint stays from what it points at: there are a ring and, below, a hand. */
const RING = 12;
const HAND = 28;

function overlap(one: Box, other: Box): number {
  const width = Math.min(one.right, other.right) - Math.max(one.left, other.left);
  const height = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
  return width > 0 && height > 0 ? width * height : 0;
}

function distance(one: Box, other: Box): number {
  const across = Math.max(0, other.left - one.right, one.left - other.right);
  const down = Math.max(0, other.top - one.bottom, one.top - other.bottom);
  return Math.hypot(across, down);
}

function covered(box: Box, others: readonly Box[]): number {
  return others.reduce((total, other) => total + overlap(box, other), 0);
}

function centre(box: Box): [x: number, y: number] {
  return [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
}

/**
 * Where a hint of this size lies within a space: as near as possible to what it points at, beside it and beside what
 * must stay free, and off what would better stay free.
 */
export function hintPlace(
  { width, height }: { width: number; height: number },
  target: Box,
  free: readonly Box[],
  better: readonly Box[],
  space: Box,
): Box {
  const { left, top, right, bottom } = target;
  const closed = [{ left: left - HAND, top: top - RING, right: right + HAND, bottom: bottom + HAND }, ...free];
  const [x, y] = centre(target);
  const lefts = [x - width / 2, left, right - width, space.left];
  const tops = [y - height / 2, top, bottom - height, space.top];
  for (const box of [...closed, ...better]) {
    lefts.push(box.left - width, box.right);
    tops.push(box.top - height, box.bottom);
  }

  function boxAt(wantedLeft: number, wantedTop: number): Box {
    const left = Math.max(space.left, Math.min(wantedLeft, space.right - width));
    const top = Math.max(space.top, Math.min(wantedTop, space.bottom - height));
    return { left, top, right: left + width, bottom: top + height };
  }

  function cost(box: Box): number {
    const [across, down] = centre(box);
    const skew = Math.hypot(across - x, down - y) / 20; // of two equally near places, the one in line with the target
    return covered(box, closed) * 1_000 + covered(box, better) * 0.1 + distance(box, target) + skew;
  }

  const boxes = lefts.flatMap((each) => tops.map((other) => boxAt(each, other)));
  return boxes.reduce((best, box) => (cost(box) < cost(best) ? box : best));
}

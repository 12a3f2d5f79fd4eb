/** Playing with the keys alone: what each key does at a table. `Shortcuts.svelte` lists them for players. */

import { CATALOGUES } from "../generated/catalogue";
import type { Position } from "../generated/protocol";
import type { Decision } from "../lib/decision.svelte";
import { settings } from "../lib/settings.svelte";
import { tokensOf } from "../lib/story";
import type { Table } from "../lib/table.svelte";
import { buyAt, reserveAt, reserveDeck, tapPile, toggleGoal } from "../lib/taps";
import { changePayment, takeBack } from "../lib/undo";

/** What the keys can open besides the table itself. */
export interface Openers {
  log: () => void;
  shortcuts: () => void;
}

function focusOn(selector: string): void {
  const found = [...document.querySelectorAll<HTMLElement>(selector)];
  (found.find((element) => element.tabIndex === 0) ?? found[0])?.focus();
}

/** A key as the table knows it: a letter is small, and one of another script is the Latin one at its place. */
function keyOf({ key, code }: KeyboardEvent): string {
  const isOfAnotherScript = /^\p{Letter}$/u.test(key) && !/^\p{Script=Latin}$/u.test(key);
  if (isOfAnotherScript && code.startsWith("Key")) return code.slice("Key".length).toLowerCase();
  return key.length === 1 ? key.toLowerCase() : key;
}

/** The main thing: send what is held or chosen, or pass. */
function confirm(decision: Decision): void {
  if (decision.held.move !== null) decision.held.release();
  else if (decision.pass !== undefined) decision.send(decision.pass.move);
  else if (decision.phase !== "pay") decision.confirm();
}

/** A number chooses a token: from the supply, or to be returned. */
function chooseToken(decision: Decision, position: Position, token: string): void {
  if (decision.phase === "return") decision.toggle(token);
  else tapPile(decision, position, token);
}

/** What the key does at the table; undefined if nothing. */
function actOf(
  key: string,
  target: HTMLElement,
  table: Table,
  decision: Decision,
  position: Position,
  open: Openers,
): (() => void) | undefined {
  const token = tokensOf(position.view.game)[Number(key) - 1];
  if (token !== undefined) return () => chooseToken(decision, position, token);
  const place = target.dataset["place"];
  const deck = target.dataset["deck"];
  const card = place === undefined ? null : table.cardAt(place);
  const acts: Record<string, () => void> = {
    u: () => takeBack(table, decision),
    x: () => changePayment(table, decision),
    s: () => table.skip(),
    l: open.log,
    "?": open.shortcuts,
    c: () => confirm(decision),
    m: () => focusOn(".market [data-place]"),
    t: () => focusOn(".tiles button"),
    h: () => focusOn('[data-place^="h"]'),
    p: () => focusOn('[data-anchor^="pile:"]'),
  };
  if (place !== undefined) {
    acts["b"] = () => buyAt(decision, position, place);
    acts["r"] = () => reserveAt(decision, position, place);
    acts["i"] = () => (decision.opened = { place });
  } else if (deck !== undefined) {
    acts["r"] = () => reserveDeck(decision, position, Number(deck));
    acts["i"] = () => (decision.opened = { deck: Number(deck) });
  } else {
    acts["r"] = () => tapPile(decision, position, CATALOGUES[position.view.game].wild);
  }
  if (card !== null) acts["g"] = () => toggleGoal(decision, position, card);
  if (!target.matches("button, a, summary")) acts["Enter"] = () => confirm(decision);
  return acts[key];
}

/** Do what a key means at the table, unless it is meant for something else. */
export function pressed(event: KeyboardEvent, table: Table, decision: Decision, open: Openers): void {
  const target = event.target instanceof HTMLElement ? event.target : document.body;
  if (event.ctrlKey || event.metaKey || event.altKey || target.matches("input, select, textarea")) return;
  if (document.querySelector("dialog[open]") !== null) return;
  if (event.repeat) {
    // Who holds a key means it once. The arrows go on, which others handle; Enter would click again and again.
    if (event.key === "Enter") event.preventDefault();
    return;
  }
  if (event.key === "Escape") {
    if (!decision.dismiss() && !decision.cancel()) table.skip();
    return;
  }
  if (settings.shortcuts === "off" || table.shown === null) return;
  const act = actOf(keyOf(event), target, table, decision, table.shown, open);
  if (act === undefined) return;
  act();
  event.preventDefault();
}

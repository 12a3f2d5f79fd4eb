/** What a tap, a click or a key on something of the table does: choose it, plan it, look at it, or say why not. */

import { CATALOGUES } from "../generated/catalogue";
import type { LegalMove, Position } from "../generated/protocol";
import type { Decision } from "./decision.svelte";
import { priceText } from "./labels";
import { t } from "./messages.svelte";
import type { Planned } from "./plan.svelte";
import { whyNotNow, whyNotReserve, whyNotTake, type Reason } from "./reasons";
import { settings } from "./settings.svelte";
import { cardAt } from "./table.svelte";

/** A move is held back: another tap on the same thing sends it, and nothing else can be chosen. */
function touchesHeld(decision: Decision, place: string | null): boolean {
  const { move } = decision.held;
  if (move === null) return false;
  if (place !== null && move.place === place) decision.held.release();
  else decision.explain({ text: t("cannot.held") });
  return true;
}

/** Make the move, or plan it while others move, or say why neither is possible; `why` is null if nothing is known. */
function makeOrPlan(
  decision: Decision,
  position: Position,
  move: LegalMove | undefined,
  planned: Planned,
  why: Reason | null,
): void {
  if (move !== undefined) decision.make(move);
  else if (decision.isPlanning && why === null) decision.planTo(planned);
  else if (decision.isPlanning || decision.phase === "act") decision.explain(why ?? { text: t("error.illegal") });
  else decision.explain(whyNotNow(position));
}

function isAffordable(position: Position, place: string): boolean {
  return position.prices.some((price) => price.place === place && price.is_affordable);
}

/** Buy the card at a place. */
export function buyAt(decision: Decision, position: Position, place: string): void {
  const card = cardAt(position.view, place);
  if (card === null || touchesHeld(decision, place)) return;
  const why = isAffordable(position, place) ? null : { text: priceText(position, place) ?? t("cannot.watching") };
  makeOrPlan(decision, position, decision.moveAt("buy", place), { kind: "buy", card }, why);
}

/** Reserve the card at a place of the market. */
export function reserveAt(decision: Decision, position: Position, place: string): void {
  const card = cardAt(position.view, place);
  if (card === null || touchesHeld(decision, place)) return;
  const why = place.startsWith("h") ? { text: t("cannot.reserved") } : whyNotReserve(position);
  makeOrPlan(decision, position, decision.moveAt("reserve", place), { kind: "reserve", card }, why);
}

/** Reserve the top card of a deck. */
export function reserveDeck(decision: Decision, position: Position, level: number): void {
  const place = `${level}`;
  if (touchesHeld(decision, place)) return;
  const why = whyNotReserve(position, position.view.decks[level - 1]);
  makeOrPlan(decision, position, decision.moveAt("reserve", place), { kind: "draw", level }, why);
}

/**
 * A tap on a card of the market or of one's hand, which does nothing if the table is about to show another card there.
 * The second click of a double click would hit the next card at the place, or send what the first one has only just
 * held back.
 */
export function tapCard(decision: Decision, position: Position, place: string, card: number, clicks = 1): void {
  const { phase, isPlanning } = decision;
  if (clicks > 1 || decision.cardAt(place) !== card) return;
  if (decision.held.move !== null) touchesHeld(decision, place);
  else if (isPlanning && decision.plan.hasCard(card)) decision.plan.cancel();
  else if (decision.isReserving) reserveAt(decision, position, place);
  else if (settings.confirm === "off" && (phase === "act" || isPlanning) && isAffordable(position, place))
    buyAt(decision, position, place);
  else decision.opened = { place };
}

/** A tap on a deck; the second click of a double click would look at it, or send what is held back. */
export function tapDeck(decision: Decision, position: Position, level: number, clicks = 1): void {
  if (clicks > 1) return;
  if (decision.held.move !== null || decision.isReserving) reserveDeck(decision, position, level);
  else if (decision.plan.has({ kind: "draw", level })) decision.plan.cancel();
  else if (position.view.decks[level - 1] === 0) decision.explain({ text: t("cannot.deck") });
  else decision.opened = { deck: level };
}

/** A tap on a pile of the supply: wilds are taken by reserving. */
export function tapPile(decision: Decision, position: Position, token: string): void {
  const { plan } = decision;
  const isWild = token === CATALOGUES[position.view.game].wild;
  if (touchesHeld(decision, null)) return;
  if (isWild && (decision.phase === "act" || decision.isPlanning)) return decision.toggleReserving();
  if (decision.phase === "act") return decision.toggle(token);
  if (!decision.isPlanning) return decision.explain(whyNotNow(position));
  decision.clear();
  if (token === "time" || (!plan.canAdd(token) && !plan.tokens.includes(token)))
    decision.explain(whyNotTake(position, plan.tokens, token));
  else plan.toggle(token);
}

/** A tap on a noble or location: where one is due, it is chosen. */
export function tapTile(decision: Decision, place: number): void {
  const move = decision.moveAt("tile", `${place + 1}`);
  if (move !== undefined && settings.confirm === "off") decision.make(move);
  else decision.opened = { tile: place };
}

/** Make a card the goal, or no more. */
export function toggleGoal(decision: Decision, position: Position, card: number): void {
  if (position.view.viewer === null) decision.explain({ text: t("cannot.watching") });
  else decision.goal.toggle(card);
}

/** How a card at a place shows what can be done with it, and what was chosen for it. */

import { priceMarks, type PriceMarks } from "../lib/choices";
import type { Decision } from "../lib/decision.svelte";
import type { Position } from "../generated/protocol";
import { cardLabel } from "../lib/labels";
import { t } from "../lib/messages.svelte";
import { planText } from "./planning";

export interface CardMarks {
  /** For the button. */
  classes: { open: boolean; chosen: boolean; planned: boolean; goal: boolean };
  /** For the drawing of the card. */
  face: PriceMarks & { selected: boolean };
  label: string;
  /** How many tokens are missing for it, if it is the goal. */
  missing: number | null;
}

export function cardMarks(decision: Decision, position: Position, place: string, card: number): CardMarks {
  const { view } = position;
  const price = priceMarks(
    view.game,
    position.prices.find((other) => other.place === place),
  );
  const isOpen = decision.moveAt(decision.isReserving ? "reserve" : "buy", place) !== undefined;
  const isChosen = decision.held.move?.place === place;
  const isPlanned = decision.plan.hasCard(card);
  const isGoal = decision.goal.card === card;
  // What could be bought is marked only where that is to be decided, or will be.
  const isOurs = view.viewer === view.seat;
  const isBuying = !decision.isReserving && (!isOurs || view.phase === "act" || view.phase === "over");
  const missing = isGoal ? decision.goal.remaining(position) : null;
  const label = [
    cardLabel(position, place, card),
    ...(isPlanned && decision.plan.planned !== null ? [planText(view.game, decision.plan.planned)] : []),
    ...(missing === null ? [] : [missing > 0 ? t("goal.missing", { count: missing }) : t("goal.is")]),
  ];
  return {
    classes: { open: isOpen, chosen: isChosen, planned: isPlanned, goal: isGoal },
    face: {
      ...price,
      ...(price.affordable === undefined ? {} : { affordable: price.affordable && isBuying }),
      selected: isChosen || isPlanned,
    },
    label: label.join(". "),
    missing,
  };
}

/**
 * Why something cannot be chosen now, in words.
 *
 * The server says what is legal, and not why the rest is not. What is not legal leaves one explanation at most: an
 * empty pile, or one sentence of the rulebook, which the page has in every language.
 */

import { CATALOGUES, HAND_LIMIT } from "../generated/catalogue";
import type { Position } from "../generated/protocol";
import { canTakeAll, excess } from "./choices";
import { t } from "./messages.svelte";
import type { Planned } from "./plan.svelte";
import { tokenName } from "./story";

/** A sentence of the page, or of the rulebook by the id of its rule. */
export type Reason = { text: string } | { rule: string };

/** Why the token cannot be taken besides those chosen. */
export function whyNotTake({ view }: Position, chosen: readonly string[], token: string): Reason {
  if (token === "time") return { rule: "TIM-2" };
  if (token === CATALOGUES[view.game].wild) return { rule: "RSV-6" };
  if ((view.supply[token] ?? 0) === 0) {
    const text = t("cannot.empty", { token: tokenName(view.game, token) });
    return { text };
  }
  if (chosen.length === 1 && chosen[0] === token) return { rule: "TRN-5" };
  return { rule: "TRN-2" };
}

/** Why the tokens chosen are no complete take. */
export function whyNotEnough({ legal }: Position): Reason {
  const most = Math.max(0, ...legal.map((move) => (move.kind === "take" ? move.tokens.length : 0)));
  return { rule: most > 2 ? "TRN-2" : "TRN-4" };
}

/** Why a card, or the top of a deck of so many cards, cannot be reserved; null if nothing is to be seen against it. */
export function whyNotReserve({ view }: Position, left = 1): Reason | null {
  if (left === 0) return { text: t("cannot.deck") };
  const held = view.seats[view.viewer ?? -1]?.reserved.length ?? 0;
  return held >= HAND_LIMIT ? { rule: "RSV-4" } : null;
}

/** Why a plan is not legal, if anything is to be seen against it. */
export function whyNotPlanned(position: Position, planned: Planned): Reason | null {
  if (planned.kind === "take") {
    const { tokens } = planned;
    const fits = tokens.findIndex((_, index) => !canTakeAll(position.legal, tokens.slice(0, index + 1)));
    return whyNotTake(position, tokens.slice(0, fits), tokens[fits] ?? "");
  }
  if (planned.kind === "buy") return null;
  return whyNotReserve(position, planned.kind === "draw" ? position.view.decks[planned.level - 1] : 1);
}

/** Why nothing of this kind can be chosen now, when something else is due or it is not one's turn. */
export function whyNotNow({ view, outcome, legal }: Position): Reason {
  if (outcome !== null) return { text: t("prompt.over") };
  if (view.viewer === null) return { text: t("cannot.watching") };
  if (view.seat !== view.viewer) return { text: t("notYourTurn") };
  const own = view.seats[view.viewer];
  if (legal.some((move) => move.kind === "pass")) return { text: t("prompt.pass") };
  if (view.phase === "return" && own !== undefined) return { text: t("prompt.return", { count: excess(own) }) };
  if (view.phase === "tile") return { text: t(`prompt.tile.${view.game}`) };
  if (view.phase === "pay") return { text: t("prompt.pay") };
  return { text: t("prompt.sending") };
}

/** What a screen reader says about the things on the table. */

import { CATALOGUES, type GameName } from "../generated/catalogue";
import type { Position } from "../generated/protocol";
import { t } from "./messages.svelte";
import { byColour, cardName, cardOf, tileOf, tokenList, tokenName } from "./story";

/** A card as printed: its name or kind, points, bonus and cost. */
export function printedLabel(game: GameName, number: number): string {
  const card = cardOf(game, number);
  const parts = [cardName(game, number)];
  if (card.name !== null) {
    parts.push(t("label.bonus", { gem: tokenName(game, card.bonus) }));
    if (card.points > 0) parts.push(t("label.points", { count: card.points }));
  }
  if (card.tags > 0) parts.push(t("label.tags", { count: card.tags }));
  parts.push(t("label.cost", { tokens: tokenList(game, byColour(game, card.cost)) }));
  return parts.join(", ");
}

/** What stands between the viewer and a card: nothing, some wilds, or missing tokens. */
export function priceText(position: Position, place: string): string | null {
  const { view, prices } = position;
  const price = prices.find((other) => other.place === place);
  if (price === undefined) return null;
  const due = tokenList(view.game, price.due);
  if (!price.is_affordable) return t("price.missing", { tokens: tokenList(view.game, price.missing) });
  if (due === "") return t("price.free");
  if (price.wilds === 0) return t("price.exact", { tokens: due });
  const paid = Object.fromEntries(
    Object.entries(price.due).map(([token, count]) => [token, count - (price.missing[token] ?? 0)]),
  );
  return t("price.exact", { tokens: tokenList(view.game, { ...paid, [CATALOGUES[view.game].wild]: price.wilds }) });
}

/** A card at a place, with what it would cost the viewer. */
export function cardLabel(position: Position, place: string, card: number): string {
  const game = position.view.game;
  return [printedLabel(game, card), priceText(position, place)].filter((text) => text !== null).join(". ");
}

/** A noble or location: its points and what it asks for. */
export function tileLabel(game: GameName, number: number): string {
  const tile = tileOf(game, number);
  const needs = tokenList(game, byColour(game, tile.needs));
  const name = tile.name ?? t("noble");
  return t("label.tile", { name, count: tile.points, needs });
}

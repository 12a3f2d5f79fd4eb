/** What is planned, in words. */

import type { GameName } from "../generated/catalogue";
import { t } from "../lib/messages.svelte";
import type { Planned } from "../lib/plan.svelte";
import { cardName, tokenList } from "../lib/story";

export function planText(game: GameName, planned: Planned): string {
  if (planned.kind === "draw") return t("planned.reserve", { card: t("deck.title", { level: planned.level }) });
  if (planned.kind === "take") {
    const counts: Record<string, number> = {};
    for (const token of planned.tokens) counts[token] = (counts[token] ?? 0) + 1;
    return t("planned.take", { tokens: tokenList(game, counts) });
  }
  const card = cardName(game, planned.card);
  return planned.kind === "buy" ? t(`planned.buy.${game}`, { card }) : t("planned.reserve", { card });
}

/** What the button for reserving says. */

import { CATALOGUES } from "../generated/catalogue";
import type { Position } from "../generated/protocol";
import { t } from "../lib/messages.svelte";

/** "Reserve and take gold", or without the wild where none is left. */
export function reserveText(position: Position): string {
  const { game, supply } = position.view;
  return (supply[CATALOGUES[game].wild] ?? 0) > 0 ? t(`reserve.wild.${game}`) : t("reserve");
}

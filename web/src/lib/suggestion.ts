/** Where on the table a move takes place: what goes from where to where, by the anchors of the table. */

import type { Step } from "../generated/protocol";
import { spread } from "./story";

export interface Way {
  kind: "token" | "card" | "back" | "tile";
  /** A token by its name, a card or tile by its number, the back of a card by its level; null if it is not known. */
  what: string | number | null;
  /** The first of these anchors that is on the table. */
  from: string[];
  to: string[];
}

/** What a move would move. The tokens that a purchase costs are left out: they say little about the choice. */
export function waysOf(step: Step): Way[] {
  const seat = `seat:${step.seat}`;
  const ways: Way[] = [];
  if (step.kind === "buy" || step.kind === "reserve") {
    const place = step.place ?? "";
    const isFromDeck = step.kind === "reserve" && !place.includes(".");
    const from = place.startsWith("h")
      ? [`${seat}:${place}`, `${seat}:hand`, seat]
      : [isFromDeck ? `deck:${step.level ?? place}` : `place:${place}`];
    const to = step.kind === "buy" ? [`${seat}:cards`, seat] : [`${seat}:hand`, seat];
    ways.push(isFromDeck ? { kind: "back", what: step.level, from, to } : { kind: "card", what: step.card, from, to });
  }
  const tokens = step.kind === "return" ? step.spent : step.kind === "buy" ? {} : step.gained;
  for (const token of spread(tokens)) {
    const pile = [`pile:${token}`];
    const own = [`${seat}:token:${token}`, seat];
    const isReturn = step.kind === "return";
    ways.push({ kind: "token", what: token, from: isReturn ? own : pile, to: isReturn ? pile : own });
  }
  for (const tile of step.kind === "tile" ? step.tiles : []) {
    ways.push({ kind: "tile", what: tile, from: [`tile:${tile}`], to: [`${seat}:tiles`, seat] });
  }
  return ways;
}

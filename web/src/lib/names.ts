/** What the seats are called: people by their nicknames, bots by their level in the language that is spoken. */

import type { PlayedSeat } from "../generated/protocol";
import { t } from "./messages.svelte";

/** Who has a seat, wherever the server tells of one. */
export interface Sitter extends Pick<PlayedSeat, "name" | "level"> {
  kind: PlayedSeat["kind"] | "open";
  /** A bot plays for somebody who left: the seat is still called by that person's name. */
  has_left?: boolean;
}

/** The name of whoever has the seat. Several bots of one level are told apart by the server's number. */
export function nameOf({ kind, name, level, has_left = false }: Sitter): string {
  if (kind !== "bot" || has_left || level === null) return name;
  const number = / \d+$/.exec(name)?.[0] ?? "";
  return t(`level.${level}`) + number;
}

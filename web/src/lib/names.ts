/** What the seats are called: people by their nicknames, bots by their level in the language that is spoken. */

import type { PlayedSeat, TableInfo } from "../generated/protocol";
import { listed, t } from "./messages.svelte";

/** Who has a seat, wherever the server tells of one. */
export interface Sitter extends Pick<PlayedSeat, "name" | "level"> {
  kind: PlayedSeat["kind"] | "open";
  /** A bot plays for somebody who left: the seat is still called by that person's name. */
  has_left?: boolean;
}

/** Whether a seat is called by what somebody typed, however long that is, and not by words of the page. */
export function isNickname({ kind, level, has_left = false }: Sitter): boolean {
  return kind !== "bot" || has_left || level === null;
}

/** The name of whoever has the seat. Several bots of one level are told apart by the server's number. */
export function nameOf(sitter: Sitter): string {
  const { name, level } = sitter;
  if (level === null || isNickname(sitter)) return name;
  const number = / \d+$/.exec(name)?.[0] ?? "";
  return t(`level.${level}`) + number;
}

/** Who else is at a table. */
export function othersAt({ seats }: TableInfo): string {
  const named = seats.filter((seat) => !seat.is_yours && seat.name !== "");
  return named.length === 0 ? t("room.title") : t("start.against", { names: listed(named.map(nameOf)) });
}

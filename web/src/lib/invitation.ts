/** Seats that a host keeps for oneself: an invitation to a table that waits. */

import type { SeatInfo, TableInfo } from "../generated/protocol";
import { standUp } from "./api";

/** Whether a seat is kept for oneself. */
export function isInvitation(seat: SeatInfo): boolean {
  return seat.kind === "open" && seat.is_kept && seat.is_yours;
}

/** Whether a table waits for oneself. */
export function isInvited(table: TableInfo): boolean {
  return table.status === "waiting" && table.seats.some(isInvitation);
}

/** Decline all seats that are kept for oneself: of several people at one device there are some. */
export async function decline(table: TableInfo): Promise<void> {
  for (const { seat } of table.seats.filter(isInvitation)) await standUp(table.id, seat);
}

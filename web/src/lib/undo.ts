/** Taking back: what is held, the last decision, or the payment of the last purchase alone. */

import type { Decision } from "./decision.svelte";
import type { Table } from "./table.svelte";

/** Whether the last decision was a payment that can be changed, by taking it back. */
export function canChangePayment(table: Table, decision: Decision): boolean {
  if (decision.held.move !== null) return decision.canChangeHeld;
  return table.canUndo && table.lastOwnStep?.kind === "pay";
}

/** Take back what is held, or else the last decision; a purchase with its payment. */
export function takeBack(table: Table, decision: Decision): void {
  if (decision.held.move !== null) return decision.held.cancel();
  if (!table.canUndo) return;
  decision.plan.cancel(); // otherwise it would be played in the place of what is to be decided anew
  if (canChangePayment(table, decision)) decision.takeBackPurchase();
  table.undo();
}

/** Ask how to pay for what is held, or was bought last. */
export function changePayment(table: Table, decision: Decision): void {
  if (!canChangePayment(table, decision)) return;
  if (decision.held.move !== null) decision.changeHeld();
  else table.undo();
}

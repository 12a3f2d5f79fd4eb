/** What the parts of a table's screen share. */

import { createContext } from "svelte";

import type { TableAnimator } from "../lib/animations.svelte";
import type { Decision } from "../lib/decision.svelte";
import type { Table, TableState } from "../lib/table.svelte";

export interface Seating {
  table: TableState;
  decision: Decision;
  animator: TableAnimator;
}

/** For every part, at a live table and in a replay. */
export const [getSeating, setSeating] = createContext<Seating>();

/** For the parts that there are only at a live table. */
export const [getLiveTable, setLiveTable] = createContext<Table>();

/** What every part of a table's screen shares. */

import { createContext } from "svelte";

import type { Decision } from "../lib/decision.svelte";
import type { Table } from "../lib/table.svelte";
import type { Theatre } from "../lib/theatre.svelte";

export interface Seating {
  table: Table;
  decision: Decision;
  theatre: Theatre;
}

export const [getSeating, setSeating] = createContext<Seating>();

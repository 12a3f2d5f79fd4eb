/** Another game of the same players. */

import { playAgain, sitDown } from "./api";
import { router } from "./router.svelte";
import type { Table } from "./table.svelte";

/** Ask for the rematch, or for the one that somebody else has asked for; take one's seat, and go there. */
export async function joinNext(table: Pick<Table, "id" | "info">): Promise<void> {
  const next = table.info?.next ?? (await playAgain(table.id)).id;
  await sitDown(next, null);
  router.go(`/t/${next}`);
}

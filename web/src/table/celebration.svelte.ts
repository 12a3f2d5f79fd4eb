/** What is celebrated at a table now, and what waits for that: one thing at a time. */

import type { Position } from "../generated/protocol";
import { t } from "../lib/messages.svelte";
import { sound } from "../lib/sound";
import type { Table } from "../lib/table.svelte";
import {
  ceremoniesOf,
  ceremonySound,
  DURATIONS,
  endingSound,
  MOST_WAITING,
  soundOf,
  wordsOf,
  type Ceremony,
} from "./ceremonies";

export class Celebration {
  current = $state.raw<Ceremony | null>(null);
  /** What must be heard of by who does not see it; the rest is in the news of the table. */
  announcement = $state("");
  readonly #table: Table;
  #waiting: Ceremony[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #known: Position | null = null;

  constructor(table: Table) {
    this.#table = table;
  }

  /** The seats of those who look on from here. */
  get #own(): number[] {
    const { info, you } = this.#table;
    const yours = (info?.seats ?? []).filter((seat) => seat.is_yours).map((seat) => seat.seat);
    return yours.length > 0 || you === null ? yours : [you];
  }

  /** The table shows another position: begin what is to be celebrated in it. */
  follow(now: Position): void {
    const before = this.#known;
    this.#known = now;
    if (before === null || now.seq <= before.seq) return; // what one finds at the table is not news
    const since = this.#table.events.filter(({ seq }) => seq > before.seq && seq <= now.seq);
    const due = ceremoniesOf(since, before, now, this.#own);
    const last = since.findLast((event) => event.type === "step");
    const heard = last === undefined ? null : soundOf(last);
    if (now.outcome === null && heard !== null) sound(...heard);
    if (now.outcome !== null && due.length === 0) sound(endingSound(now, this.#own));
    if (document.hidden) return;
    if (now.outcome !== null || since.some(({ type }) => type === "undone")) {
      this.#begin(due); // what was celebrated before is over
      return;
    }
    this.#waiting = [...this.#waiting, ...due].slice(-MOST_WAITING);
    if (this.current === null) this.#begin(this.#waiting);
  }

  /** What a ceremony says. */
  wordsFor(ceremony: Ceremony): string {
    return this.#known === null ? "" : wordsOf(ceremony, this.#known, (seat) => this.#table.nameOf(seat));
  }

  /** End what is celebrated, and all that waits. */
  skip(): void {
    if (this.current !== null) this.#begin([]);
  }

  #begin(queue: Ceremony[]): void {
    clearTimeout(this.#timer);
    const [next, ...rest] = queue;
    this.#waiting = rest;
    this.current = next ?? null;
    if (next === undefined) return;
    sound(...ceremonySound(next));
    if (next.kind === "last")
      this.announcement = t("say.heard", { name: t("ceremony.last"), phrase: this.wordsFor(next) });
    this.#timer = setTimeout(() => this.#begin(this.#waiting), DURATIONS[next.kind]);
  }
}

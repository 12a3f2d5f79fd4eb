/** Several people who play on one device: who is next to have it, what must be covered, and the way back. */

import { untrack } from "svelte";

import type { Table } from "./table.svelte";

/** As whom one looks at a table. */
export interface Place {
  /** Which of one's seats; null is as the server decides. */
  seat: number | null;
  /** Who had the device before. */
  from: number | null;
  /** Whether the one who has the device said who they are. */
  isTrusted: boolean;
  /** Whether one came back to look at the table, or to undo, when the turn had gone to somebody else. */
  isLookingBack: boolean;
}

/** The place of somebody who shares the device with nobody, for all one knows yet. */
export const ALONE: Place = { seat: null, from: null, isTrusted: false, isLookingBack: false };

export class SharedDevice {
  readonly #table: Table;
  readonly #place: Place;
  readonly #move: (next: Place) => void;
  readonly #isCelebrating: () => boolean;
  /** The seat whose person has the device: they said so, or there was nothing to hide when it came. */
  #trusted = $state<number | null>(null);
  /** The length of the log while one looks back: when it grows, the device goes on. */
  #lookedBackAt = $state(-1);
  /** The length of the log when one came to this place. */
  #cameAt = $state(-1);
  #isBannerUp = $state(true);

  /** While something is celebrated, the table stays as it is with the one who has the device. */
  constructor(table: Table, place: Place, move: (next: Place) => void, isCelebrating: () => boolean = () => false) {
    this.#table = table;
    this.#place = place;
    this.#move = move;
    this.#isCelebrating = isCelebrating;
    if (place.isTrusted) this.#trusted = place.seat;
  }

  readonly #view = $derived.by(() => this.#table.shown?.view);
  readonly #seq = $derived.by(() => this.#table.shown?.seq ?? -1);
  readonly #isPlaying = $derived.by(() => this.#table.shown?.outcome === null);

  /** The seats of those who share this device, if several do; whoever left the game may still have the device. */
  readonly #seats = $derived.by(() => {
    const own = (this.#table.info?.seats ?? []).filter((each) => each.is_yours);
    return own.length > 1 ? own : [];
  });

  /** Whose turn it is, if that is somebody else at this device. */
  readonly next = $derived.by(() => {
    const view = this.#view;
    if (view === undefined || !this.#isPlaying || this.#table.waiting > 0) return null;
    const isHere = this.#seats.some((each) => each.seat === view.seat && !each.has_left);
    return isHere && view.seat !== view.viewer ? view.seat : null;
  });

  /** Whether there are cards on the table that only the one may see as whom one looks at it. */
  readonly hasSecrets = $derived.by(
    () => this.#seats.length > 0 && this.#isPlaying && this.#holdsSecrets(this.#view?.viewer ?? null),
  );

  readonly #isLookingBack = $derived.by(() => this.#lookedBackAt === this.#seq);

  /** Whom to give the device to before anything is shown; null if the table may be seen. */
  readonly awaited = $derived.by(() => {
    if (!this.hasSecrets || this.#isLookingBack) return null;
    const viewer = this.#view?.viewer ?? null;
    const isTheirs = this.#trusted === viewer;
    if (this.next !== null) return isTheirs && this.#isCelebrating() ? null : this.next;
    return isTheirs ? null : viewer;
  });

  /** The way back to the one before, who may want to undo, as long as nothing else has happened. */
  readonly wayBack = $derived.by(() => {
    const { from } = this.#place;
    if (from === null || this.next !== null || this.#seq !== this.#cameAt || this.#holdsSecrets(from)) return null;
    return {
      name: this.#table.nameOf(from),
      go: () => this.#move({ seat: from, from: null, isTrusted: false, isLookingBack: true }),
    };
  });

  /** The seat whose turn is to be announced; null if that is not to be done. */
  readonly announced = $derived.by(() => {
    const view = this.#view;
    const isTheirs = view !== undefined && view.seat === view.viewer && this.#table.info?.status === "playing";
    const isQuiet = !this.#isBannerUp || this.#seats.length === 0 || this.awaited !== null || this.#isLookingBack;
    return isTheirs && this.#isPlaying && !isQuiet ? view.seat : null;
  });

  /** Who looked at the table before it was covered, and may look again; null while there is nothing to look back at. */
  readonly previous = $derived.by(() => {
    const viewer = this.#view?.viewer ?? null;
    if (this.next === null) return this.wayBack;
    return viewer === null ? null : { name: this.#table.nameOf(viewer), go: () => this.#lookBack(viewer) };
  });

  /**
   * Follow the table: note where one came in, and turn to whoever is next where there is nothing to hide, once what is
   * celebrated is over.
   */
  follow(): void {
    $effect.pre(() => {
      if (this.#table.shown === null || this.#table.info === null || this.#cameAt >= 0) return;
      this.#cameAt = this.#seq;
      if (this.#place.isLookingBack) this.#lookedBackAt = this.#seq;
      if (!this.hasSecrets) this.#trusted = this.#view?.viewer ?? null;
    });
    // Once the table is covered, nobody knows who has the device.
    $effect.pre(() => {
      if (this.next !== null && this.awaited !== null) this.#trusted = null;
    });
    // Whoever left the game looks on from the seat of somebody else at this device, or the game would stop for them.
    $effect(() => {
      const remaining = this.#seats.find((each) => !each.has_left);
      if (this.#view?.viewer !== null || this.#place.seat === null || remaining === undefined) return;
      untrack(() => this.#move({ ...ALONE, seat: remaining.seat }));
    });
    $effect(() => {
      const { next } = this;
      if (next === null || this.hasSecrets || this.#cameAt < 0 || this.#isLookingBack || this.#isCelebrating()) return;
      untrack(() => this.passTo(next, false));
    });
  }

  /** Give the device to a seat; `isSaid` is whether its person said that they have it. */
  passTo(seat: number, isSaid: boolean): void {
    const viewer = this.#view?.viewer ?? null;
    if (seat === viewer) this.#trusted = seat;
    else this.#move({ seat, from: viewer, isTrusted: isSaid, isLookingBack: false });
  }

  #lookBack(viewer: number): void {
    this.#trusted = viewer;
    this.#lookedBackAt = this.#seq;
  }

  /** End the look back: cover the table, or turn to whoever is next. */
  handOver(): void {
    this.#lookedBackAt = -1;
    if (this.next !== null && !this.hasSecrets) this.passTo(this.next, false);
  }

  /** Take the announcement of the turn away. */
  closeBanner(): void {
    this.#isBannerUp = false;
  }

  #holdsSecrets(seat: number | null): boolean {
    return seat !== null && (this.#view?.seats[seat]?.reserved.some((held) => held.blind) ?? false);
  }
}

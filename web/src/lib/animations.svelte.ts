/** The animations of a table: tokens and cards fly from where they were to where they go. */

import type { Position, Step } from "../generated/protocol";
import { anchorsIn, boxOf, NOWHERE, type Box } from "./anchors";
import { afterFrames, FRAMES_LATE } from "./frames.svelte";
import { mayMove, settings } from "./settings.svelte";
import { spread } from "./story";
import type { Animator, Scene } from "./table.svelte";

/** Something that flies: a token by name, a card or tile by number, the back of a card by level. */
export interface Flight {
  id: number;
  kind: "token" | "card" | "back" | "tile" | "avengers";
  what: string | number;
  from: Box;
  to: Box;
  delay: number;
  duration: number;
  /** Whether it turns over while it flies, as a revealed card does. */
  turns: boolean;
}

const DURATION = 320;
const STAGGER = 70;
const TOKEN_SIZE = 44;
/** Milliseconds between somebody else's decision and the next one shown. */
const PACES = { slow: 1400, normal: 550, fast: 0 };

/** Waits so many milliseconds, or until somebody cuts the animation short: whether that was so. */
type IsCut = (milliseconds: number) => Promise<boolean>;

/** After so many milliseconds it goes on, even if the browser draws nothing. */
const FRAME_LIMIT = 400;

/** Wait until the browser has drawn what was changed, or somebody cuts it short. */
function drawn(isCut: IsCut): Promise<boolean> {
  const frames = new Promise<false>((resolve) => afterFrames(FRAMES_LATE.log + 1, () => resolve(false)));
  return Promise.race([isCut(FRAME_LIMIT), frames]);
}

/** The deck that fills a place of the market. */
function deckOf(place: string): string {
  return `deck:${place.split(".")[0] ?? ""}`;
}

/** Animates the elements of the table that have a `data-anchor`. */
export class TableAnimator implements Animator {
  flights = $state.raw<Flight[]>([]);
  /** The anchors whose thing is flying. */
  away = $state.raw<readonly string[]>([]);
  root: ParentNode = document;

  /** Whether tiles fly; where they have a ceremony, they do not. */
  readonly #withTiles: boolean;
  #anchors = NOWHERE;
  #count = 0;
  #interrupt: () => void = () => undefined;

  constructor({ withTiles = true } = {}) {
    this.#withTiles = withTiles;
  }

  async animate(scene: Scene, before: Position, apply: () => void): Promise<void> {
    const step = scene.event;
    const interrupted = new Promise<true>((resolve) => {
      this.#interrupt = () => resolve(true);
    });
    const isCut: IsCut = (milliseconds) =>
      Promise.race([interrupted, new Promise<false>((resolve) => setTimeout(() => resolve(false), milliseconds))]);
    const moves = mayMove() && !document.hidden;
    if (moves && step.type === "step") {
      const isInterrupted =
        (await this.#fly(this.#leaving(step, before), isCut)) || (await this.#reveal(step, apply, isCut));
      this.away = [];
      if (isInterrupted) return;
    }
    apply();
    const isOwn = step.seat === before.view.viewer;
    const pace = PACES[settings.speed];
    if (!isOwn && pace > 0 && !document.hidden) await isCut(pace);
    else if (moves) await drawn(isCut);
  }

  finish(): void {
    this.#interrupt();
  }

  async #fly(flights: Flight[], isCut: IsCut): Promise<boolean> {
    if (flights.length === 0) return false;
    this.flights = flights;
    const isInterrupted = await isCut(Math.max(...flights.map((flight) => flight.delay + flight.duration)));
    const land = (): void => {
      if (this.flights === flights) this.flights = [];
    };
    if (isInterrupted) land();
    else afterFrames(FRAMES_LATE.supply, land); // when what flew is drawn where it lands
    return isInterrupted;
  }

  /** The table changes, and the revealed card comes when that is drawn: one frame is too short for both. */
  async #reveal(step: Step, apply: () => void, isCut: IsCut): Promise<boolean> {
    if (step.revealed === null) return false;
    this.away = [`place:${step.revealed.place}`];
    apply();
    return (await drawn(isCut)) || this.#fly(this.#arriving(step.revealed.place, step.revealed.card), isCut);
  }

  /** What leaves its place: tokens in both directions, the card, tiles. */
  #leaving(step: Step, before: Position): Flight[] {
    this.#anchors = anchorsIn(this.root);
    const seat = `seat:${step.seat}`;
    const flights: (Flight | null)[] = [];
    const away: string[] = [];
    if (step.card !== null && (step.is_card_bought || step.kind === "reserve")) {
      const place = (step.is_card_bought ? (step.place ?? before.view.turn.buying) : step.place) ?? "";
      const source = place.startsWith("h")
        ? `${seat}:${place}`
        : place.includes(".")
          ? `place:${place}`
          : `deck:${place}`;
      const target = step.is_card_bought ? `${seat}:cards` : `${seat}:hand`;
      if (!source.startsWith("deck:")) away.push(source);
      flights.push(this.#flight("card", step.card, [source, `${seat}:hand`], [target], 0, source.startsWith("deck:")));
    } else if (step.kind === "reserve" && step.level !== null) {
      flights.push(this.#flight("back", step.level, [`deck:${step.level}`], [`${seat}:hand`], 0));
    }
    const tokens = [
      ...spread(step.spent).map((token) => [token, `${seat}:token:${token}`, `pile:${token}`] as const),
      ...spread(step.gained).map((token) => [token, `pile:${token}`, `${seat}:token:${token}`] as const),
    ];
    tokens.forEach(([token, from, to], index) => {
      flights.push(this.#flight("token", token, [from, seat], [to, seat], index * STAGGER));
    });
    if (this.#withTiles) {
      for (const tile of step.tiles) {
        away.push(`tile:${tile}`);
        flights.push(this.#flight("tile", tile, [`tile:${tile}`], [`${seat}:tiles`], 0));
      }
      if (step.takes_avengers_tile) flights.push(this.#flight("avengers", 0, ["avengers"], [`${seat}:tiles`], 0));
    }
    this.away = away;
    return flights.filter((flight) => flight !== null);
  }

  /** What arrives after the table has changed: the revealed card. */
  #arriving(place: string, card: number): Flight[] {
    this.#anchors = anchorsIn(this.root);
    const flight = this.#flight("card", card, [deckOf(place)], [`place:${place}`], 0, true);
    return flight === null ? [] : [flight];
  }

  #flight(
    kind: Flight["kind"],
    what: string | number,
    from: string[],
    to: string[],
    delay: number,
    turns = false,
  ): Flight | null {
    const start = boxOf(this.#anchors, from);
    const end = boxOf(this.#anchors, to);
    if (start === null || end === null) return null;
    this.#count += 1;
    const isToken = kind === "token";
    return {
      id: this.#count,
      kind,
      what,
      from: isToken ? middle(start) : start,
      to: isToken ? middle(end) : end,
      delay,
      duration: DURATION,
      turns,
    };
  }
}

/** The box of a token in the middle of a place. */
function middle(box: Box): Box {
  return {
    left: box.left + (box.width - TOKEN_SIZE) / 2,
    top: box.top + (box.height - TOKEN_SIZE) / 2,
    width: TOKEN_SIZE,
    height: TOKEN_SIZE,
  };
}

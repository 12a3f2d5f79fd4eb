/**
 * Whether the cards of a game followed from its secret seed: recomputed here, in the browser, from the record alone.
 *
 * `docs/records.md`, "Fair deals", says how; this is written from it, and shares nothing with the server.
 */

import { CATALOGUES, type GameName } from "../generated/catalogue";

/** What chance turned up: a card at a place (`2.3`) or drawn blind (`h`), or a tile (`t2`), by its number. */
export interface Reveal {
  where: string;
  number: number;
}

/** What a record says about its deal; the seed and the commitment in hexadecimal. */
export interface Deal {
  game: GameName;
  seed: string | null;
  commitment: string | null;
  reveals: Reveal[];
}

/** The answer: `difference` is the first reveal that the seed does not give, with the number that it gives. */
export type Verdict =
  | { result: "true"; reveals: number }
  | { result: "no seed" | "no commitment" | "wrong commitment" | "no way" }
  | { result: "difference"; reveal: Reveal; expected: number | null };

/** Read the tags and the reveals of a record. */
export function dealOf(record: string): Deal {
  const tag = (name: string): string | null =>
    new RegExp(`^\\[${name} "((?:[^"\\\\]|\\\\.)*)"\\]`, "m").exec(record)?.[1] ?? null;
  const reveals = record
    .split("\n")
    .filter((line) => !line.startsWith("["))
    .flatMap((line) => (line.split("#")[0] ?? "").replace(/^(deal|[0-9.]+) /, "").split(";"))
    .flatMap((event) => {
      const found = /^(h|t\d|\d\.\d)=(\d+)$/.exec(event.trim());
      return found?.[1] === undefined ? [] : [{ where: found[1], number: Number(found[2]) }];
    });
  const game = tag("Game") === "marvel" ? "marvel" : "splendor";
  return { game, seed: tag("Seed"), commitment: tag("Commitment"), reveals };
}

function bytesOf(hexadecimal: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(hexadecimal.match(/../g) ?? [], (pair) => parseInt(pair, 16));
}

async function sha256(message: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", message));
}

/** The commitment to a seed: its SHA-256. */
export async function commitmentTo(seed: string): Promise<string> {
  return [...(await sha256(bytesOf(seed)))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The outcome, from 0, of the draw number `draw` of a stream among so many equally likely ones. */
export async function pick(seed: string, stream: string, draw: number, outcomes: bigint): Promise<bigint> {
  const limit = (2n ** 64n / outcomes) * outcomes;
  for (let attempt = 0; ; attempt += 1) {
    const label = new TextEncoder().encode(`/${stream}/${draw}/${attempt}`);
    const digest = await sha256(Uint8Array.from([...bytesOf(seed), ...label]));
    const word = new DataView(digest.buffer).getBigUint64(0);
    if (word < limit) return word % outcomes;
  }
}

/** What is still to come of a game: the cards of each level, the tiles, and how many were drawn of each stream. */
class Box {
  readonly #decks: number[][];
  readonly #drawn = [0, 0, 0];
  #tiles: { number: number; sheet: number }[];

  constructor(game: GameName) {
    const { cards, tiles } = CATALOGUES[game];
    this.#decks = [1, 2, 3].map((level) => cards.filter((card) => card.level === level).map((card) => card.number));
    this.#tiles = [...tiles];
  }

  /** Which number the seed gives for a reveal; null where nothing like it can be. */
  async expected(seed: string, reveal: Reveal): Promise<number | null> {
    if (reveal.where.startsWith("t")) {
      const place = Number(reveal.where.slice(1)) - 1;
      if (this.#tiles.length === 0) return null;
      const index = await pick(seed, "tiles", place, BigInt(this.#tiles.length));
      return this.#tiles[Number(index)]?.number ?? null;
    }
    const level = this.#levelOf(reveal);
    const deck = this.#decks[level] ?? [];
    if (deck.length === 0) return null;
    const index = await pick(seed, `level ${level + 1}`, this.#drawn[level] ?? 0, BigInt(deck.length));
    return deck[Number(index)] ?? null;
  }

  /** Take out what came; of a location tile both faces. */
  take(reveal: Reveal): void {
    if (reveal.where.startsWith("t")) {
      const sheet = this.#tiles.find((tile) => tile.number === reveal.number)?.sheet;
      this.#tiles = this.#tiles.filter((tile) => tile.sheet !== sheet);
      return;
    }
    const level = this.#levelOf(reveal);
    this.#decks[level] = (this.#decks[level] ?? []).filter((number) => number !== reveal.number);
    this.#drawn[level] = (this.#drawn[level] ?? 0) + 1;
  }

  /** A card that was drawn blind says itself of which level it is. */
  #levelOf(reveal: Reveal): number {
    if (reveal.where !== "h") return Number(reveal.where[0]) - 1;
    return this.#decks.findIndex((deck) => deck.includes(reveal.number));
  }
}

/** Recompute the commitment and every reveal of a record from its seed. */
export async function verify(record: string): Promise<Verdict> {
  const { game, seed, commitment, reveals } = dealOf(record);
  if (seed === null) return { result: "no seed" };
  if (commitment === null) return { result: "no commitment" };
  // Browsers compute hashes only for pages that came over HTTPS, or from the same machine.
  if ((crypto as Partial<Crypto>).subtle === undefined) return { result: "no way" };
  if ((await commitmentTo(seed)) !== commitment) return { result: "wrong commitment" };
  const box = new Box(game);
  for (const reveal of reveals) {
    const expected = await box.expected(seed, reveal);
    if (expected !== reveal.number) return { result: "difference", reveal, expected };
    box.take(reveal);
  }
  return { result: "true", reveals: reveals.length };
}

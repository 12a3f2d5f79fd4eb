/** What can be chosen now, worked out from the legal moves that the server gave: no rules here. */

import { CATALOGUES, TOKEN_LIMIT, type GameName } from "../generated/catalogue";
import type { LegalMove, Position, Price, SeatView } from "../generated/protocol";

/** How often a token is among those chosen. */
export function countOf(tokens: readonly string[], token: string): number {
  return tokens.filter((other) => other === token).length;
}

function contains(tokens: readonly string[], part: readonly string[]): boolean {
  return part.every((token) => countOf(tokens, token) >= countOf(part, token));
}

function takes(legal: readonly LegalMove[]): LegalMove[] {
  return legal.filter((move) => move.kind === "take");
}

/** Whether the tokens are all or a part of some legal take. */
export function canTakeAll(legal: readonly LegalMove[], tokens: readonly string[]): boolean {
  return takes(legal).some((move) => contains(move.tokens, tokens));
}

/** Whether the token, added to those chosen, leads to some legal take. */
export function canTake(legal: readonly LegalMove[], chosen: readonly string[], token: string): boolean {
  return canTakeAll(legal, [...chosen, token]);
}

/** The take that is exactly the tokens chosen. */
export function takeOf(legal: readonly LegalMove[], chosen: readonly string[]): LegalMove | undefined {
  return takes(legal).find((move) => move.tokens.length === chosen.length && contains(move.tokens, chosen));
}

/** Whether some legal take goes beyond the tokens chosen. */
export function canTakeMore(legal: readonly LegalMove[], chosen: readonly string[]): boolean {
  return takes(legal).some((move) => move.tokens.length > chosen.length && contains(move.tokens, chosen));
}

/** How many more tokens than allowed a seat holds. */
export function excess(seat: SeatView): number {
  return Object.values(seat.tokens).reduce((sum, count) => sum + count, 0) - TOKEN_LIMIT;
}

/** Whether one more of the token can be returned besides those chosen. */
export function canReturn(position: Position, chosen: readonly string[], token: string): boolean {
  const seat = position.view.seats[position.view.seat];
  return (
    seat !== undefined &&
    chosen.length < excess(seat) &&
    countOf(chosen, token) < (seat.tokens[token] ?? 0) &&
    position.legal.some((move) => move.kind === "return" && move.tokens[0] === token)
  );
}

/** The move of this kind about this place: a market place, one in the hand, a deck or a tile. */
export function moveAt(legal: readonly LegalMove[], kind: LegalMove["kind"], place: string): LegalMove | undefined {
  return legal.find((move) => move.kind === kind && move.place === place);
}

/** Where a card lies in the market or in the viewer's hand. */
export function placeOf(position: Position, card: number): string | null {
  return position.prices.find((price) => price.card === card)?.place ?? null;
}

/** Whether the card at a place could be paid with more wilds than it needs. */
export function hasPayments(position: Position, place: string): boolean {
  const { view, prices } = position;
  const price = prices.find((other) => other.place === place);
  const wilds = view.seats[view.viewer ?? -1]?.tokens[CATALOGUES[view.game].wild] ?? 0;
  if (view.payment !== "choice" || price === undefined || wilds <= price.wilds) return false;
  return Object.entries(price.due).some(([token, due]) => due > (price.missing[token] ?? 0));
}

/** The move of a kind of which there is at most one: `pass` or `pay`. */
export function onlyMove(legal: readonly LegalMove[], kind: "pass" | "pay"): LegalMove | undefined {
  return legal.find((move) => move.kind === kind);
}

/** How a price is drawn on a card: what bonuses cover, what is missing, and the wilds it would take. */
export interface PriceMarks {
  price?: Record<string, { covered: number; missing: number }>;
  affordable?: boolean;
  wilds?: number;
}

/** The marks for a card's price; none for one who only watches. */
export function priceMarks(game: GameName, price: Price | undefined): PriceMarks {
  if (price === undefined) return {};
  const { colours, cards } = CATALOGUES[game];
  const cost = cards[price.card - 1]?.cost ?? [];
  const entries = colours.map((colour, index) => {
    const covered = (cost[index] ?? 0) - (price.due[colour] ?? 0);
    return [colour, { covered, missing: price.missing[colour] ?? 0 }];
  });
  return { price: Object.fromEntries(entries), affordable: price.is_affordable, wilds: price.wilds };
}

/** How a card is paid: for each colour the coloured tokens and the wilds that stand in for some. */
export interface Payment {
  colours: { token: string; due: number; tokens: number; wilds: number; canAdd: boolean; canRemove: boolean }[];
  wilds: number;
  price: Price;
}

/** The payment under way, with wilds `chosen` beyond those needed; null if none is. */
export function paymentOf(position: Position, chosen: readonly string[]): Payment | null {
  const { view, legal, prices } = position;
  const price = prices.find((other) => other.place === view.turn.buying);
  const seat = view.seats[view.seat];
  if (view.phase !== "pay" || price === undefined || seat === undefined) return null;
  const catalogue = CATALOGUES[view.game];
  const settled = Object.values(view.turn.wilds).reduce((sum, count) => sum + count, 0);
  const used = price.wilds + settled + chosen.length;
  const left = (seat.tokens[catalogue.wild] ?? 0) - used;
  const colours = Object.entries(price.due)
    .filter(([, due]) => due > 0)
    .map(([token, due]) => {
      const extra = (view.turn.wilds[token] ?? 0) + countOf(chosen, token);
      const wilds = (price.missing[token] ?? 0) + extra;
      const isOffered = legal.some((move) => move.kind === "wild" && move.tokens[0] === token);
      return {
        token,
        due,
        tokens: due - wilds,
        wilds,
        canAdd: isOffered && left > 0 && due > wilds,
        canRemove: countOf(chosen, token) > 0,
      };
    });
  return { colours, wilds: used, price };
}

/** The chosen wilds as moves, in the order in which they must be named, and then the paying. */
export function paymentMoves(position: Position, chosen: readonly string[]): string[] {
  const order = CATALOGUES[position.view.game].colours;
  const moves = [...chosen]
    .sort((one, other) => order.indexOf(one) - order.indexOf(other))
    .map((token) => {
      const move = position.legal.find((legal) => legal.kind === "wild" && legal.tokens[0] === token);
      if (move === undefined) throw new Error(`expected a legal move for a wild in the place of ${token}, found none`);
      return move.move;
    });
  const pay = onlyMove(position.legal, "pay");
  return pay === undefined ? moves : [...moves, pay.move];
}

export type { Card, GameName, Tile } from "../generated/catalogue";

/** What a colour of a card's cost comes to for the viewer: how much bonuses cover, and how much cannot be paid in that colour. */
export interface ColourPrice {
  covered: number;
  missing: number;
}

/** The price of a card for the viewer, by the names of the colours. */
export type CardPrice = Partial<Record<string, ColourPrice>>;

/** The proportions of a card: 200 wide, 270 high. */
export const CARD_RATIO = 200 / 270;

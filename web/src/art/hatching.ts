import type { GameName } from "../generated/catalogue";
import { ellipse } from "./geometry";

/** The side of a tile of hatching, in the units of a card that is 200 wide. */
export const TILE = 12;

const DOTS = ellipse(3, 3, 1.7) + ellipse(9, 9, 1.7);
const LEVEL = "M0 2H12V4.6H0ZM0 8H12V10.6H0Z";
const UPRIGHT = "M2 0V12H4.6V0ZM8 0V12H10.6V0Z";
const FALLING = "M0 0H3.5L12 8.5V12L0 0ZM0 8.5V12H3.5Z";
const RISING = "M12 0H8.5L0 8.5V12L12 0ZM12 8.5V12H8.5Z";
const CROSSED = "M0 4.5H4.5V0H7.5V4.5H12V7.5H7.5V12H4.5V7.5H0Z";
const CHEVRONS = "M0 8L6 2 12 8V11.5L6 5.5 0 11.5Z";
const SPECKS = "M6 1L8 6 6 11 4 6Z";

/**
 * A pattern for each colour, so that a ground is known without its colour. It is the way heralds have engraved colours
 * since the 17th century: dots for gold, level lines for blue, upright lines for red, and so on.
 */
export const HATCHINGS: Record<GameName, Record<string, string>> = {
  splendor: { white: SPECKS, blue: LEVEL, green: FALLING, red: UPRIGHT, black: CROSSED },
  marvel: { yellow: DOTS, purple: RISING, blue: LEVEL, red: UPRIGHT, orange: CHEVRONS },
};

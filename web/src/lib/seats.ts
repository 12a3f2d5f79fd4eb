/** The figure of each seat: with its colour (`styles/seats.css`) the same on the board, in the log and in charts. */

export const SEAT_FIGURES = ["tower", "anchor", "clover", "crescent"] as const;

export type SeatFigure = (typeof SEAT_FIGURES)[number];

/** The figure of a seat. */
export function seatFigure(seat: number): SeatFigure {
  const figure = SEAT_FIGURES[seat];
  if (figure === undefined) throw new Error(`expected a seat from 0 to ${SEAT_FIGURES.length - 1}, got ${seat}`);
  return figure;
}

/** The colour of a seat, as a value for CSS. */
export function seatColour(seat: number): string {
  return `var(--seat-${seat})`;
}

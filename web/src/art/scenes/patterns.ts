/** Small figures as path data, facing right, with their feet on y = 0; they are stretched and mirrored into scenes. */

/** A camel, 40 wide and 33 high. */
export const CAMEL =
  "M4 -19C6 -23 9 -23 12 -22C14 -29 18 -30 20.5 -23C23 -22 25.5 -22 27 -22C29.5 -22 31 -25 31.5 -28.5C32 -31.5 34 -32.5 36 -32L40 -29.5L39.5 -28L36.2 -27.5C36 -23 34.5 -18 31 -15.5L30.5 0H28.6L28.2 -13L26.8 -13L25.6 0H23.8L24 -13C20 -12 14 -12 11.5 -13.5L10.8 0H9L8.6 -12L7.2 -8L6.4 0H4.6L4.8 -10L5.2 -15C4.6 -14 4 -11 3.2 -10C3 -13 3 -17 4 -19Z";

/** The load of a camel. */
export const CAMEL_LOAD = "M10 -22L21 -23L24 -13L19 -11L9 -12Z";

/** A mule or horse, 36 wide and 30 high. */
export const MULE =
  "M3 -17C5 -20 10 -20 14 -19.5C18 -19 22 -19.5 25 -20C27 -21 29 -24 30.5 -27L30 -30L32 -28L33.5 -29.5L33.8 -26.5C35.5 -24.5 37.5 -22.5 38 -21C37.5 -19.5 36 -19.2 35 -19.8L32.5 -21.2C31.5 -19 30.5 -15.5 28.5 -13L29 0H27.2L26 -10.5L24.5 0H22.7L23 -11.5C19 -10.5 14 -10.5 11 -11.5L10.5 0H8.7L8.5 -9L6.5 0H4.7L5.5 -11C4.5 -12.5 4 -14 4 -15C3 -13 2.8 -10 2 -8.5C1.5 -11.5 1.8 -15 3 -17Z";

/** The panniers of a mule. */
export const PANNIERS = "M11 -23L20 -23L21.5 -13L10.5 -13Z";

/** An ore cart, 26 wide and 18 high, without its wheels. */
export const CART = "M1 -15H25L22 -4H4Z";

/** An anvil, 30 wide and 16 high. */
export const ANVIL = "M0 -16H26C27 -13 30 -12 34 -12C33 -8 26 -7 21 -7L20 -4H24V0H8V-4H12L11 -7H7C4 -8 1 -11 0 -16Z";

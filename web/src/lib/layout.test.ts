import { expect, test } from "vitest";

import { CARD, layoutOf, marketWidth, PILE, TOUCH } from "./layout";

const GAMES = ["splendor", "marvel"] as const;
const PLAYERS = [2, 3, 4];

test.each([
  [320, 568, "phone"],
  [844, 390, "short"],
  [568, 320, "short"],
  [720, 450, "short"], // 1440 x 900 at 200%
  [820, 1180, "phone"], // a tablet held upright
  [1180, 820, "desktop"],
  [1366, 650, "desktop"],
] as const)("a window of %i x %i has the layout of a %s", (width, height, mode) => {
  for (const game of GAMES) expect(layoutOf(width, height, game, 4).mode).toBe(mode);
});

test.each([
  [1366, 650],
  [1366, 768],
  [1440, 900],
  [1536, 730],
  [1600, 900],
  [1920, 950],
  [1920, 1080],
  [2560, 1440],
])("at %i x %i the market has 55%% to 60%% of the width, and the cards fit in the height", (width, height) => {
  for (const game of GAMES) {
    for (const players of PLAYERS) {
      const layout = layoutOf(width, height, game, players);
      const share = marketWidth(layout) / width;
      expect(share).toBeGreaterThan(0.545);
      expect(share).toBeLessThan(0.6);
      const tiles = layout.tiles === "above" ? layout.tile + layout.gap : 0;
      const rows = (3 * layout.card) / CARD + 2 * layout.gap;
      expect(layout.header + tiles + rows + layout.gap).toBeLessThanOrEqual(height);
    }
  }
});

test("no deck, pile or reserved card of one's own is too small for a finger on a phone", () => {
  for (const [width, height] of [
    [320, 568],
    [360, 740],
    [568, 320],
    [667, 375],
    [844, 390],
  ] as const) {
    for (const game of GAMES) {
      for (const players of PLAYERS) {
        const layout = layoutOf(width, height, game, players);
        const size = `${width} x ${height}, ${game}`;
        expect(layout.deck, size).toBeGreaterThanOrEqual(TOUCH);
        expect(layout.hand, size).toBeGreaterThanOrEqual(TOUCH);
        expect((layout.right - (layout.mode === "phone" ? 8 : 0)) / layout.pilesAcross, size).toBeGreaterThanOrEqual(
          TOUCH,
        );
        expect(layout.pile * PILE, size).toBeGreaterThan(30);
        expect(layout.card, size).toBeGreaterThanOrEqual(56);
      }
    }
  }
});

test("the cards are as large with two players as with four", () => {
  for (const game of GAMES) {
    expect(layoutOf(1440, 900, game, 2).card).toBe(layoutOf(1440, 900, game, 4).card);
  }
});

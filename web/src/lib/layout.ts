/** Where the parts of the table are, and how large: worked out from the window alone, so that nothing moves in a game. */

import type { GameName } from "../generated/catalogue";
import { tokensOf } from "./story";

/** A card is as wide as this for each pixel of its height. */
export const CARD = 20 / 27;
/** A pile is as high as this for each pixel of its width. */
export const PILE = 86 / 64;
/** No target for a finger is smaller. */
export const TOUCH = 44;
/** The market takes at most this share of a desktop's width. */
const MOST = 0.59;

export interface Layout {
  /** One below the other on a phone held upright; three columns without a header on one held sideways; a desktop. */
  mode: "phone" | "short" | "desktop";
  /** Where one's own board is: in the column on the right, or below the market. */
  own: "beside" | "below";
  /** Where the tiles are: above the market, at the top of the column on the right, or below the opponents. */
  tiles: "above" | "right" | "left";
  /** Where the log is, if there is room for it. */
  log: "left" | "right" | "none";
  gap: number;
  header: number;
  card: number;
  deck: number;
  tile: number;
  pile: number;
  /** How many piles are side by side. */
  pilesAcross: number;
  /** The width of the column with the piles. */
  right: number;
  /** The height of one's own board where it is below. */
  board: number;
  /** The height of what is to be done where it has neighbours above and below; what it says must not move them. */
  actions: number;
  hand: number;
  bonus: number;
  token: number;
  /** How wide a bonus of another seat is, on a desktop. */
  otherBonus: number;
}

function clamp(least: number, value: number, most: number): number {
  return Math.max(least, Math.min(value, most));
}

/** Below this height, a desktop has no line for how many cards are reserved. */
const LOW = 700;
/** How high what is to be done is on a phone held sideways, with one's own board below. */
const SHORT_ACTIONS = 56;
/** How high the line with what is to be done is on a phone held upright, by default. */
const ACTIONS = 58;

/** The layout of a table in a window. */
export function layoutOf(
  width: number,
  height: number,
  game: GameName,
  players: number,
  actions: number = ACTIONS,
): Layout {
  if (width > height && (height < 560 || width < 1000 || (width < 1100 && height < 740)))
    return short(width, height, game, players, actions);
  if (width < 820 || (width <= 1000 && height > width)) return phone(width, height, game, players, actions);
  return width / height < 1.5
    ? desktopBelow(width, height, game, players)
    : desktopBeside(width, height, game, players);
}

/** The width of the market: a deck and four cards. */
export function marketWidth({ card, deck, gap }: Layout): number {
  return deck + 4 * (card + gap);
}

/** How high the tiles are if they have this width: a row of nobles, or two rows of locations and the Avengers. */
function tilesWithin(game: GameName, players: number, width: number, gap: number): number {
  return game === "splendor" ? (width - players * gap) / (players + 1) : (width - 2 * gap) / 5;
}

function desktopBeside(width: number, height: number, game: GameName, players: number): Layout {
  const gap = clamp(4, 0.009 * height, 10);
  const header = height < 760 ? 40 : TOUCH;
  const inner = height - header - gap;
  const areTilesAbove = width / height <= 1.84;
  const widest = (MOST * width - 4 * gap) / 5;
  let tile = game === "splendor" ? 0.105 * height : Math.min(0.084 * height, (0.56 * width - 4 * gap) / 9);
  const above = areTilesAbove ? tile + gap : 0;
  const card = Math.min(((inner - above - 2 * gap) / 3) * CARD, widest, (width - 2 * 236 - 8 * gap) / 5);
  const market = 5 * card + 4 * gap;
  const side = (width - market - 4 * gap) / 2;
  if (areTilesAbove) {
    const left = inner - (3 * card) / CARD - 3 * gap;
    tile = Math.min(game === "splendor" ? left - gap : (market - 4 * gap) / 9, left - gap, 0.16 * height);
  } else tile = Math.min(tilesWithin(game, players, side, gap), game === "splendor" ? 64 : 52);
  const tilesHeight = areTilesAbove ? 0 : game === "splendor" ? tile + gap : 2 * tile + 2 * gap;

  // The column on the right, from what cannot be smaller: the name and the points, bonuses and tokens, what is to be
  // done, tiles. The reserved cards get what the piles leave, and the log what is left after both.
  const bonus = clamp(26, (side - 24) / 6 - 6, 0.085 * height);
  const token = clamp(16, bonus * 0.56, 36);
  const actions = height < LOW ? 112 : clamp(168, 0.18 * height, 200);
  const lines = Math.max(1, height / 900);
  const self = (game === "splendor" ? 122 : 80 + clamp(44, 0.085 * height, 92)) * lines - (height < LOW ? 18 : 0);
  const least = self + bonus * 1.334 + token + actions + tilesHeight + 3 * gap;
  const across = Math.ceil(tokensOf(game).length / 2);
  const widestPile = side / across - 14;
  const hand = clamp(
    TOUCH,
    Math.min((side - 42) / 3, (inner - least - 2 * (Math.min(widestPile, 0.075 * height) * PILE + 10)) * CARD),
    0.13 * height,
  );
  const rest = inner - least - hand / CARD;
  const hasLog = players > 2 && rest - 2 * (0.075 * height * PILE + 10) > 150;
  const pile = clamp(30, Math.min(widestPile, hasLog ? 0.075 * height : (rest / 2 - 12) / PILE), 0.1 * height);
  return {
    mode: "desktop",
    own: "beside",
    tiles: areTilesAbove ? "above" : "right",
    log: players === 2 ? "left" : hasLog ? "right" : "none",
    gap,
    header,
    card,
    deck: card,
    tile,
    pile,
    pilesAcross: across,
    right: side,
    board: 0,
    actions,
    hand,
    bonus,
    token,
    otherBonus: otherBonus(side, inner, gap, players),
  };
}

/** The others share the column on the left: what is besides their bonuses has a fixed height. */
function otherBonus(side: number, inner: number, gap: number, players: number): number {
  const panel = inner / (players - 1) - gap;
  return clamp(21, Math.min((side - 34) / 6 - 4, (panel - 104) / 2.9), 80);
}

function desktopBelow(width: number, height: number, game: GameName, players: number): Layout {
  const gap = clamp(4, 0.009 * height, 10);
  const header = TOUCH;
  const board = clamp(132, 0.195 * height, 230);
  const tile = game === "splendor" ? clamp(56, 0.105 * height, 130) : clamp(48, 0.084 * height, 104);
  const side = clamp(286, 0.21 * width, 360);
  const right = clamp(74, 0.08 * height, 110);
  const card = Math.min(
    ((height - header - tile - board - 6 * gap - 12) / 3) * CARD,
    (width - side - right - 9 * gap - 16) / 5,
    (MOST * width - 4 * gap) / 5,
  );
  return {
    mode: "desktop",
    own: "below",
    tiles: "above",
    log: players === 2 ? "left" : "none",
    gap,
    header,
    card,
    deck: card,
    tile,
    pile: clamp(34, height / 15.5, 62),
    pilesAcross: 1,
    right,
    board,
    actions: board,
    hand: Math.min((board - 46) * CARD, 0.058 * width),
    bonus: Math.min((board - 92) * 0.75, 0.043 * width),
    token: clamp(24, Math.min(height / 27, 0.028 * width), 36),
    otherBonus: otherBonus(side, height - header - board - gap, gap, players),
  };
}

function short(width: number, height: number, game: GameName, players: number, actions: number): Layout {
  const gap = 4;
  const isReplay = actions > ACTIONS;
  const below = isReplay ? actions : SHORT_ACTIONS;
  const tokens = tokensOf(game).length;
  const isBeside = width >= 780 && width / height >= 2;
  const board = isBeside ? 0 : clamp(TOUCH / CARD + 8, 0.17 * height, 104);
  const across = isBeside ? Math.ceil(tokens / 2) : 2;
  const right = isBeside ? clamp(200, 0.25 * width, 280) : Math.max(across * TOUCH + 10, isReplay ? 160 : 0.16 * width);
  const least = isBeside ? 150 : clamp(150, 0.26 * width, 200);
  const deck = clamp(TOUCH, 0.055 * width, 90);
  const card = Math.min(
    ((height - board - (isBeside ? 4 : 5) * gap) / 3) * CARD,
    (width - least - right - deck - 8 * gap) / 4,
  );
  const side = width - right - deck - 4 * card - 8 * gap;
  const down = Math.ceil(tokens / across);
  const pilesHeight = isBeside ? 0.295 * height : height - board - below - 4 * gap;
  const hand = isBeside ? TOUCH : (board - 8) * CARD;
  return {
    mode: "short",
    own: isBeside ? "beside" : "below",
    tiles: "left",
    log: "none",
    gap,
    header: TOUCH,
    card,
    deck,
    tile:
      game === "splendor"
        ? clamp(TOUCH, (side - players * gap) / (players + 1), (players === 2 ? 0.22 : 0.13) * height)
        : Math.min((side - gap) / 4, Math.max(TOUCH, (players === 2 ? 0.22 : 0.13) * height)),
    pile: clamp(24, Math.min(right / across - 12, (pilesHeight / down - 9) / PILE), 84),
    pilesAcross: across,
    right,
    board,
    actions: below,
    hand,
    bonus: isBeside
      ? clamp(22, right / 6 - 8, 30)
      : clamp(18, Math.min((board - 32) * 0.74, (width - side - 3 * hand - 130) / 6), 40),
    token: clamp(14, 0.036 * height, 24),
    otherBonus: 0,
  };
}

function phone(width: number, height: number, game: GameName, players: number, actions: number): Layout {
  const gap = 4;
  const header = TOUCH;
  const tile =
    game === "splendor"
      ? clamp(48, 0.11 * width, 84)
      : Math.min((width - 10 - 4 * gap) / 9, (width - 10 - 4 * gap - TOUCH) / 8, 72);
  const deck = Math.max(TOUCH, 0.09 * width);
  const pile = clamp(24, (width - 32) / tokensOf(game).length - 10, 60);
  const hand = clamp(TOUCH, 0.099 * width, 72);
  const bonus = clamp(22, (width - 3 * hand - 34) / 6 - 2, 48);
  const token = clamp(14, width / 26, 30);
  const strip = players === 2 ? 70 : players === 4 && width < 470 ? 110 : 96;

  const own = (game === "splendor" ? 46 : 56) + Math.max(22 + bonus * 1.334 + token, hand / CARD + 18);
  const rest =
    header + strip + (width < 600 ? 0 : 12) + Math.max(tile, TOUCH) + pile * PILE + 8 + own + actions + 9 * gap;
  const card = Math.min((width - 2 * gap - deck - 4 * gap) / 4, Math.max(60, ((height - rest) / 3) * CARD));
  return {
    mode: "phone",
    own: "below",
    tiles: "above",
    log: "none",
    gap,
    header,
    card,
    deck,
    tile,
    pile,
    pilesAcross: tokensOf(game).length,
    right: width,
    board: 0,
    actions,
    hand,
    bonus,
    token,
    otherBonus: 0,
  };
}

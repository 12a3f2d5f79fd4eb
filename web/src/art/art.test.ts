import { render } from "@testing-library/svelte";
import { describe, expect, test } from "vitest";

import { CATALOGUES, LOCAL_NAMES, type Card, type GameName, type Tile } from "../generated/catalogue";
import { ArtDefs, CardBack, CardFace, Gauntlet, Gem, Icon, Pile, SeatMark, TileFace } from ".";
import { engrave } from "./engraving";
import { stoneOf } from "./gems";
import { ICONS, type IconName } from "./icons";
import { canSet, setBlock } from "./lettering";
import { HUES } from "./palette";
import { survey } from "./panorama";
import { compose } from "./poster";
import { portray } from "./profile";
import { Random } from "./random";

const NOBLE: Tile = { number: 1, name: null, sheet: 1, points: 3, needs: [4, 4, 0, 0, 0] };
const GAMES: GameName[] = ["splendor", "marvel"];
/** More elements than this in one scene, and a phone is slow to draw twelve of them. */
const MOST_ELEMENTS = 60;

function cardOf(game: GameName, number: number): Card {
  const card = CATALOGUES[game].cards[number - 1];
  if (card === undefined) throw new Error(`expected a card number ${number} in ${game}`);
  return card;
}

function distinct(drawings: string[]): number {
  return new Set(drawings).size;
}

describe("stones", () => {
  test.each(GAMES)("every token of %s has an outline of its own, so that it is known without colour", (game) => {
    const tokens = Object.keys(HUES[game]);
    expect(tokens).toContain(CATALOGUES[game].wild);
    expect(distinct(tokens.map((token) => stoneOf(game, token).outline))).toBe(tokens.length);
  });

  test("a token that the game does not have is refused by name", () => {
    expect(() => stoneOf("splendor", "mauve")).toThrow(
      'expected a token of splendor (white, blue, green, red, black, gold), got "mauve"',
    );
  });

  test("every stone that is used is defined once", () => {
    const { container } = render(ArtDefs);
    const ids = [...container.querySelectorAll("symbol")].map((symbol) => symbol.id);
    expect(distinct(ids)).toBe(ids.length);
    for (const game of GAMES)
      for (const token of Object.keys(HUES[game])) expect(ids).toContain(`gem-${game}-${token}`);
  });
});

describe("scenes", () => {
  test("no two cards of Splendor have the same scene", () => {
    const scenes = CATALOGUES.splendor.cards.map((card) => engrave(card).strokes);
    expect(distinct(scenes.map((strokes) => strokes.map(({ d }) => d).join()))).toBe(90);
    for (const strokes of scenes) expect(strokes.length).toBeLessThanOrEqual(MOST_ELEMENTS);
  });

  test("no two characters have the same poster, whatever its colours", () => {
    const posters = CATALOGUES.marvel.cards.map((card) => compose(card));
    expect(distinct(posters.map((flats) => flats.map(({ d }) => d).join()))).toBe(90);
    for (const flats of posters) expect(flats.length).toBeLessThanOrEqual(MOST_ELEMENTS);
  });

  test("a drawing is the same every time and on every machine", () => {
    const random = new Random("cabochon");
    expect([1, 2, 3].map(() => Math.floor(random.next() * 1e6))).toEqual([481395, 583975, 641964]);
    expect(compose(cardOf("marvel", 83))).toEqual(compose(cardOf("marvel", 83)));
  });

  test("a card that is shown again is not engraved again", () => {
    expect(engrave(cardOf("splendor", 46))).toBe(engrave({ ...cardOf("splendor", 46) }));
  });

  test.each(GAMES)("no number in the drawings of %s is broken", (game) => {
    const drawings = CATALOGUES[game].cards.flatMap((card): { d: string }[] =>
      game === "splendor" ? engrave(card).strokes : compose(card),
    );
    for (const { d } of drawings) expect(d).toMatch(/^M[-\d. MLHVCQTSAZmlhvcqtsaz]+$/);
  });

  test("every noble has a profile and every location a panorama of its own", () => {
    const nobles = CATALOGUES.splendor.tiles.map(({ number }) =>
      portray(number)
        .parts.map(({ d }) => d)
        .join(),
    );
    expect(distinct(nobles)).toBe(10);
    const locations = CATALOGUES.marvel.tiles.map(({ name }) =>
      survey(name ?? "")
        .map(({ d }) => d)
        .join(),
    );
    expect(distinct(locations)).toBe(8);
    expect(() => survey("Nowhere")).toThrow('got "Nowhere"');
  });
});

describe("lettering", () => {
  test("every name of Marvel can be drawn in every language, and fits its card", () => {
    const printed = [...CATALOGUES.marvel.cards, ...CATALOGUES.marvel.tiles].map(({ name }) => name ?? "");
    for (const name of [...printed, ...Object.values(LOCAL_NAMES).flatMap((names) => Object.values(names))]) {
      expect(canSet("marvel", name), name).toBe(true);
      const { lines, height } = setBlock("marvel", name, 176, 62, 44);
      expect(height, name).toBeGreaterThan(20);
      for (const line of lines) expect((line.width * height) / 100).toBeLessThanOrEqual(176.01);
    }
  });

  test("accents are left out rather than the letter", () => {
    expect(setBlock("marvel", "É", 100, 50, 50).lines).toEqual(setBlock("marvel", "E", 100, 50, 50).lines);
    expect(canSet("marvel", "ж")).toBe(false);
  });
});

describe("text alternatives", () => {
  const pieces: [string, (label: Record<string, string>) => HTMLElement][] = [
    ["a stone", (label) => render(Gem, { game: "splendor", token: "red", ...label }).container],
    ["a pile", (label) => render(Pile, { game: "splendor", token: "red", count: 3, ...label }).container],
    ["a card", (label) => render(CardFace, { game: "marvel", card: cardOf("marvel", 71), ...label }).container],
    ["a back", (label) => render(CardBack, { game: "marvel", level: 2, count: 9, ...label }).container],
    ["a noble", (label) => render(TileFace, { game: "splendor", tile: NOBLE, ...label }).container],
    ["a meter", (label) => render(Gauntlet, { points: 4, colours: ["red"], hasTime: false, ...label }).container],
    ["a seat", (label) => render(SeatMark, { seat: 2, ...label }).container],
    ["a sign", (label) => render(Icon, { name: "undo", ...label }).container],
  ];

  test.each(pieces)("%s with a label is an image of that name", (_, draw) => {
    const image = draw({ label: "what it is" }).querySelector("svg");
    expect(image?.getAttribute("role")).toBe("img");
    expect(image?.getAttribute("aria-label")).toBe("what it is");
    expect(image?.hasAttribute("aria-hidden")).toBe(false);
  });

  test.each(pieces)("%s without one is passed over by readers", (_, draw) => {
    const image = draw({}).querySelector("svg");
    expect(image?.getAttribute("aria-hidden")).toBe("true");
    expect(image?.hasAttribute("role")).toBe(false);
  });
});

describe("cards", () => {
  function stonesOn(container: HTMLElement): string[] {
    return [...container.querySelectorAll("use")].map((use) => use.getAttribute("href") ?? "");
  }

  test("a card shows its bonus and one stone for each colour of its cost", () => {
    const { container } = render(CardFace, { game: "splendor", card: cardOf("splendor", 71) });
    expect(stonesOn(container).sort()).toEqual(
      ["white", "blue", "green", "red", "black"].map((colour) => `#gem-splendor-${colour}`).sort(),
    );
  });

  test("tags and the sign of time are on those cards that carry them", () => {
    const signs = (number: number) =>
      stonesOn(render(CardFace, { game: "marvel", card: cardOf("marvel", number) }).container).filter((href) =>
        href.startsWith("#art"),
      );
    expect(signs(71)).toEqual(["#art-star", "#art-star", "#art-hourglass"]);
    expect(signs(41)).toEqual(["#art-star"]);
    expect(signs(1)).toEqual([]);
  });

  test("what bonuses cover is filled, what is missing is hollow, for each token of the cost", () => {
    const card = { ...cardOf("splendor", 45), cost: [0, 0, 0, 5, 0] };
    const { container } = render(CardFace, { game: "splendor", card, price: { red: { covered: 2, missing: 1 } } });
    const segments = [...container.querySelectorAll("[data-state]")].map((element) =>
      element.getAttribute("data-state"),
    );
    expect(segments).toEqual(["covered", "covered", "held", "held", "missing"]);
  });

  test("an affordable card says with how many wilds", () => {
    const props = { game: "splendor", card: cardOf("splendor", 45), affordable: true } as const;
    expect(stonesOn(render(CardFace, props).container)).not.toContain("#gem-splendor-gold");
    expect(stonesOn(render(CardFace, { ...props, wilds: 2 }).container)).toContain("#gem-splendor-gold");
  });
});

test("a full gauntlet has six stones and its whole meter", () => {
  const full = render(Gauntlet, { points: 20, colours: CATALOGUES.marvel.colours, hasTime: true }).container;
  expect(full.querySelector("svg")?.classList.contains("complete")).toBe(true);
  const short = render(Gauntlet, { points: 20, colours: CATALOGUES.marvel.colours, hasTime: false }).container;
  expect(short.querySelector("svg")?.classList.contains("complete")).toBe(false);
});

test("every seat has a figure of its own, so that it is known without colour", () => {
  const figures = [0, 1, 2, 3].map((seat) =>
    render(SeatMark, { seat }).container.querySelector(".figure")?.getAttribute("d"),
  );
  expect(distinct(figures.map((d) => d ?? ""))).toBe(4);
  expect(() => render(SeatMark, { seat: 4 })).toThrow("expected a seat from 0 to 3, got 4");
});

test("every sign is drawn with lines or areas", () => {
  for (const name of Object.keys(ICONS) as IconName[]) {
    expect(render(Icon, { name }).container.querySelectorAll("path").length, name).toBeGreaterThan(0);
  }
});

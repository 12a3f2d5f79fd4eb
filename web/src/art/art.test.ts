import { render } from "@testing-library/svelte";
import { describe, expect, test } from "vitest";

import { CATALOGUES, LOCAL_NAMES, type Card, type GameName, type Tile } from "../generated/catalogue";
import { ArtDefs, BonusColumn, CardBack, CardFace, Gauntlet, Gem, Icon, Pile, SeatMark, TileFace } from ".";
import { stoneOf } from "./gems";
import { ICONS, type IconName } from "./icons";
import { canSet, setBlock, setLine } from "./lettering";
import { HUES } from "./palette";
import { paint } from "./painting";
import { survey } from "./panorama";
import { compose } from "./poster";
import { portray } from "./profile";
import { Random } from "./random";
import type { Shape } from "./scenes/canvas";

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
  /** Path data beyond this makes a phone slow, too. */
  const MOST_DATA = 6_000;

  function shapesOf(card: Card): Shape[] {
    const { back, subject, front } = paint(card);
    return [...back, ...subject, ...front];
  }

  test("no two cards of Splendor have the same scene", () => {
    const scenes = CATALOGUES.splendor.cards.map(shapesOf);
    expect(distinct(scenes.map((shapes) => shapes.map(({ d }) => d).join()))).toBe(90);
  });

  test.each(CATALOGUES.splendor.cards)("the scene of card $number is small enough for a phone", (card) => {
    const shapes = shapesOf(card);
    expect(shapes.length).toBeLessThanOrEqual(MOST_ELEMENTS);
    expect(shapes.reduce((sum, { d }) => sum + d.length, 0)).toBeLessThanOrEqual(MOST_DATA);
  });

  test("the sky tells the colour of a card, and no two cards of a colour show the same", () => {
    for (const colour of CATALOGUES.splendor.colours) {
      for (const level of [1, 2, 3]) {
        const cards = CATALOGUES.splendor.cards.filter((card) => card.bonus === colour && card.level === level);
        for (const card of cards) expect(paint(card).sky).toContain(colour);
        // The subject without what chance varies in it.
        const subjects = cards.map((card) => paint(card).motif);
        expect(distinct(subjects), `${colour} ${level}`).toBe(cards.length);
      }
    }
  });

  test("every character has a figure of its own, and no two have the same poster", () => {
    const posters = CATALOGUES.marvel.cards.map((card) => compose(card));
    expect(distinct(posters.map(({ figure }) => figure))).toBe(90);
    const drawn = posters.map(({ ground, shapes }) => [...ground, ...shapes]);
    expect(distinct(posters.map(({ shapes }) => shapes.map(({ d }) => d).join()))).toBe(90);
    for (const flats of drawn) {
      expect(flats.length).toBeLessThanOrEqual(MOST_ELEMENTS);
      expect(flats.reduce((sum, { d }) => sum + d.length, 0)).toBeLessThanOrEqual(2 * MOST_DATA);
    }
  });

  test("a character without an idea for a poster is refused by name", () => {
    expect(() => compose({ ...cardOf("marvel", 1), number: 91, name: "Nobody" })).toThrow('got "Nobody"');
  });

  test("a drawing is the same every time and on every machine", () => {
    const random = new Random("cabochon");
    expect([1, 2, 3].map(() => Math.floor(random.next() * 1e6))).toEqual([481395, 583975, 641964]);
    // A sum over everything that is drawn: it changes only if a drawing changes.
    const sum = (text: string) => [...text].reduce((hash, sign) => (Math.imul(hash, 31) + sign.charCodeAt(0)) >>> 0, 7);
    expect(sum(JSON.stringify(CATALOGUES.marvel.cards.map(compose)))).toMatchInlineSnapshot(`3509226068`);
    expect(sum(JSON.stringify(CATALOGUES.splendor.cards.map(paint)))).toMatchInlineSnapshot(`1085982928`);
  });

  test("a card that is shown again is not painted again", () => {
    expect(paint(cardOf("splendor", 46))).toBe(paint({ ...cardOf("splendor", 46) }));
  });

  test.each(GAMES)("no number in the drawings of %s is broken", (game) => {
    const drawings = CATALOGUES[game].cards.flatMap((card): { d: string }[] =>
      game === "splendor" ? shapesOf(card) : [...compose(card).ground, ...compose(card).shapes],
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

  const FIVE_RED = { ...cardOf("splendor", 45), cost: [0, 0, 0, 5, 0] };

  function drawn(game: GameName, text: string): string {
    return setLine(game, text).fills;
  }

  test("the printed cost stays, and what is missing is a number of its own", () => {
    const price = { red: { covered: 2, missing: 1 } };
    const { container } = render(CardFace, { game: "splendor", card: FIVE_RED, price });
    const lettering = [...container.querySelectorAll("path")].map((element) => element.getAttribute("d"));
    expect(lettering).toContain(drawn("splendor", "5"));
    expect(lettering).toContain(drawn("splendor", "1"));
    expect(lettering).not.toContain(drawn("splendor", "3"));
  });

  test("bonuses, tokens and what is missing have marks of three shapes", () => {
    const price = { red: { covered: 2, missing: 1 } };
    const { container } = render(CardFace, { game: "splendor", card: FIVE_RED, price });
    const pips = [...container.querySelectorAll("[data-state]")];
    const counts = pips.map((pip) => [pip.getAttribute("data-state"), Number(pip.getAttribute("data-count"))]);
    expect(counts).toEqual([
      ["covered", 2],
      ["held", 2],
      ["missing", 1],
    ]);
    const outlines = pips.map((pip) => pip.getAttribute("d")?.match(/M/g)?.length);
    expect(outlines).toEqual([2, 2, 1]);
    const shapes = pips.map((pip) => {
      const outline = pip.getAttribute("d")?.includes("a") ? "disc" : "block";
      return `${outline} ${pip.getAttribute("fill") === "none" ? "hollow" : "filled"}`;
    });
    expect(distinct(shapes)).toBe(3);
  });

  test("an affordable card says with how many wilds", () => {
    const props = { game: "splendor", card: cardOf("splendor", 45), affordable: true } as const;
    expect(stonesOn(render(CardFace, props).container)).not.toContain("#gem-splendor-gold");
    expect(stonesOn(render(CardFace, { ...props, wilds: 2 }).container)).toContain("#gem-splendor-gold");
  });
});

describe("states", () => {
  const STATES = ["affordable", "selected", "fresh", "suggested", "goal"] as const;
  const pieces: [string, (props: Partial<Record<(typeof STATES)[number], boolean>>) => HTMLElement][] = [
    ["a card", (props) => render(CardFace, { game: "splendor", card: cardOf("splendor", 71), ...props }).container],
    ["a back", (props) => render(CardBack, { game: "marvel", level: 1, count: 3, ...props }).container],
    ["a tile", (props) => render(TileFace, { game: "splendor", tile: NOBLE, ...props }).container],
    ["a pile", (props) => render(Pile, { game: "marvel", token: "blue", count: 3, ...props }).container],
  ];

  /** The shapes of a drawing, without their colours. */
  function shapes(container: HTMLElement): string {
    return [...container.querySelectorAll("path, rect, ellipse")]
      .map((element) => ["d", "x", "y", "width", "rx"].map((name) => element.getAttribute(name)).join(" "))
      .join();
  }

  test.each(pieces)("%s shows each state by shapes of its own, without colour", (_, draw) => {
    const drawings = [draw({}), ...STATES.map((state) => draw({ [state]: true }))].map(shapes);
    expect(distinct(drawings)).toBe(STATES.length + 1);
  });

  test("a column of bonuses shows that a card was added", () => {
    const column = (fresh: boolean) =>
      render(BonusColumn, { game: "splendor", colour: "red", count: 2, fresh }).container;
    expect(shapes(column(true))).not.toBe(shapes(column(false)));
  });

  test.each(pieces)("%s can be in several states at once", (_, draw) => {
    const size = (props: Record<string, boolean>) => shapes(draw(props)).split(",").length;
    const added = (state: string) => size({ [state]: true }) - size({});
    expect(size({ affordable: true, fresh: true, suggested: true, goal: true })).toBe(
      size({}) + ["affordable", "fresh", "suggested", "goal"].reduce((sum, state) => sum + added(state), 0),
    );
  });

  test.each(pieces)("%s is drawn without dashes", (name, draw) => {
    const dashed = [...draw({}).querySelectorAll("[stroke-dasharray]")];
    // The rim of a pile's top is marked as the rim of a token.
    expect(dashed.length, name).toBe(name === "a pile" || name === "a tile" ? 1 : 0);
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

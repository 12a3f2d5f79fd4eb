import { render } from "@testing-library/svelte";
import { describe, expect, test } from "vitest";

import { CATALOGUES, type Card, type GameName } from "../generated/catalogue";
import { ArtDefs, BonusColumn, CardFace, Token } from ".";
import { difference, VISIONS } from "../testing/vision";

const GAMES: GameName[] = ["splendor", "marvel"];
/** Clearly different at a glance; about 2 is what one can see side by side. */
const CLEAR = 10;

/** The colour of a place of a drawing, and what is drawn there besides: hatching or a cut. */
interface Look {
  colours: string[];
  marks: string[];
}

function lookOf(group: Element): Look {
  const all = [...group.querySelectorAll("*")];
  const fills = all.map((element) => element.getAttribute("fill") ?? "");
  const marks = [
    ...fills.filter((fill) => fill.startsWith("url(#hatch-")).map((fill) => fill.slice(5, -1)),
    ...all
      .map((element) => element.getAttribute("href") ?? "")
      .filter((href) => href.startsWith("#gem-"))
      .map((href) => href.slice(1)),
  ];
  return { colours: fills.filter((fill) => fill.startsWith("#")), marks: marks.map((mark) => shapeOf(mark)) };
}

/** The shapes that every pattern and symbol is made of, without their colours. */
const SHAPES = new Map(
  [...render(ArtDefs).container.querySelectorAll("pattern, symbol")].map((defined): [string, string] => [
    defined.id,
    [...defined.querySelectorAll("path")].map((element) => element.getAttribute("d")).join(),
  ]),
);

function shapeOf(id: string): string {
  const shape = SHAPES.get(id);
  if (shape === undefined) throw new Error(`expected "${id}" among the definitions, found none`);
  return shape;
}

/** Why two looks could be taken for each other; nothing if they cannot. */
function confusions(first: Look, second: Look): string[] {
  const hasOwnMark = (look: Look, other: Look) => look.marks.some((mark) => mark !== "" && !other.marks.includes(mark));
  if (hasOwnMark(first, second) && hasOwnMark(second, first)) return [];
  return first.colours.flatMap((colour, i) =>
    VISIONS.filter((vision) => difference(colour, second.colours[i] ?? colour, vision) < CLEAR).map(
      (vision) => `${colour} and ${second.colours[i]} with ${vision}`,
    ),
  );
}

/** What is drawn in the colour of a gem, in every place of the table. */
const PLACES: [string, (game: GameName, colour: string) => Element | null][] = [
  [
    "a card's frame and ground",
    (game, colour) => {
      const card = CATALOGUES[game].cards.find((other) => other.bonus === colour);
      if (card === undefined) throw new Error(`expected a card with the bonus ${colour}`);
      return render(CardFace, { game, card, plain: true }).container.querySelector("[data-ground]");
    },
  ],
  [
    "a column of bonuses",
    (game, colour) => render(BonusColumn, { game, colour, count: 2 }).container.querySelector("[data-ground]"),
  ],
  ["a token", (game, colour) => render(Token, { game, token: colour }).container],
  [
    "a cost",
    (game, colour) => {
      const cost = CATALOGUES[game].colours.map((other) => (other === colour ? 3 : 0));
      const card = { ...(CATALOGUES[game].cards[0] as Card), cost };
      const price = { [colour]: { covered: 3, missing: 0 } };
      const { container } = render(CardFace, { game, card, price, plain: true });
      return container.querySelector("[data-cost]");
    },
  ],
];

function pairs(game: GameName): [string, string][] {
  const colours = CATALOGUES[game].colours;
  return colours.flatMap((a, i) => colours.slice(i + 1).map((b): [string, string] => [a, b]));
}

describe.each(GAMES)("the colours of %s", (game) => {
  test.each(PLACES)("%s is clear for every kind of colour vision", (_, draw) => {
    for (const [a, b] of pairs(game)) {
      const [first, second] = [draw(game, a), draw(game, b)];
      if (first === null || second === null) throw new Error(`expected a place in ${a} and in ${b}, found none`);
      expect(confusions(lookOf(first), lookOf(second)), `${a} and ${b}`).toEqual([]);
      // Neither the colour nor the mark is the only cue.
      expect(lookOf(first).colours.length, a).toBeGreaterThan(0);
      for (const vision of VISIONS) {
        const most = Math.max(
          ...lookOf(first).colours.map((colour, i) => difference(colour, lookOf(second).colours[i] ?? colour, vision)),
        );
        expect(most, `${a} and ${b} with ${vision}`).toBeGreaterThan(CLEAR);
      }
    }
  });
});

describe("what the test of colours measures", () => {
  test("differences are those of the definition of CIEDE2000", () => {
    expect(difference("#000000", "#ffffff")).toBeCloseTo(100, 1);
    expect(difference("#808080", "#808080")).toBe(0);
    expect(difference("#ff0000", "#00ff00")).toBeCloseTo(86.6, 0);
  });

  test("the emerald and ruby of old were alike with deuteranopia, and unlike without", () => {
    const [emerald, ruby] = ["#0e6a3f", "#98152b"];
    expect(difference(emerald, ruby, "deuteranopia")).toBeLessThan(CLEAR);
    expect(difference(emerald, ruby)).toBeGreaterThan(50);
  });

  test("a pair with like colours and the same or no mark is reported", () => {
    const emerald = { colours: ["#0e6a3f"], marks: ["M0 0"] };
    const ruby = { colours: ["#98152b"], marks: ["M0 0"] };
    expect(confusions(emerald, ruby)).toEqual(["#0e6a3f and #98152b with deuteranopia"]);
    expect(confusions({ ...emerald, marks: [] }, { ...ruby, marks: ["M1 1"] })).toHaveLength(1);
    expect(confusions(emerald, { ...ruby, marks: ["M1 1"] })).toEqual([]);
  });
});

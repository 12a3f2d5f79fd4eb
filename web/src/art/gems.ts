import type { GameName } from "../generated/catalogue";
import { at, between, centre, ellipse, pathOf, ring, type Point } from "./geometry";
import { hueOf } from "./palette";

/** A piece of a stone, all of one shade. */
export interface Facet {
  d: string;
  fill: string;
}

/** A stone in a box of 64 by 64: the outline, and the facets within it from back to front. */
export interface Stone {
  outline: string;
  facets: Facet[];
  /** Hairlines and emblems over the facets. */
  lines: string;
}

type Shape = readonly Point[];

const CENTRE: Point = [32, 32];
/** Where the light comes from: over the left shoulder. */
const LIGHT: Point = [-0.55, -0.83];
/** Facets are gathered by shade, so that a stone is few elements however many facets it has. */
const SHADES = 6;

function scaled(shape: Shape, factor: number, about: Point = CENTRE): Point[] {
  return shape.map((p) => between(about, p, factor));
}

function midpoints(shape: Shape): Point[] {
  return shape.map((p, i) => between(p, shape[(i + 1) % shape.length] as Point, 0.5));
}

/** How much light a facet catches, 0 to 1: it leans away from the middle of the stone. */
function brightness(facet: Shape, twinkle: number): number {
  const [x, y] = centre(facet);
  const [dx, dy] = [x - CENTRE[0], y - CENTRE[1]];
  const length = Math.hypot(dx, dy) || 1;
  return 0.5 + 0.42 * ((dx / length) * LIGHT[0] + (dy / length) * LIGHT[1]) + twinkle;
}

class Cutter {
  private readonly shades: string[] = Array.from({ length: SHADES }, () => "");

  facet(shape: Shape, twinkle = 0): this {
    const share = Math.min(0.999, Math.max(0, brightness(shape, twinkle)));
    return this.shade(shape, share);
  }

  shade(shape: Shape, share: number): this {
    const index = Math.floor(share * SHADES);
    this.shades[index] = (this.shades[index] ?? "") + pathOf(shape, true);
    return this;
  }

  /** The facets of one shade as one element, the deepest first. */
  facets(ramp: readonly string[]): Facet[] {
    return this.shades.map((d, i) => ({ d, fill: ramp[i] ?? "" })).filter(({ d }) => d !== "");
  }
}

function ramp(game: GameName, token: string): string[] {
  const hue = hueOf(game, token);
  return [hue.deep, hue.dark, hue.mid, mix(hue.mid, hue.light, 0.55), hue.light, hue.glint];
}

/** A colour between two others. */
export function mix(a: string, b: string, t: number): string {
  const parse = (hex: string) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));
  const [p, q] = [parse(a), parse(b)];
  return `#${p
    .map((v, i) => Math.round(v + ((q[i] ?? v) - v) * t).toString(16))
    .map((s) => s.padStart(2, "0"))
    .join("")}`;
}

/** A brilliant: a table, stars round it, kites, and halves at the girdle. Any convex outline will do. */
function brilliant(cutter: Cutter, girdle: Shape, table: Shape): void {
  const n = table.length;
  const crown = midpoints(table).map((p, i) => {
    const a = girdle[(2 * i + 1) % girdle.length] as Point;
    return between(p, a, 0.52);
  });
  for (let i = 0; i < n; i += 1) {
    const t0 = table[i] as Point;
    const t1 = table[(i + 1) % n] as Point;
    const c0 = crown[(i + n - 1) % n] as Point;
    const c1 = crown[i] as Point;
    const g0 = girdle[(2 * i) % girdle.length] as Point;
    const g1 = girdle[(2 * i + 1) % girdle.length] as Point;
    const g2 = girdle[(2 * i + 2) % girdle.length] as Point;
    cutter.facet([t0, c1, t1], 0.2);
    cutter.facet([t0, c1, g0, c0], i % 2 === 0 ? 0.06 : -0.1);
    cutter.facet([c1, g0, g1], -0.16);
    cutter.facet([c1, g1, g2], 0.14);
  }
}

/** What is seen through the table: the pavilion, as a star of shards that alternate. */
function pavilion(cutter: Cutter, table: Shape, culet: Point = CENTRE): void {
  const halves = midpoints(table);
  table.forEach((corner, i) => {
    const half = halves[i] as Point;
    const next = table[(i + 1) % table.length] as Point;
    const [, y] = centre([corner, half]);
    const lean = (CENTRE[1] - y) / 40;
    cutter.shade([corner, half, culet], Math.min(0.95, 0.66 - lean));
    cutter.shade([half, next, culet], Math.max(0.2, 0.4 - lean * 1.3));
  });
}

function steps(cutter: Cutter, outline: Shape, factors: readonly number[]): Point[] {
  let outer = outline.map((p) => p);
  factors.forEach((factor, ringIndex) => {
    const inner = scaled(outline, factor);
    outer.forEach((a, i) => {
      const j = (i + 1) % outer.length;
      const facet = [a, outer[j] as Point, inner[j] as Point, inner[i] as Point];
      cutter.facet(facet, ringIndex % 2 === 0 ? -0.05 : 0.12);
    });
    outer = inner;
  });
  return outer;
}

function superellipse(rx: number, ry: number, power: number, count: number, from: number): Point[] {
  return Array.from({ length: count }, (_, i) => {
    const angle = 2 * Math.PI * (from + i / count);
    const [c, s] = [Math.cos(angle), Math.sin(angle)];
    const bend = (v: number) => Math.sign(v) * Math.abs(v) ** (2 / power);
    return [32 + rx * bend(c), 32 + ry * bend(s)] as const;
  });
}

function roundCut(rx: number, ry: number): (c: Cutter) => string {
  return (cutter) => {
    const from = 1 / 16;
    const girdle = ring(32, 32, rx, ry, 16, from);
    const table = ring(32, 32, rx * 0.55, ry * 0.55, 8, from);
    brilliant(cutter, girdle, table);
    pavilion(cutter, table);
    return ellipse(32, 32, rx, ry);
  };
}

function stepCut(cutter: Cutter): string {
  const [w, h, cut] = [22, 27, 9];
  const outline: Point[] = at`${32 - w + cut} ${32 - h}, ${32 + w - cut} ${32 - h}, ${32 + w} ${32 - h + cut},
      ${32 + w} ${32 + h - cut}, ${32 + w - cut} ${32 + h}, ${32 - w + cut} ${32 + h},
      ${32 - w} ${32 + h - cut}, ${32 - w} ${32 - h + cut}`;
  const table = steps(cutter, outline, [0.8, 0.6]);
  const [a, b, , , e, f, , hh] = table as [Point, Point, Point, Point, Point, Point, Point, Point];
  cutter.shade(table, 0.55);
  cutter.shade([a, b, hh], 0.8);
  cutter.shade([between(a, b, 0.55), b, table[2] as Point, between(f, e, 0.1), hh], 0.68);
  return pathOf(outline, true);
}

function cushionCut(cutter: Cutter): string {
  const girdle = superellipse(26, 26, 3.4, 16, 1 / 16);
  const table = superellipse(14.5, 14.5, 2.6, 8, 1 / 16);
  brilliant(cutter, girdle, table);
  pavilion(cutter, table);
  return pathOf(superellipse(26, 26, 3.4, 48, 0), true);
}

function kiteCut(cutter: Cutter): string {
  const outline: Point[] = at`32 3, 57 24, 32 61, 7 24`;
  const table = outline.map((p) => between([32, 27], p, 0.46));
  outline.forEach((p, i) => {
    const q = outline[(i + 1) % 4] as Point;
    const [a, b] = [table[i] as Point, table[(i + 1) % 4] as Point];
    const girdleHalf = between(p, q, 0.5);
    cutter.facet([p, girdleHalf, a], i === 0 || i === 3 ? 0.22 : -0.02);
    cutter.facet([girdleHalf, q, b], i === 2 ? 0.1 : -0.14);
    cutter.facet([a, girdleHalf, b], i === 3 ? 0.3 : 0.06);
  });
  cutter.shade(table, 0.45);
  cutter.shade([table[0] as Point, between(table[0] as Point, table[1] as Point, 0.6), table[3] as Point], 0.9);
  return pathOf(outline, true);
}

/** A polygon with a crown of plain facets round a table, for the stones of Marvel. */
function crownCut(outline: Shape, factor: number, about: Point): (c: Cutter) => string {
  return (cutter) => {
    const table = outline.map((p) => between(about, p, factor));
    outline.forEach((p, i) => {
      const j = (i + 1) % outline.length;
      const q = outline[j] as Point;
      const half = between(p, q, 0.5);
      const [a, b] = [table[i] as Point, table[j] as Point];
      cutter.facet([p, half, a], 0.12);
      cutter.facet([half, q, b], -0.12);
      cutter.facet([a, half, b], 0.02);
    });
    cutter.shade(table, 0.62);
    table.forEach((p, i) => {
      const q = table[(i + 1) % table.length] as Point;
      cutter.shade([p, q, about], i % 2 === 0 ? 0.72 : 0.88);
    });
    return pathOf(outline, true);
  };
}

/** A lens that stands on its point. */
function marquise(): Point[] {
  const half = at`32 2, 43 12, 50 25, 50 39, 43 52`;
  return [
    ...half,
    [32, 62],
    ...half
      .slice(1)
      .reverse()
      .map(([x, y]) => [64 - x, y] as const),
  ];
}

/** A drop. */
function pear(): Point[] {
  const half = at`32 2, 44 18, 52 33, 52 46, 44 57`;
  return [
    ...half,
    [32, 61],
    ...half
      .slice(1)
      .reverse()
      .map(([x, y]) => [64 - x, y] as const),
  ];
}

const CUTS: Record<GameName, Record<string, (cutter: Cutter) => string>> = {
  splendor: {
    white: roundCut(27, 27),
    blue: roundCut(21, 28),
    green: stepCut,
    red: cushionCut,
    black: kiteCut,
  },
  marvel: {
    // A curved triangle for Mind.
    yellow: crownCut(at`32 4, 45 22, 57 45, 54 53, 32 57, 10 53, 7 45, 19 22`, 0.5, [32, 38]),
    // A tall crystal for Power.
    purple: crownCut(at`32 3, 51 16, 51 48, 32 61, 13 48, 13 16`, 0.52, [32, 32]),
    // A square with its corners off for Space.
    blue: crownCut(at`14 7, 50 7, 57 14, 57 50, 50 57, 14 57, 7 50, 7 14`, 0.5, [32, 32]),
    red: (cutter) => crownCut(marquise(), 0.48, [32, 32])(cutter),
    orange: (cutter) => crownCut(pear(), 0.48, [32, 38])(cutter),
    // Two crystals that meet at a waist for Time.
    time: (cutter) => {
      const outline: Point[] = at`12 4, 52 4, 52 14, 40 32, 52 50, 52 60, 12 60, 12 50, 24 32, 12 14`;
      const inner = outline.map(
        ([x, y]) =>
          [32 + (x - 32) * 0.55, y < 32 ? 4 + (y - 4) * 0.9 + 5 : y > 32 ? 60 - (60 - y) * 0.9 - 5 : y] as const,
      );
      outline.forEach((p, i) => {
        const j = (i + 1) % outline.length;
        cutter.facet([p, outline[j] as Point, inner[j] as Point, inner[i] as Point], i % 2 === 0 ? 0.12 : -0.1);
      });
      cutter.shade(inner, 0.7);
      cutter.shade([inner[0] as Point, inner[1] as Point, [32, 32]], 0.9);
      cutter.shade([inner[5] as Point, inner[6] as Point, [32, 36]], 0.97);
      return pathOf(outline, true);
    },
  },
};

/** A coin: a milled edge, a field, and a cabochon in the middle. */
function coin(game: GameName): Stone {
  const hue = hueOf(game, "gold");
  const mill = Array.from({ length: 72 }, (_, i) => {
    const angle = (2 * Math.PI * i) / 72;
    const r = i % 2 === 0 ? 29.5 : 28;
    return [32 + r * Math.cos(angle), 32 + r * Math.sin(angle)] as const;
  });
  const rays = Array.from({ length: 16 }, (_, i) => {
    const angle = (2 * Math.PI * i) / 16;
    const [c, s] = [Math.cos(angle), Math.sin(angle)];
    return pathOf([
      [32 + 13.5 * c, 32 + 13.5 * s],
      [32 + 20 * c, 32 + 20 * s],
    ]);
  }).join("");
  return {
    outline: pathOf(mill, true),
    facets: [
      { d: pathOf(mill, true), fill: hue.mid },
      { d: "M10.5 46A27 27 0 0 0 53.5 18L50 20A23 23 0 0 1 14 44Z", fill: hue.dark },
      { d: "M10.5 46A27 27 0 0 1 53.5 18L50 20A23 23 0 0 0 14 44Z", fill: hue.light },
      { d: ellipse(32, 32, 22.5), fill: mix(hue.mid, hue.light, 0.45) },
      { d: ellipse(32.6, 32.9, 10.5), fill: hue.dark },
      { d: ellipse(32, 32, 10), fill: hue.light },
      { d: "M25.5 31A7 7 0 0 1 33 25.200Q28.5 27 27.5 31.500Z", fill: hue.glint },
    ],
    lines: rays + ellipse(32, 32, 22.5),
  };
}

/** The wild of Marvel: a plate with a star of six strokes, which stands for any of the six stones. */
function plate(): Stone {
  const hue = hueOf("marvel", "shield");
  const outline = ring(32, 32, 29, 29, 6, 1 / 12);
  const inner = scaled(outline, 0.8);
  const cutter = new Cutter();
  outline.forEach((p, i) => {
    const j = (i + 1) % 6;
    cutter.facet([p, outline[j] as Point, inner[j] as Point, inner[i] as Point], i % 2 === 0 ? 0.1 : -0.05);
  });
  cutter.shade(inner, 0.5);
  const strokes = ring(32, 32, 17, 17, 6, 1 / 12).map((p, i, tips) => {
    const q = tips[(i + 3) % 6] as Point;
    return i < 3 ? bar(p, q, 3.4) : "";
  });
  return {
    outline: pathOf(outline, true),
    facets: [
      ...cutter.facets(ramp("marvel", "shield")),
      { d: strokes.join(""), fill: hue.deep },
      { d: ellipse(32, 32, 6.5), fill: hue.deep },
      { d: ellipse(32, 32, 3.4), fill: hue.glint },
    ],
    lines: "",
  };
}

function bar(a: Point, b: Point, half: number): string {
  const length = Math.hypot(b[0] - a[0], b[1] - a[1]);
  const [nx, ny] = [(-(b[1] - a[1]) / length) * half, ((b[0] - a[0]) / length) * half];
  return pathOf(
    at`${a[0] + nx} ${a[1] + ny}, ${b[0] + nx} ${b[1] + ny}, ${b[0] - nx} ${b[1] - ny},
      ${a[0] - nx} ${a[1] - ny}`,
    true,
  );
}

/** The stone of a token, drawn in its own cut. */
export function stoneOf(game: GameName, token: string): Stone {
  const hue = hueOf(game, token);
  if (token === "gold") return coin(game);
  if (token === "shield") return plate();
  const cut = CUTS[game][token];
  if (cut === undefined) throw new Error(`expected a cut for the token "${token}" of ${game}, found none`);
  const cutter = new Cutter();
  const outline = cut(cutter);
  return { outline, facets: [{ d: outline, fill: hue.mid }, ...cutter.facets(ramp(game, token))], lines: "" };
}

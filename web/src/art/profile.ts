import { at, ellipse, hatch, path, pathOf, type Point, ring, smoothPath } from "./geometry";
import { Random } from "./random";
import { remember } from "./remember";

/** How a part of a cameo is printed. */
export type CameoPaint = "skin" | "hair" | "cloth" | "trim" | "shade" | "line";

/** One part of a cameo, in a box of 120 by 120 with its middle at 0, 0. */
export interface CameoPart {
  d: string;
  paint: CameoPaint;
}

/** A profile that looks right: parts from back to front. */
export interface Cameo {
  parts: CameoPart[];
  mirrored: boolean;
}

type Draw = (random: Random, cameo: Sitter) => void;

/** The measures of a face, and the parts that were drawn so far. */
class Sitter {
  readonly parts: CameoPart[] = [];

  constructor(
    readonly nose: number,
    readonly chin: number,
    readonly brow: number,
  ) {}

  add(paint: CameoPaint, d: string): this {
    this.parts.push({ paint, d });
    return this;
  }

  /** An area with a smooth edge through its points. */
  soft(paint: CameoPaint, points: readonly Point[]): this {
    const [first] = points;
    if (first === undefined) return this;
    return this.add(paint, `${smoothPath([...points, first])}Z`);
  }

  hard(paint: CameoPaint, points: readonly Point[]): this {
    return this.add(paint, pathOf(points, true));
  }

  curve(points: readonly Point[]): this {
    return this.add("line", smoothPath(points));
  }

  tone(points: readonly Point[], angle: number, gap: number): this {
    return this.add(
      "shade",
      hatch(points, angle, gap)
        .map((line) => pathOf(line))
        .join(""),
    );
  }
}

function face(sitter: Sitter): void {
  const { nose, chin, brow } = sitter;
  const front: Point[] = at`8 -34, ${15 + brow * 0.4} -25, ${18 + brow} -16, 16.5 -11, ${20 + nose * 0.5} -4,
      ${26 + nose} 3, ${24.5 + nose * 0.7} 6.5, 18.5 7.5, 20.5 11, 21 13, 17.5 15,
      20 17.5, 19.5 20, 16.5 22, ${18.5 + chin} 27, ${15 + chin} 32, 6 35, 3 41, 6 56,
      10 66`;
  const back: Point[] = at`-24 66, -20 44, -20 26, -29 8, -31 -10, -26 -28, -12 -38`;
  sitter.soft("skin", [...front, ...back]);
  // The jaw, the cheek and the neck in the shade.
  sitter.tone(at`4 34, 3 41, 6 58, -16 58, -18 30, -8 26, 2 33`, 62, 2);
  sitter.curve(at`-9 22, -4 29, 5 34`);
  // The eye, the brow, the nostril, the mouth, the ear.
  sitter.curve(at`9 -8.5, 12.5 -10, 15.2 -8.5`).curve(at`10 -7, 12.5 -6.2, 14.6 -8`);
  sitter.add("line", ellipse(12.9, -8.2, 0.9));
  sitter.curve(at`7.5 -13.5, 12 -16, 17 -14.5`);
  sitter.curve(at`${18.5 + nose * 0.4} 3.5, ${20 + nose * 0.5} 5.5, ${22 + nose * 0.5} 5`);
  sitter.curve(at`17.5 15, 14.5 14.8, 12.5 15.8`);
  sitter.curve(at`-7 -8, -3.5 -10, -2 -5, -4.5 -1, -5 3, -7.5 3`).curve(at`-5.5 -6, -4 -4, -6 0`);
}

function shoulders(sitter: Sitter, paint: CameoPaint = "cloth"): void {
  sitter.soft(paint, at`9 50, 22 58, 36 66, 42 82, -46 82, -42 66, -24 55, -8 54`);
}

const crown: Draw = (_, s) => {
  s.soft(
    "hair",
    at`10 -34, 4 -24, -2 -14, -8 -8, -12 4, -14 18, -20 30, -33 26, -37 6, -35 -14,
      -27 -32, -10 -40`,
  );
  for (let i = 0; i < 4; i += 1)
    s.curve(at`${-8 - i * 5} ${-34 + i * 2}, ${-20 - i * 3} -16, ${-22 - i * 3} 6,
      ${-24 - i * 2} 24`);
  shoulders(s);
  s.hard("trim", at`12 -34, 14 -52, 6 -44, 0 -58, -8 -46, -16 -58, -20 -44, -30 -50, -27 -30`);
  s.curve(at`12 -37, -8 -41, -27 -34`);
  s.soft("trim", at`12 52, 24 60, 4 70, -28 70, -36 60, -18 54`);
};

const ruff: Draw = (_, s) => {
  s.soft("hair", at`12 -33, 6 -26, -2 -22, -6 -10, -14 -4, -18 12, -29 12, -34 -8, -29 -30, -12 -41`);
  s.soft("hair", at`19 21, ${20 + s.chin} 30, 16 44, 8 46, 2 36, -4 26, -8 10, -4 8, 4 24, 12 24`);
  s.curve(at`14 26, 15 34, 12 42`).curve(at`8 28, 9 36, 8 42`);
  shoulders(s);
  let d = "";
  for (let i = 0; i < 9; i += 1) {
    const x = -32 + i * 7.4;
    d += ellipse(x, 50 - Math.abs(i - 4) * 0.8, 5.4, 8);
  }
  s.add("trim", d).add("line", d);
};

const plume: Draw = (_, s) => {
  s.soft("hair", at`8 -26, 0 -16, -6 -4, -8 12, -12 30, -18 42, -32 40, -38 16, -34 -12, -24 -30`);
  for (let i = 0; i < 3; i += 1)
    s.curve(at`${-12 - i * 6} -18, ${-16 - i * 5} 2, ${-14 - i * 6} 20, ${-18 - i * 5} 38`);
  shoulders(s);
  s.soft("cloth", at`34 -27, 20 -28, 10 -31, 6 -48, -22 -50, -30 -34, -46 -33, -44 -27, -10 -25`);
  s.soft("trim", at`4 -44, -14 -62, -38 -62, -54 -44, -56 -26, -46 -40, -30 -48, -10 -42`);
  s.curve(at`2 -44, -18 -56, -40 -52, -52 -36`);
  s.soft("trim", at`10 52, 24 62, 0 66, -30 62, -22 54`);
};

const hennin: Draw = (_, s) => {
  s.soft("trim", at`-40 -76, -58 -30, -56 30, -44 62, -34 40, -34 -10, -30 -50`);
  s.hard("cloth", at`9 -36, -28 -18, -50 -78, -44 -80`);
  s.tone(at`-8 -28, -28 -18, -50 -78`, 20, 3);
  s.soft("trim", at`12 -35, 2 -31, -12 -22, -27 -14, -24 -8, -8 -18, 8 -27`);
  shoulders(s);
  s.soft("hair", at`-14 -16, -8 -10, -10 2, -18 4, -22 -6`);
  s.curve(at`8 54, -4 60, -18 57`);
  s.add("trim", at`4 58, -2 60.5, -8 60.8, -14 59.5`.map(([x, y]) => ellipse(x as number, y as number, 1.8)).join(""));
};

const turban: Draw = (_, s) => {
  s.soft("hair", at`18 20, ${20 + s.chin} 30, 14 50, 4 52, -2 38, -9 22, -12 4, -6 2, -2 16, 8 23`);
  s.curve(at`10 28, 12 38, 8 48`).curve(at`4 30, 5 40, 3 48`);
  shoulders(s);
  s.soft("cloth", at`16 -26, 18 -42, 2 -58, -24 -58, -40 -42, -40 -20, -28 -6, -12 -14, 2 -22`);
  s.curve(at`16 -30, -4 -32, -30 -10`)
    .curve(at`18 -38, -8 -44, -38 -20`)
    .curve(at`10 -52, -14 -54, -40 -32`);
  s.soft("trim", at`10 -40, 6 -46, 10 -66, 15 -46`)
    .add("trim", ellipse(10, -40, 4.6))
    .add("line", ellipse(10, -40, 4.6));
};

const laurel: Draw = (_, s) => {
  s.soft(
    "hair",
    at`11 -34, 8 -26, 0 -24, -6 -12, -12 -6, -16 10, -24 16, -33 4, -35 -14, -28 -32,
      -10 -42`,
  );
  for (let i = 0; i < 5; i += 1) s.curve(at`${4 - i * 7} ${-38 + i}, ${-2 - i * 6} -30, ${-6 - i * 6} ${-26 + i * 3}`);
  s.soft("trim", at`10 52, 26 62, 36 82, -46 82, -42 64, -26 54, -10 62`);
  s.curve(at`8 56, -6 70, -10 82`)
    .curve(at`18 60, 4 72, 2 82`)
    .curve(at`-20 58, -24 70, -22 82`);
  let d = "";
  for (let i = 0; i < 7; i += 1) {
    const t = i / 6;
    const x = 13 - 46 * t;
    const y = -30 + 14 * Math.sin(Math.PI * t * 0.5);
    d += path`M${x} ${y}q-1 -10 -9 -11q0 9 9 11ZM${x} ${y}q-8 5 -6 11q7 -3 6 -11Z`;
  }
  s.add("trim", d).add("line", d);
};

const wig: Draw = (_, s) => {
  s.soft(
    "hair",
    at`13 -33, 10 -46, -2 -58, -22 -56, -36 -40, -40 -16, -36 8, -26 14, -14 4, -8 -10,
      0 -24`,
  );
  let d = "";
  for (const [x, y] of at`-20 6, -28 14, -20 20, -30 28, -22 34`) d += ellipse(x, y, 8, 5.4);
  s.add("hair", d).add("line", d);
  s.curve(at`10 -40, -8 -48, -28 -38`)
    .curve(at`8 -32, -10 -38, -34 -20`)
    .curve(at`0 -26, -14 -26, -34 -4`);
  shoulders(s);
  s.soft("trim", at`6 46, 14 54, 12 64, 18 74, 8 82, 0 70, -2 56`);
  s.curve(at`8 50, 6 60, 10 72`).curve(at`4 52, 2 62, 4 74`);
};

const coif: Draw = (_, s) => {
  s.soft(
    "trim",
    at`13 -35, 8 -24, 0 -14, -4 0, -2 18, 2 34, 8 46, 10 60, -34 66, -46 40, -46 -4,
      -38 -34, -16 -50, 6 -46`,
  );
  s.curve(at`10 -34, 2 -22, -6 -10, -8 12, -4 32, 4 48`);
  s.curve(at`4 -44, -14 -34, -22 -6, -20 26, -14 56`).curve(at`-14 -46, -30 -28, -36 4, -32 44`);
  s.soft("cloth", at`10 56, 24 60, 36 68, 42 82, -46 82, -42 64, -20 62`);
};

const bun: Draw = (_, s) => {
  s.soft("hair", at`12 -34, 8 -24, 0 -18, -4 -10, -12 0, -18 14, -26 16, -34 0, -35 -16, -27 -34, -8 -43`);
  s.add("hair", ellipse(-40, -10, 12, 13)).add("line", ellipse(-40, -10, 12, 13));
  s.curve(at`8 -34, -10 -28, -28 -12`)
    .curve(at`0 -38, -18 -30, -33 -12`)
    .curve(at`-4 -20, -14 -10, -24 4`);
  s.curve(at`-34 -14, -42 -18, -48 -8`).curve(at`-34 -6, -42 -2, -46 -8`);
  s.soft("trim", at`13 -33, 6 -46, 0 -37, -8 -50, -12 -40, -22 -48, -22 -36, -8 -36`);
  shoulders(s);
  s.add("trim", ellipse(-6, 8, 2.2, 3.4)).add("line", ellipse(-6, 8, 2.2, 3.4));
  const beads = ring(-6, 52, 17, 9, 18).filter(([, y]) => y > 50);
  s.add("trim", beads.map(([x, y]) => ellipse(x, y, 2)).join(""));
};

const beret: Draw = (_, s) => {
  s.soft("hair", at`8 -28, 2 -18, -4 -10, -6 4, -10 18, -14 26, -30 24, -34 2, -32 -20`);
  s.curve(at`-4 -18, -12 -2, -14 22`).curve(at`-14 -22, -22 0, -22 22`);
  s.soft("hair", at`19 11, 14 11.5, 9 10, 13 8.5, 19 8`);
  shoulders(s);
  s.soft("cloth", at`20 -28, 24 -38, 10 -52, -20 -56, -44 -46, -48 -30, -36 -22, -28 -30, 0 -34`);
  s.soft("trim", at`18 -27, 18 -32, -4 -36, -30 -29, -32 -24, -8 -30`);
  s.add("trim", ellipse(4, -42, 4)).add("line", ellipse(4, -42, 4));
  s.soft("trim", at`12 50, 26 58, 34 82, 14 82, 4 62`).soft("trim", at`-10 54, -30 60, -40 82, -22 82, -12 66`);
};

const SITTERS: readonly Draw[] = [crown, hennin, plume, turban, ruff, laurel, bun, wig, coif, beret];

/** The profile of a noble, by the number of the tile. */
export const portray = remember(portrayNew, (tile) => tile);

function portrayNew(tile: number): Cameo {
  const random = new Random(`noble/${tile}`);
  const sitter = new Sitter(random.between(-2.5, 4), random.between(-2, 3.5), random.between(-1, 2));
  face(sitter);
  const draw = SITTERS[(tile - 1) % SITTERS.length] as Draw;
  draw(random, sitter);
  return { parts: sitter.parts, mirrored: tile % 2 === 0 };
}

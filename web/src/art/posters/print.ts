import { ellipse, number, pathOf, placed, type Point, ring, smoothPath } from "../geometry";
import type { Random } from "../random";

/** One shape of a poster: filled, or drawn as a line of the given width. */
export interface Flat {
  d: string;
  fill?: string;
  stroke?: string;
  width?: number;
  opacity?: number;
}

/** The colours of a print, from the ground to the brightest. */
export interface Inks {
  deep: string;
  dark: string;
  mid: string;
  light: string;
  glint: string;
  /** The second colour, away from the first. */
  accent: string;
}

export type Ink = keyof Inks;

/** A print in a few inks; a figure is drawn round 0, 0 and reaches about 90 to each side. */
export class Print {
  readonly flats: Flat[] = [];

  constructor(
    readonly random: Random,
    readonly inks: Inks,
  ) {}

  /** A filled area; one that follows another of the same ink becomes a part of it. */
  fill(ink: Ink, d: string, opacity?: number): this {
    const fill = this.inks[ink];
    const last = this.flats.at(-1);
    if (last?.fill === fill && last.opacity === opacity) last.d += d;
    else this.flats.push(opacity === undefined ? { d, fill } : { d, fill, opacity });
    return this;
  }

  line(ink: Ink, width: number, d: string, opacity?: number): this {
    const stroke = this.inks[ink];
    const last = this.flats.at(-1);
    if (last?.stroke === stroke && last.width === width && last.opacity === opacity) last.d += d;
    else this.flats.push(opacity === undefined ? { d, stroke, width } : { d, stroke, width, opacity });
    return this;
  }
}

/** A closed area with straight sides, from pairs of coordinates. */
export function area(...coordinates: number[]): string {
  const points: Point[] = [];
  for (let i = 0; i + 1 < coordinates.length; i += 2)
    points.push([coordinates[i] as number, coordinates[i + 1] as number]);
  return pathOf(points, true);
}

export function disc(x: number, y: number, rx: number, ry = rx): string {
  return ellipse(x, y, rx, ry);
}

/** Several of something, for lists of shapes. */
export function times(count: number, draw: (i: number, share: number) => string): string {
  return Array.from({ length: count }, (_, i) => draw(i, count > 1 ? i / (count - 1) : 0)).join("");
}

/** A point at an angle (in turns, from the right, clockwise). */
export function polar(turn: number, radius: number, x = 0, y = 0): Point {
  return [x + radius * Math.cos(2 * Math.PI * turn), y + radius * Math.sin(2 * Math.PI * turn)];
}

/** A star with `tips` points. */
export function star(x: number, y: number, outer: number, inner: number, tips: number, turn = -0.25): string {
  const points = ring(x, y, 1, 1, tips * 2, turn).map(([px, py], i): Point => {
    const r = i % 2 === 0 ? outer : inner;
    return [x + (px - x) * r, y + (py - y) * r];
  });
  return pathOf(points, true);
}

/** A regular polygon. */
export function gon(x: number, y: number, radius: number, sides: number, turn = -0.25): string {
  return pathOf(ring(x, y, radius, radius, sides, turn), true);
}

/** Wedges from a point; `duty` is how much of the turn they fill. */
export function rays(count: number, from: number, to: number, duty = 0.5, turn = 0, x = 0, y = 0): string {
  return times(count, (i) => {
    const [a, b] = [turn + i / count, turn + (i + duty) / count];
    return pathOf([polar(a, from, x, y), polar(a, to, x, y), polar(b, to, x, y), polar(b, from, x, y)], true);
  });
}

/** A part of a circle, as a line. */
export function arc(x: number, y: number, radius: number, from: number, to: number): string {
  const [a, b] = [polar(from, radius, x, y), polar(to, radius, x, y)];
  const large = to - from > 0.5 ? 1 : 0;
  return `M${number(a[0])} ${number(a[1])}A${number(radius)} ${number(radius)} 0 ${large} 1 ${number(b[0])} ${number(b[1])}`;
}

/** A band along a smooth line, of one width at its beginning and another at its end. */
export function ribbon(points: readonly Point[], from: number, to: number): string {
  const sides = ([-1, 1] as const).map((side) =>
    points.map(([x, y], i): Point => {
      const [ax, ay] = points[Math.max(0, i - 1)] as Point;
      const [bx, by] = points[Math.min(points.length - 1, i + 1)] as Point;
      const length = Math.hypot(bx - ax, by - ay) || 1;
      const half = (side * (from + ((to - from) * i) / (points.length - 1))) / 2;
      return [x - ((by - ay) / length) * half, y + ((bx - ax) / length) * half];
    }),
  );
  const [left, right] = sides as [Point[], Point[]];
  return `${smoothPath(left)}${smoothPath(right.reverse()).replace("M", "L")}Z`;
}

/** A bar from one point to another, of one width at its beginning and another at its end. */
export function bar(x1: number, y1: number, x2: number, y2: number, from: number, to = from): string {
  const length = Math.hypot(x2 - x1, y2 - y1) || 1;
  const [nx, ny] = [-(y2 - y1) / length / 2, (x2 - x1) / length / 2];
  return area(
    x1 + nx * from,
    y1 + ny * from,
    x2 + nx * to,
    y2 + ny * to,
    x2 - nx * to,
    y2 - ny * to,
    x1 - nx * from,
    y1 - ny * from,
  );
}

/** An arrow with a head and feathers. */
export function arrow(x1: number, y1: number, x2: number, y2: number, width: number): string {
  const length = Math.hypot(x2 - x1, y2 - y1) || 1;
  const [ux, uy] = [(x2 - x1) / length, (y2 - y1) / length];
  const at = (along: number, across: number): [number, number] => [
    x1 + ux * along - uy * across,
    y1 + uy * along + ux * across,
  ];
  const w = width;
  return (
    bar(x1, y1, x2 - ux * w * 2, y2 - uy * w * 2, w * 0.7) +
    area(...at(length, 0), ...at(length - w * 4, w * 1.7), ...at(length - w * 3, 0), ...at(length - w * 4, -w * 1.7)) +
    area(
      ...at(-w, w * 1.6),
      ...at(w * 3.4, w * 1.6),
      ...at(w * 5, 0),
      ...at(w * 3.4, -w * 1.6),
      ...at(-w, -w * 1.6),
      ...at(w * 0.6, 0),
    )
  );
}

/** A shape and its mirror image; it must be in absolute commands. */
export function both(d: string): string {
  return d + placed(d, 0, 0, -1, 1);
}

/** A blade with a point. */
export function blade(x1: number, y1: number, x2: number, y2: number, width: number): string {
  const length = Math.hypot(x2 - x1, y2 - y1) || 1;
  const [ux, uy] = [(x2 - x1) / length, (y2 - y1) / length];
  const w = width / 2;
  const neck = length - width * 1.6;
  return area(
    x1 - uy * w,
    y1 + ux * w,
    x1 + ux * neck - uy * w,
    y1 + uy * neck + ux * w,
    x2,
    y2,
    x1 + ux * neck + uy * w,
    y1 + uy * neck - ux * w,
    x1 + uy * w,
    y1 - ux * w,
  );
}

/** A zigzag of lightning from one point to another, thinner towards its end. */
export function lightning(x1: number, y1: number, x2: number, y2: number, width: number): string {
  const length = Math.hypot(x2 - x1, y2 - y1) || 1;
  const [ux, uy] = [(x2 - x1) / length, (y2 - y1) / length];
  const at = (along: number, across: number): [number, number] => [
    x1 + ux * along * length - uy * across * width,
    y1 + uy * along * length + ux * across * width,
  ];
  return area(
    ...at(0, -0.5),
    ...at(0.4, -0.9),
    ...at(0.36, 0.1),
    ...at(0.72, -0.5),
    ...at(0.68, 0.2),
    ...at(1, 0),
    ...at(0.54, 0.9),
    ...at(0.57, 0.1),
    ...at(0.18, 0.9),
    ...at(0.22, 0.2),
    ...at(0, 0.5),
  );
}

import { at, box, ellipse, hatch, path, pathOf, placed, type Point, smoothPath } from "../geometry";
import type { Random } from "../random";

/** How a stroke or area of an engraving is printed; the card's hue gives the colour. */
export type Paint = "paper" | "wash" | "tint" | "shade" | "dark" | "hatch" | "line" | "bold";

/** One element of a scene: path data and how it is printed. */
export interface Stroke {
  d: string;
  paint: Paint;
}

/** The size of a card's face, in the units of its drawing. */
export const WIDTH = 200;
export const HEIGHT = 270;

const FILLS: readonly Paint[] = ["paper", "wash", "tint", "shade", "dark"];
const ORDER: readonly Paint[] = [...FILLS, "hatch", "line", "bold"];

/** What an area is made of. */
export interface Look {
  fill?: Paint;
  /** The angle of the hatching in degrees, and how far its lines are apart. */
  hatch?: number;
  gap?: number | ((share: number) => number);
  /** A second hatching across the first. */
  cross?: number;
  /** Whether it is drawn round. */
  outline?: boolean;
  bold?: boolean;
}

/** A part of the sky that the lines of the sky leave white. */
interface Gap {
  x: number;
  y: number;
  rx: number;
  ry: number;
}

/**
 * A plate that is engraved layer by layer, from the horizon to the viewer. What is drawn in one layer is gathered by
 * paint, so that a scene is few elements: things of one layer must not overlap, a nearer thing begins a new layer.
 */
export class Plate {
  private readonly strokes: Stroke[] = [];
  private current = new Map<Paint, string>();
  private readonly gaps: Gap[] = [];

  constructor(readonly random: Random) {}

  /** Begin a layer in front of what was drawn so far. */
  layer(): this {
    for (const paint of ORDER) {
      const d = this.current.get(paint);
      if (d !== undefined && d !== "") this.strokes.push({ d, paint });
    }
    this.current = new Map();
    return this;
  }

  /** Everything that was drawn, from back to front. */
  finish(): Stroke[] {
    this.layer();
    return this.strokes;
  }

  /** Put path data on the plate. */
  add(paint: Paint, d: string): this {
    this.current.set(paint, (this.current.get(paint) ?? "") + d);
    return this;
  }

  /** An area with straight sides. */
  area(points: readonly Point[], look: Look = {}): this {
    const { fill = "paper", outline = true, bold = false } = look;
    this.add(fill, pathOf(points, true));
    this.tone(points, look);
    if (outline) this.add(bold ? "bold" : "line", pathOf(points, true));
    return this;
  }

  /** Hatching alone, as the look says. */
  tone(points: readonly Point[], { hatch: angle, gap = 2.6, cross }: Look): this {
    if (angle !== undefined) this.add("hatch", lines(hatch(points, angle, gap)));
    if (cross !== undefined) this.add("hatch", lines(hatch(points, cross, gap)));
    return this;
  }

  rectangle(x: number, y: number, width: number, height: number, look: Look = {}): this {
    return this.area(box(x, y, width, height), look);
  }

  /** A disc or an ellipse. */
  disc(x: number, y: number, rx: number, ry = rx, look: Look = {}): this {
    const { fill = "paper", outline = true, bold = false } = look;
    this.add(fill, ellipse(x, y, rx, ry));
    const points = Array.from({ length: 24 }, (_, i) => {
      const angle = (i * Math.PI) / 12;
      return [x + rx * Math.cos(angle), y + ry * Math.sin(angle)] as const;
    });
    this.tone(points, look);
    if (outline) this.add(bold ? "bold" : "line", ellipse(x, y, rx, ry));
    return this;
  }

  line(...points: Point[]): this {
    return this.add("line", pathOf(points));
  }

  bold(...points: Point[]): this {
    return this.add("bold", pathOf(points));
  }

  /** A fine line, as thin as hatching. */
  fine(...points: Point[]): this {
    return this.add("hatch", pathOf(points));
  }

  /** A smooth line through the points. */
  curve(points: readonly Point[], paint: Paint = "line"): this {
    return this.add(paint, smoothPath(points));
  }

  /** Leave a hole in the lines of the sky that are drawn after this. */
  clear(x: number, y: number, rx: number, ry = rx): this {
    this.gaps.push({ x, y, rx, ry });
    return this;
  }

  /** Level lines from `top` to `bottom`, that leave clouds, moons and suns white. */
  sky(top: number, bottom: number, from: number, to: number): this {
    let d = "";
    for (let y = top; y < bottom; y += from + ((to - from) * (y - top)) / (bottom - top)) {
      let parts: [number, number][] = [[0, WIDTH]];
      for (const { x, y: cy, rx, ry } of this.gaps) {
        const dy = (y - cy) / ry;
        if (Math.abs(dy) >= 1) continue;
        const half = rx * Math.sqrt(1 - dy * dy);
        parts = parts.flatMap(([a, b]): [number, number][] => {
          if (b <= x - half || a >= x + half) return [[a, b]];
          const left: [number, number][] = a < x - half ? [[a, x - half]] : [];
          const right: [number, number][] = b > x + half ? [[x + half, b]] : [];
          return [...left, ...right];
        });
      }
      for (const [a, b] of parts) {
        if (b - a > 2) d += path`M${a} ${y}H${b}`;
      }
    }
    return this.add("hatch", d);
  }

  /** A bank of clouds: white in the lines of the sky, with an edge here and there. */
  cloud(x: number, y: number, size: number): this {
    const puffs = this.random.whole(3, 5);
    for (let i = 0; i < puffs; i += 1) {
      const t = i / (puffs - 1) - 0.5;
      const r = size * (0.34 - 0.3 * t * t) * this.random.between(0.8, 1.15);
      const px = x + t * size * 1.7;
      this.clear(px, y - r * 0.35, r * 1.25, r);
      this.curve(
        at`${px - r} ${y - r * 0.3}, ${px - r * 0.55} ${y - r * 1.1},
      ${px + r * 0.2} ${y - r * 1.35}, ${px + r * 0.85} ${y - r * 0.85}`,
        "hatch",
      );
    }
    return this;
  }

  /** A flight of birds. */
  birds(x: number, y: number, count: number): this {
    for (let i = 0; i < count; i += 1) {
      const bx = x + this.random.between(-16, 16);
      const by = y + this.random.between(-8, 8);
      const w = this.random.between(2.5, 4.5);
      this.add(
        "line",
        path`M${bx - w} ${by - w * 0.4}Q${bx - w * 0.3} ${by - w * 0.6} ${bx} ${by}Q${bx + w * 0.3} ${by - w * 0.6} ${bx + w} ${by - w * 0.4}`,
      );
    }
    return this;
  }

  /** Water: level dashes, closer together towards the horizon. */
  water(top: number, bottom: number, calm = 0): this {
    this.add("wash", pathOf(box(0, top, WIDTH, bottom - top), true));
    let d = "";
    for (let y = top + 1; y < bottom; y += 1.4 + (y - top) * 0.06) {
      for (let x = this.random.between(-14, 4); x < WIDTH;) {
        const length = this.random.between(8, 22 + (y - top) * 0.5);
        const sag = calm === 0 ? 0 : calm;
        if (x + length > 0) {
          d +=
            sag === 0
              ? path`M${Math.max(0, x)} ${y}H${Math.min(WIDTH, x + length)}`
              : path`M${x} ${y}q${length / 2} ${sag} ${length} 0`;
        }
        x += length + this.random.between(3, 14);
      }
    }
    this.add("hatch", d);
    return this.line([0, top], [WIDTH, top]);
  }

  /** A skyline of hills between `left` and `right`, as points from left to right. */
  ridge(base: number, height: number, rough: number, left = -4, right = WIDTH + 4): Point[] {
    const count = 17;
    const heights = new Array<number>(count).fill(0);
    heights[0] = height * this.random.between(0.1, 0.6);
    heights[count - 1] = height * this.random.between(0.1, 0.6);
    for (let span = count - 1, amplitude = 1; span > 1; span /= 2, amplitude *= rough) {
      for (let i = span / 2; i < count; i += span) {
        const a = heights[i - span / 2] ?? 0;
        const b = heights[i + span / 2] ?? 0;
        heights[i] = (a + b) / 2 + height * amplitude * this.random.between(-0.35, 0.65) * (span > 4 ? 1 : 0.8);
      }
    }
    return heights.map((h, i) => [left + ((right - left) * i) / (count - 1), base - Math.max(0, h)] as const);
  }

  /** Hills down to `floor`, rounded, with strokes that run down their sides. */
  hills(base: number, height: number, floor: number, fill: Paint = "paper", gap = 3): this {
    const top = this.ridge(base, height, 0.42);
    const polygon: Point[] = [...top, ...at`${WIDTH + 4} ${floor}, -4 ${floor}`];
    this.add(fill, path`${smoothPath(top)}L204 ${floor}L-4 ${floor}Z`);
    this.curve(top);
    const lean = this.random.pick([62, 118]);
    this.add("hatch", lines(hatch(polygon, lean, gap).map((l) => shorten(l, this.random.between(0.25, 0.8)))));
    return this;
  }

  /** A range of sharp mountains, lit from the left. */
  mountains(base: number, peaks: readonly Point[], fill: Paint = "paper"): this {
    for (const [px, py] of peaks) {
      const height = base - py;
      const half = height * this.random.between(0.75, 1.05);
      const jag = (side: number): Point[] =>
        Array.from({ length: 4 }, (_, i) => {
          const t = (i + 1) / 5;
          return [
            px + side * half * t + this.random.between(-3, 3),
            py + height * t + this.random.between(-2, 2),
          ] as const;
        });
      const left = jag(-1).reverse();
      const right = jag(1);
      const foot = this.random.between(-0.15, 0.2);
      const spine: Point[] = at`${px} ${py}, ${px + half * 0.05 + 2} ${py + height * 0.25},
      ${px - half * 0.06} ${py + height * 0.45},
      ${px + half * 0.12} ${py + height * 0.7}, ${px + half * foot} ${base}`;
      const outline: Point[] = [[px - half, base], ...left, [px, py], ...right, [px + half, base]];
      this.layer();
      this.add(fill, pathOf(outline, true));
      this.add("line", pathOf(outline));
      const shade: Point[] = [...spine, [px + half, base], ...[...right].reverse()];
      this.add("hatch", lines(hatch(shade, 58, 2.1)));
      const lit: Point[] = [[px - half, base], ...left, [px, py], ...spine.slice(1)];
      this.add("hatch", lines(hatch(lit, 118, 6).map((l) => shorten(l, 0.35))));
    }
    return this;
  }

  /** A conifer. */
  pine(x: number, y: number, height: number): this {
    const tiers = 4;
    const left: Point[] = [];
    for (let i = 1; i <= tiers; i += 1) {
      const level = y - height + (height * 0.88 * i) / tiers;
      const reach = (height * 0.3 * i) / tiers;
      left.push([x - reach, level]);
      if (i < tiers) left.push([x - reach * 0.45, level - height * 0.03]);
    }
    left.push([x - 1, y - height * 0.12], [x - 1, y]);
    const right = left.map(([px, py]) => [2 * x - px, py] as const).reverse();
    this.area([[x, y - height], ...left, ...right], { fill: "tint" });
    const half: Point[] = at`${x} ${y - height}, ${x + height * 0.28} ${y - height * 0.1},
      ${x} ${y - height * 0.1}`;
    return this.tone(half, { hatch: 20, gap: 1.7 });
  }

  /** A broad-leaved tree. */
  tree(x: number, y: number, height: number): this {
    const r = height * 0.36;
    this.line([x - 1, y], [x - 0.6, y - height * 0.4]).line([x + 1.2, y], [x + 0.6, y - height * 0.4]);
    const lobes = 9;
    const cy = y - height * 0.64;
    let d = "";
    const points: Point[] = [];
    for (let i = 0; i <= lobes; i += 1) {
      const angle = (2 * Math.PI * i) / lobes;
      const px = x + r * Math.cos(angle);
      const py = cy + r * 0.92 * Math.sin(angle);
      points.push([px, py]);
      d += i === 0 ? path`M${px} ${py}` : path`A${r * 0.36} ${r * 0.36} 0 0 1 ${px} ${py}`;
    }
    this.add("tint", `${d}Z`).add("line", d);
    const shade = points.map(([px, py]) => [x + (px - x) * 0.7 + r * 0.3, cy + (py - cy) * 0.8 + r * 0.15] as const);
    return this.tone(shade, { hatch: 35, gap: 1.7 });
  }

  /** A figure from a pattern, in one paint; a negative scale mirrors it. */
  stamp(paint: Paint, d: string, x: number, y: number, scale: number, scaleY = Math.abs(scale)): this {
    return this.add(paint, placed(d, x, y, scale, scaleY));
  }

  /** A palm. */
  palm(x: number, y: number, height: number): this {
    const lean = this.random.between(-0.25, 0.25) * height;
    const top: Point = [x + lean, y - height];
    this.curve([[x - 1.2, y], [x + lean * 0.35 - 1, y - height * 0.5], top]);
    this.curve([[x + 1.4, y], [x + lean * 0.35 + 1, y - height * 0.5], top]);
    for (let i = 0; i < 8; i += 1) {
      const angle = Math.PI * (i / 7) - Math.PI * 0.02;
      const reach = height * this.random.between(0.3, 0.42);
      const tip: Point = [top[0] - Math.cos(angle) * reach, top[1] - Math.sin(angle) * reach * 0.45 + reach * 0.35];
      const bend: Point = [
        top[0] - Math.cos(angle) * reach * 0.55,
        top[1] - Math.sin(angle) * reach * 0.5 - reach * 0.1,
      ];
      this.curve([top, bend, tip], i % 2 === 0 ? "bold" : "line");
    }
    return this;
  }
}

/** Path data of separate lines. */
export function lines(segments: readonly (readonly [Point, Point])[]): string {
  return segments.map(([a, b]) => pathOf([a, b])).join("");
}

function shorten([a, b]: readonly [Point, Point], share: number): [Point, Point] {
  // Strokes hang from the crest, which is the upper end.
  const [top, low] = a[1] < b[1] ? [a, b] : [b, a];
  return [top, [top[0] + (low[0] - top[0]) * share, top[1] + (low[1] - top[1]) * share]];
}

import { box, number, pathOf, type Point, smoothPath } from "../geometry";
import { mix } from "../gems";
import type { Random } from "../random";
import type { Light } from "./light";

/** One shape of a scene: filled, or drawn as a line of the given width. */
export interface Shape {
  d: string;
  fill?: string;
  stroke?: string;
  width?: number;
  /** Whether its inner outlines are holes. */
  isPierced?: boolean;
  opacity?: number;
}

/** What things are made of, in white light. */
const MATERIALS = {
  stone: "#c9b79c",
  marble: "#efe6d6",
  brick: "#b9613f",
  plaster: "#e6c48f",
  wood: "#96683c",
  straw: "#e0b860",
  canvas: "#f2e6cc",
  red: "#c2402f",
  blue: "#3b6fb0",
  slate: "#5f7286",
  copper: "#5fa08c",
  gold: "#e2ac3e",
  iron: "#545a66",
  rock: "#8d8073",
  sand: "#e3bf83",
  skin: "#b57b52",
} as const;

export type Material = keyof typeof MATERIALS;

/** What is drawn in one light, from back to front. */
export class Canvas {
  readonly shapes: Shape[] = [];
  /** From which shape on an area may join an earlier one of its colour. */
  private together = Infinity;

  constructor(
    readonly random: Random,
    readonly light: Light,
  ) {}

  /** A material in the light of the scene, and 0 to 1 in shadow. */
  of(material: Material, shadow = 0): string {
    const lit = mix(MATERIALS[material], this.light.ambient, this.light.strength);
    return mix(lit, this.light.shadow, shadow);
  }

  /** A filled area; one that follows another of the same colour becomes a part of it. */
  fill(fill: string, d: string, opacity?: number): this {
    const from = Math.min(this.together, Math.max(0, this.shapes.length - 1));
    const last = this.shapes
      .slice(from)
      .find((shape) => shape.fill === fill && shape.opacity === opacity && shape.isPierced !== true);
    if (last !== undefined) last.d += d;
    else this.shapes.push(opacity === undefined ? { d, fill } : { d, fill, opacity });
    return this;
  }

  /** Things that do not hide each other, such as houses in a row: each colour becomes one shape. */
  row(draw: () => void): this {
    this.together = this.shapes.length;
    draw();
    this.together = Infinity;
    return this;
  }

  /** A filled area with holes. */
  pierce(fill: string, d: string): this {
    this.shapes.push({ d, fill, isPierced: true });
    return this;
  }

  /** An engraved line. */
  line(stroke: string, width: number, d: string, opacity?: number): this {
    const last = this.shapes.at(-1);
    if (last?.stroke === stroke && last.width === width && last.opacity === opacity) last.d += d;
    else this.shapes.push({ d, stroke, width, ...(opacity === undefined ? {} : { opacity }) });
    return this;
  }

  /** The fine dark lines that give a thing its edges. */
  engrave(d: string, width = 0.9): this {
    return this.line(this.light.ink, width, d, 0.55);
  }

  /** A block that is lit from the left: its front, and the part of it in shadow. */
  block(material: Material, x: number, y: number, width: number, height: number, shaded = 0.35): this {
    this.fill(this.of(material), rectangle(x, y, width, height));
    return this.fill(this.of(material, 0.38), rectangle(x + width * (1 - shaded), y, width * shaded, height));
  }

  /** A gable or hipped roof over a block. */
  roof(material: Material, x: number, y: number, width: number, height: number, overhang = 4, shaded = 0.5): this {
    const [left, right, top] = [x - overhang, x + width + overhang, y - height];
    const ridge = x + width / 2;
    this.fill(this.of(material), polygon([left, y], [ridge, top], [right, y]));
    return this.fill(
      this.of(material, 0.4),
      polygon([ridge, top], [right, y], [right - (right - ridge) * 2 * shaded, y]),
    );
  }

  /** Windows or doors: dark by day, lit at night. */
  openings(d: string): this {
    return this.fill(this.light.isNight ? "#ffcf6b" : this.of("iron", 0.55), d);
  }
}

export function rectangle(x: number, y: number, width: number, height: number): string {
  return pathOf(box(x, y, width, height), true);
}

export function polygon(...points: Point[]): string {
  return pathOf(points, true);
}

/** An opening with a round or pointed head, standing on `y`. */
export function arch(x: number, y: number, width: number, height: number, isPointed = false): string {
  const [left, right, spring] = [x - width / 2, x + width / 2, y - height + width / 2];
  const n = number;
  const head = isPointed
    ? `Q${n(left)} ${n(spring - width * 0.45)} ${n(x)} ${n(y - height - width * 0.2)}Q${n(right)} ${n(spring - width * 0.45)} ${n(right)} ${n(spring)}`
    : `A${n(width / 2)} ${n(width / 2)} 0 0 1 ${n(right)} ${n(spring)}`;
  return `M${n(left)} ${n(y)}V${n(spring)}${head}V${n(y)}Z`;
}

/** Openings in a row. */
export function arches(
  from: number,
  to: number,
  count: number,
  y: number,
  width: number,
  height: number,
  isPointed = false,
): string {
  const step = (to - from) / count;
  return Array.from({ length: count }, (_, i) => arch(from + step * (i + 0.5), y, width, height, isPointed)).join("");
}

/** A smooth skyline closed down to `floor`. */
export function land(points: readonly Point[], floor: number): string {
  const [first, last] = [points[0] as Point, points.at(-1) as Point];
  return `${smoothPath(points)}L${number(last[0])} ${number(floor)}L${number(first[0])} ${number(floor)}Z`;
}

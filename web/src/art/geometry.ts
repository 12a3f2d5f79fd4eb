/** A point of a drawing. */
export type Point = readonly [x: number, y: number];

/** Points as one writes them in a drawing: at`0 0, 10 0, ${x} 5`. */
export function at(text: TemplateStringsArray, ...values: number[]): Point[] {
  return String.raw({ raw: text }, ...values)
    .split(",")
    .map((pair) => {
      const [x, y, more] = pair.trim().split(/\s+/).map(Number);
      if (x === undefined || y === undefined || more !== undefined || Number.isNaN(x + y)) {
        throw new Error(`expected two coordinates, got "${pair}"`);
      }
      return [x, y];
    });
}

/** A coordinate as text: a tenth of a unit is finer than any screen shows. */
export function number(value: number): string {
  const rounded = Math.round(value * 10) / 10;
  return String(Object.is(rounded, -0) ? 0 : rounded);
}

/** Path data with its numbers rounded: path`M${x} ${y}H10`. */
export function path(text: TemplateStringsArray, ...values: (number | string)[]): string {
  return String.raw({ raw: text }, ...values.map((value) => (typeof value === "number" ? number(value) : value)));
}

/** The path data of a line through the points, closed on demand. */
export function pathOf(points: readonly Point[], closed = false): string {
  const parts = points.map(([x, y], i) => `${i === 0 ? "M" : "L"}${number(x)} ${number(y)}`);
  return parts.join("") + (closed ? "Z" : "");
}

/** The path data of a smooth line through the points (Catmull-Rom as cubic Béziers). */
export function smoothPath(points: readonly Point[]): string {
  const first = points[0];
  if (first === undefined) return "";
  let d = `M${number(first[0])} ${number(first[1])}`;
  for (let i = 0; i + 1 < points.length; i += 1) {
    const p1 = points[i] as Point;
    const p2 = points[i + 1] as Point;
    const p0 = points[i - 1] ?? p1;
    const p3 = points[i + 2] ?? p2;
    const controls = [
      p1[0] + (p2[0] - p0[0]) / 6,
      p1[1] + (p2[1] - p0[1]) / 6,
      p2[0] - (p3[0] - p1[0]) / 6,
      p2[1] - (p3[1] - p1[1]) / 6,
      p2[0],
      p2[1],
    ];
    d += `C${controls.map(number).join(" ")}`;
  }
  return d;
}

/** The path data of a circle or an ellipse. */
export function ellipse(x: number, y: number, rx: number, ry = rx): string {
  const [left, right] = [number(x - rx), number(x + rx)];
  const radii = `${number(rx)} ${number(ry)}`;
  return `M${left} ${number(y)}A${radii} 0 1 1 ${right} ${number(y)}A${radii} 0 1 1 ${left} ${number(y)}Z`;
}

/** The points of a circle or ellipse, `count` of them, beginning at `from` (in turns). */
export function ring(x: number, y: number, rx: number, ry: number, count: number, from = 0): Point[] {
  return Array.from({ length: count }, (_, i) => {
    const angle = 2 * Math.PI * (from + i / count);
    return [x + rx * Math.cos(angle), y + ry * Math.sin(angle)] as const;
  });
}

/** The corners of an upright rectangle. */
export function box(x: number, y: number, width: number, height: number): Point[] {
  return [
    [x, y],
    [x + width, y],
    [x + width, y + height],
    [x, y + height],
  ];
}

/** The mean of points. */
export function centre(points: readonly Point[]): Point {
  const [x, y] = points.reduce<[number, number]>((sum, p) => [sum[0] + p[0], sum[1] + p[1]], [0, 0]);
  return [x / points.length, y / points.length];
}

/** The point at the share `t` of the way from one point to another. */
export function between(a: Point, b: Point, t: number): Point {
  return [a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t];
}

/**
 * Parallel lines that fill a polygon, `gap` apart, at `angle` (in degrees): what tone is made of in an engraving.
 * `gap` may be a function of the share of the way across, for tones that fade.
 */
export function hatch(
  polygon: readonly Point[],
  angle: number,
  gap: number | ((share: number) => number),
  shift = 0,
): [Point, Point][] {
  const radians = (angle * Math.PI) / 180;
  const [cos, sin] = [Math.cos(radians), Math.sin(radians)];
  // Turned so that the lines are level; `u` runs along them, `v` across.
  const turned = polygon.map(([x, y]) => [x * cos + y * sin, y * cos - x * sin] as const);
  const low = Math.min(...turned.map(([, v]) => v));
  const high = Math.max(...turned.map(([, v]) => v));
  const lines: [Point, Point][] = [];
  const step = (v: number) => (typeof gap === "number" ? gap : gap((v - low) / (high - low || 1)));
  for (let v = low + step(low) * (0.5 + shift); v < high; v += Math.max(0.3, step(v))) {
    const crossings: number[] = [];
    turned.forEach((a, i) => {
      const b = turned[(i + 1) % turned.length] as Point;
      if (a[1] <= v !== b[1] <= v) crossings.push(a[0] + ((v - a[1]) / (b[1] - a[1])) * (b[0] - a[0]));
    });
    crossings.sort((a, b) => a - b);
    for (let i = 0; i + 1 < crossings.length; i += 2) {
      const [from, to] = [crossings[i] as number, crossings[i + 1] as number];
      if (to - from < 0.6) continue;
      lines.push([
        [from * cos - v * sin, from * sin + v * cos],
        [to * cos - v * sin, to * sin + v * cos],
      ]);
    }
  }
  return lines;
}

const PARAMETERS: Record<string, number> = { M: 2, L: 2, T: 2, Q: 4, S: 4, C: 6, A: 7, H: 1, V: 1, Z: 0 };

/** Path data stretched and moved; a negative stretch mirrors it. It must be in absolute commands. */
export function placed(d: string, x: number, y: number, scaleX = 1, scaleY = scaleX): string {
  return d.replace(/([MLTQSCAHVZ])([^MLTQSCAHVZ]*)/g, (_, command: string, text: string) => {
    const count = PARAMETERS[command] ?? 0;
    const values = (text.match(/-?[\d.]+/g) ?? []).map((value, i) => {
      const v = Number(value);
      if (command === "H") return v * scaleX + x;
      if (command === "V") return v * scaleY + y;
      if (command !== "A") return i % 2 === 0 ? v * scaleX + x : v * scaleY + y;
      // An arc: radii, turn, two flags, end. A mirror image turns the other way round.
      const place = i % count;
      if (place < 2) return v * Math.abs(place === 0 ? scaleX : scaleY);
      if (place === 4) return scaleX * scaleY < 0 ? 1 - v : v;
      if (place < 5) return v;
      return place === 5 ? v * scaleX + x : v * scaleY + y;
    });
    return command + values.map(number).join(" ");
  });
}

import { path } from "../geometry";
import { area, blade, both, disc, polar, times, type Print } from "./print";

/** The idea of a character: shapes round 0, 0, about 90 to each side. */
export type Figure = (print: Print) => void;

/** A mask-like eye; not a face. */
export function eye(p: Print, x: number, y: number, w: number, h: number, slit: number): void {
  p.fill("light", path`M${x - w} ${y}Q${x} ${y - h * 2} ${x + w} ${y}Q${x} ${y + h * 2} ${x - w} ${y}Z`);
  p.fill("accent", disc(x, y, h * 0.86))
    .fill("deep", disc(x, y, slit, h * 0.8))
    .fill("glint", disc(x - h * 0.3, y - h * 0.35, h * 0.15));
}

export function city(p: Print, base: number, seed: readonly number[]): void {
  const width = 220 / seed.length;
  p.fill(
    "deep",
    seed
      .map((h, i) =>
        area(
          -110 + i * width,
          120,
          -110 + i * width,
          base - h,
          -110 + (i + 0.92) * width,
          base - h,
          -110 + (i + 0.92) * width,
          120,
        ),
      )
      .join(""),
  );
  p.fill(
    "accent",
    seed
      .map((h, i) =>
        times(3, (j) =>
          h > 20 + j * 14 ? area(...box(-106 + i * width + (j % 2) * 6, base - h + 8 + j * 13, 3, 5)) : "",
        ),
      )
      .join(""),
  );
}

export function box(
  x: number,
  y: number,
  w: number,
  h: number,
): [number, number, number, number, number, number, number, number] {
  return [x, y, x + w, y, x + w, y + h, x, y + h];
}

export function flame(x: number, y: number, w: number, h: number): string {
  return path`M${x} ${y - h}Q${x + w * 0.2} ${y - h * 0.6} ${x + w * 0.7} ${y - h * 0.55}Q${x + w * 0.55} ${y - h * 0.35} ${x + w} ${y - h * 0.2}Q${x + w} ${y + h * 0.15} ${x} ${y + h * 0.15}Q${x - w} ${y + h * 0.15} ${x - w} ${y - h * 0.15}Q${x - w * 0.8} ${y - h * 0.3} ${x - w * 0.75} ${y - h * 0.5}Q${x - w * 0.3} ${y - h * 0.4} ${x} ${y - h}Z`;
}

export function feathers(
  p: Print,
  x: number,
  y: number,
  count: number,
  reach: number,
  from: number,
  to: number,
  width = 15,
): void {
  for (let i = 0; i < count; i += 1) {
    const t = i / (count - 1);
    const angle = from + (to - from) * t;
    const [ex, ey] = polar(angle, reach * (1 - 0.4 * t), x, y);
    p.fill(i % 2 === 0 ? "light" : "mid", both(blade(x, y, ex, ey, width)));
  }
}

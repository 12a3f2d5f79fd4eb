import { ellipse, path, placed } from "../geometry";
import type { Canvas, Material } from "./canvas";
import { CAMEL, CAMEL_LOAD, CART, MULE, PANNIERS } from "./patterns";

/** A person who stands, `h` high; `reach` is where a hand points. */
export function person(
  canvas: Canvas,
  x: number,
  y: number,
  h: number,
  cloth: Material = "red",
  reach?: readonly [number, number],
): void {
  const w = h * 0.17;
  canvas.fill(
    canvas.of("iron", 0.4),
    path`M${x - w * 0.8} ${y}L${x - w * 0.7} ${y - h * 0.4}H${x + w * 0.7}L${x + w * 0.9} ${y}H${x + w * 0.3}L${x} ${y - h * 0.3}L${x - w * 0.3} ${y}Z`,
  );
  canvas.fill(
    canvas.of(cloth),
    path`M${x - w} ${y - h * 0.3}Q${x - w * 1.1} ${y - h * 0.8} ${x - w * 0.3} ${y - h * 0.82}H${x + w * 0.3}Q${x + w * 1.1} ${y - h * 0.8} ${x + w} ${y - h * 0.3}Z`,
  );
  if (reach !== undefined)
    canvas.line(canvas.of(cloth, 0.2), h * 0.11, path`M${x + w * 0.3} ${y - h * 0.7}L${x + reach[0]} ${y + reach[1]}`);
  canvas.fill(canvas.of("skin"), ellipse(x, y - h * 0.9, h * 0.1));
  canvas.fill(
    canvas.of(cloth, 0.45),
    path`M${x - h * 0.12} ${y - h * 0.92}Q${x} ${y - h * 1.1} ${x + h * 0.12} ${y - h * 0.92}Z`,
  );
}

export function camel(canvas: Canvas, x: number, y: number, scale: number, load: Material): void {
  canvas.fill(canvas.of("plaster", 0.3), placed(CAMEL, x, y, scale, Math.abs(scale)));
  canvas.fill(canvas.of(load), placed(CAMEL_LOAD, x, y, scale, Math.abs(scale)));
}

export function mule(canvas: Canvas, x: number, y: number, scale: number, load?: Material): void {
  canvas.fill(canvas.of("wood", 0.45), placed(MULE, x, y, scale, Math.abs(scale)));
  if (load !== undefined) canvas.fill(canvas.of(load), placed(PANNIERS, x, y, scale, Math.abs(scale)));
}

/** A cart of ore in the colour of the card's gem. */
export function cart(canvas: Canvas, x: number, y: number, scale: number, ore: string): void {
  canvas.fill(
    ore,
    path`M${x + 3 * scale} ${y - 14 * scale}L${x + 6 * scale} ${y - 20 * scale} ${x + 11 * scale} ${y - 18 * scale} ${x + 14 * scale} ${y - 23 * scale} ${x + 20 * scale} ${y - 17 * scale} ${x + 24 * scale} ${y - 14 * scale}Z`,
  );
  canvas.fill(canvas.of("wood", 0.2), placed(CART, x, y, scale));
  canvas.fill(
    canvas.of("iron", 0.5),
    ellipse(x + 8 * scale, y - 3 * scale, 3.4 * scale) + ellipse(x + 18 * scale, y - 3 * scale, 3.4 * scale),
  );
}

/** A spoked wheel. */
export function wheel(canvas: Canvas, x: number, y: number, r: number, spokes: number, width = 2): void {
  const colour = canvas.of("wood", 0.35);
  let d = "";
  for (let i = 0; i < spokes; i += 1) {
    const a = (2 * Math.PI * i) / spokes;
    d += path`M${x} ${y}L${x + r * Math.cos(a)} ${y + r * Math.sin(a)}`;
  }
  canvas.line(colour, width, ellipse(x, y, r) + d);
}

/** Stones in the colour of the card's gem, in a heap. */
export function heap(
  canvas: Canvas,
  x: number,
  y: number,
  w: number,
  colours: readonly [string, string, string],
): void {
  const [light, mid, dark] = colours;
  const h = w * 0.5;
  canvas.fill(
    dark,
    path`M${x - w} ${y}L${x - w * 0.6} ${y - h * 0.5} ${x - w * 0.2} ${y - h * 0.7} ${x + w * 0.1} ${y - h} ${x + w * 0.6} ${y - h * 0.6} ${x + w} ${y}Z`,
  );
  canvas.fill(
    mid,
    path`M${x - w * 0.6} ${y - h * 0.5}L${x - w * 0.3} ${y} ${x - w} ${y}ZM${x - w * 0.2} ${y - h * 0.7}L${x + w * 0.1} ${y - h} ${x + w * 0.2} ${y - h * 0.3} ${x - w * 0.1} ${y - h * 0.2}ZM${x + w * 0.6} ${y - h * 0.6}L${x + w * 0.5} ${y}H${x + w * 0.25}Z`,
  );
  canvas.fill(
    light,
    path`M${x - w * 0.2} ${y - h * 0.7}L${x + w * 0.1} ${y - h} ${x - w * 0.02} ${y - h * 0.5}ZM${x - w * 0.6} ${y - h * 0.5}L${x - w * 0.5} ${y - h * 0.1} ${x - w * 0.75} ${y - h * 0.1}ZM${x + w * 0.6} ${y - h * 0.6}L${x + w * 0.56} ${y - h * 0.2} ${x + w * 0.4} ${y - h * 0.35}Z`,
  );
}

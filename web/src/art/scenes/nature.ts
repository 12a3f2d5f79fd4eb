import { ellipse, path, type Point } from "../geometry";
import { mix } from "../gems";
import { type Canvas, land, polygon } from "./canvas";

/** Where the land begins, and which way the light falls. */
export interface View {
  horizon: number;
  floor: number;
}

export function sun(canvas: Canvas, x: number, y: number, radius: number): void {
  const { light } = canvas;
  canvas.fill(light.sun, ellipse(x, y, radius * 2.6), 0.16).fill(light.sun, ellipse(x, y, radius * 1.6), 0.26);
  canvas.fill(light.sun, ellipse(x, y, radius));
  if (light.isNight)
    canvas.fill(
      mix(light.sun, light.haze, 0.35),
      ellipse(x - radius * 0.3, y - radius * 0.1, radius * 0.22) +
        ellipse(x + radius * 0.3, y + radius * 0.35, radius * 0.3),
    );
}

export function stars(canvas: Canvas, floor: number): void {
  const { random } = canvas;
  let d = "";
  for (let i = 0; i < 12; i += 1) {
    const [x, y, r] = [random.between(8, 192), random.between(66, floor), random.between(0.6, 1.5)];
    d += path`M${x - r} ${y}L${x} ${y - r}L${x + r} ${y}L${x} ${y + r}Z`;
  }
  canvas.fill("#fff8e0", d, 0.85);
}

export function clouds(canvas: Canvas, top: number, floor: number, count: number): void {
  const { random, light } = canvas;
  for (let i = 0; i < count; i += 1) {
    const [x, y, w] = [random.between(10, 190), random.between(top, floor), random.between(26, 54)];
    const h = w * random.between(0.16, 0.26);
    const d = path`M${x - w} ${y}Q${x - w * 0.8} ${y - h} ${x - w * 0.45} ${y - h * 0.8}Q${x - w * 0.2} ${y - h * 2.2} ${x + w * 0.2} ${y - h * 1.4}Q${x + w * 0.6} ${y - h * 1.6} ${x + w * 0.65} ${y - h * 0.6}Q${x + w * 0.95} ${y - h * 0.6} ${x + w} ${y}Z`;
    canvas.fill(mix(light.sky[1], light.isNight ? light.haze : "#ffffff", 0.6), d, 0.75);
  }
}

export function birds(canvas: Canvas, x: number, y: number, count: number): void {
  const { random } = canvas;
  let d = "";
  for (let i = 0; i < count; i += 1) {
    const [bx, by, w] = [x + random.between(-22, 22), y + random.between(-10, 10), random.between(3, 5.5)];
    d += path`M${bx - w} ${by - w * 0.5}Q${bx - w * 0.3} ${by - w * 0.7} ${bx} ${by}Q${bx + w * 0.3} ${by - w * 0.7} ${bx + w} ${by - w * 0.5}`;
  }
  canvas.line(canvas.light.ink, 1.2, d, 0.7);
}

/** A skyline from left to right. */
function ridge(canvas: Canvas, base: number, height: number, steps: number): Point[] {
  return Array.from(
    { length: steps + 1 },
    (_, i) => [-6 + (212 * i) / steps, base - height * canvas.random.between(0.15, 1)] as const,
  );
}

/** Sharp mountains, lit from the left; with snow if they are high. */
export function peaks(canvas: Canvas, { horizon }: View): void {
  const { random, light } = canvas;
  const rock = mix(canvas.of("rock"), light.haze, 0.5);
  const snow = mix("#ffffff", light.ambient, light.isNight ? 0.6 : 0.15);
  canvas.fill(mix(light.haze, light.sky[1], 0.45), land(ridge(canvas, horizon, 34, 7), horizon + 4));
  let x = random.between(-10, 20);
  while (x < 200) {
    const half = random.between(34, 56);
    const [px, py] = [x + half * 0.7, horizon - random.between(46, 78)];
    const foot = px + random.between(-6, 12);
    canvas.fill(rock, polygon([px - half, horizon + 4], [px, py], [px + half, horizon + 4]));
    canvas.fill(
      mix(rock, light.shadow, 0.4),
      polygon([px, py], [px + half, horizon + 4], [foot, horizon + 4], [px - 3, py + 30]),
    );
    const h = (horizon - py) * 0.34;
    const k = half / (horizon + 4 - py);
    canvas.fill(
      snow,
      polygon(
        [px, py],
        [px + h * k, py + h],
        [px + h * k * 0.3, py + h * 0.75],
        [px, py + h * 1.15],
        [px - h * k * 0.45, py + h * 0.8],
        [px - h * k, py + h],
      ),
    );
    x += half * random.between(1.1, 1.6);
  }
}

export function hills(canvas: Canvas, { horizon }: View): void {
  const { random, light } = canvas;
  for (let i = 0; i < 3; i += 1) {
    const base = horizon + i * 9;
    const fill = mix(light.haze, light.grass, 0.2 + i * 0.3);
    const crest = ridge(canvas, base, 34 - i * 8, 4);
    canvas.fill(fill, land(crest, 262));
    let d = "";
    for (let j = 0; j < 5 + i * 2; j += 1) {
      const [x, y, r] = [random.between(0, 200), base + random.between(-4, 6), random.between(2.4, 4.4)];
      d += ellipse(x, y, r * 1.2, r);
    }
    canvas.fill(mix(fill, light.tree, 0.55), d);
  }
}

/** Table mountains. */
export function mesas(canvas: Canvas, { horizon }: View): void {
  const { random, light } = canvas;
  canvas.fill(mix(light.haze, light.sky[1], 0.3), land(ridge(canvas, horizon, 20, 5), horizon + 4));
  const rock = mix(canvas.of("brick"), light.haze, 0.45);
  for (const x of [random.between(6, 40), random.between(90, 120), random.between(160, 190)]) {
    const [w, h] = [random.between(16, 30), random.between(28, 62)];
    const top = horizon - h;
    canvas.fill(
      rock,
      polygon(
        [x - w, top],
        [x + w * 0.9, top + 2],
        [x + w, top + h * 0.5],
        [x + w * 1.6, horizon + 4],
        [x - w * 1.6, horizon + 4],
        [x - w * 0.95, top + h * 0.5],
      ),
    );
    canvas.fill(
      mix(rock, light.shadow, 0.35),
      polygon(
        [x + w * 0.2, top],
        [x + w * 0.9, top + 2],
        [x + w, top + h * 0.5],
        [x + w * 1.6, horizon + 4],
        [x + w * 0.3, horizon + 4],
      ),
    );
    canvas.line(
      light.ink,
      0.8,
      path`M${x - w * 0.9} ${top + h * 0.2}H${x + w * 0.9}M${x - w * 0.92} ${top + h * 0.38}H${x + w * 0.95}`,
      0.3,
    );
  }
}

export function dunes(canvas: Canvas, { horizon }: View): void {
  const { random, light } = canvas;
  for (let i = 0; i < 3; i += 1) {
    const y = horizon - 10 + i * 16;
    const [cx, cy] = [random.between(40, 160), y - random.between(14, 26)];
    const sand = mix(canvas.of("sand"), light.haze, 0.55 - i * 0.22);
    canvas.fill(sand, path`M-6 ${y + 10}Q${cx * 0.5} ${cy + 6} ${cx} ${cy}Q${cx + 60} ${cy + 20} 206 ${y + 6}V262H-6Z`);
    canvas.fill(
      mix(sand, light.shadow, 0.32),
      path`M${cx} ${cy}Q${cx + 60} ${cy + 20} 206 ${y + 6}V${y + 26}Q${cx + 40} ${y + 16} ${cx + 10} ${y + 34}Q${cx + 22} ${y + 8} ${cx} ${cy}Z`,
    );
  }
}

export function forest(canvas: Canvas, { horizon }: View): void {
  const { random, light } = canvas;
  for (let i = 0; i < 3; i += 1) {
    const base = horizon + i * 7;
    let d = path`M-6 ${base + 30}V${base}`;
    for (let x = -6; x < 206;) {
      const [w, h] = [random.whole(12, 19), random.whole(22, 50 - i * 9)];
      d += path`L${x + w / 2} ${base - h}L${x + w} ${base}`;
      x += w;
    }
    canvas.fill(mix(light.haze, light.tree, 0.25 + i * 0.3), `${d}V${base + 30}Z`);
  }
}

/** The sea to the horizon, with the way of the light on it. */
export function sea(canvas: Canvas, { horizon }: View, glint = 100): void {
  const { random, light } = canvas;
  canvas.fill(mix(light.water, light.sky[1], 0.3), polygon([-6, horizon], [206, horizon], [206, 262], [-6, 262]));
  canvas.fill(light.water, polygon([-6, horizon + 14], [206, horizon + 14], [206, 262], [-6, 262]));
  let bright = "";
  let deep = "";
  for (let y = horizon + 3; y < 262; y += 6 + (y - horizon) * 0.08) {
    const spread = 10 + (y - horizon) * 0.35;
    const [x, w] = [glint + random.between(-spread, spread), random.between(6, 16) + (y - horizon) * 0.1];
    bright += path`M${x - w} ${y}Q${x} ${y - 1.6} ${x + w} ${y}Q${x} ${y + 1.6} ${x - w} ${y}Z`;
    const [u, v] = [random.between(0, 200), random.between(10, 26)];
    deep += path`M${u - v} ${y + 2}Q${u} ${y} ${u + v} ${y + 2}Q${u} ${y + 3.4} ${u - v} ${y + 2}Z`;
  }
  canvas.fill(mix(light.water, light.shadow, 0.35), deep, 0.7).fill(light.sun, bright, 0.7);
}

/** The ground that the motif stands on, from `floor` down, with the marks of a burin. */
export function ground(canvas: Canvas, floor: number, fill: string, rough = 4): void {
  const { random, light } = canvas;
  const crest = Array.from({ length: 5 }, (_, i) => [-6 + 53 * i, floor + random.between(-rough, rough)] as const);
  canvas.fill(fill, land(crest, 262));
  canvas.fill(
    mix(fill, light.shadow, 0.28),
    land(
      crest.map(([x, y]) => [x, y + random.between(16, 26)] as const),
      262,
    ),
  );
  let d = "";
  for (let i = 0; i < 12; i += 1) {
    const [x, y, w] = [random.between(6, 180), floor + 6 + i * 3.6, random.between(6, 18)];
    d += path`M${x} ${y}Q${x + w / 2} ${y - 1.6} ${x + w} ${y}`;
  }
  canvas.engrave(d, 0.8);
}

export function pine(canvas: Canvas, x: number, y: number, h: number): void {
  const { light } = canvas;
  const tier = (from: number, to: number, w: number, side: number) =>
    polygon([x, y - h * to], [x + side * w * h, y - h * from], [x, y - h * from]);
  const both = (side: number) => tier(0.08, 0.55, 0.3, side) + tier(0.34, 0.78, 0.24, side) + tier(0.58, 1, 0.17, side);
  canvas.fill(
    canvas.of("wood", 0.5),
    polygon([x - h * 0.03, y], [x + h * 0.03, y], [x + h * 0.03, y - h * 0.1], [x - h * 0.03, y - h * 0.1]),
  );
  canvas.fill(mix(light.tree, light.ambient, 0.2), both(-1)).fill(mix(light.tree, light.shadow, 0.45), both(1));
}

export function tree(canvas: Canvas, x: number, y: number, h: number): void {
  const { light } = canvas;
  const r = h * 0.26;
  canvas.fill(
    canvas.of("wood", 0.45),
    path`M${x - h * 0.05} ${y}Q${x - h * 0.01} ${y - h * 0.3} ${x - h * 0.04} ${y - h * 0.5}H${x + h * 0.04}Q${x + h * 0.02} ${y - h * 0.3} ${x + h * 0.06} ${y}Z`,
  );
  canvas.fill(
    mix(light.tree, light.shadow, 0.35),
    ellipse(x + r * 0.5, y - h * 0.55, r) + ellipse(x - r * 0.4, y - h * 0.56, r * 0.9),
  );
  canvas.fill(light.tree, ellipse(x, y - h * 0.74, r) + ellipse(x - r * 0.8, y - h * 0.6, r * 0.75));
  canvas.fill(
    mix(light.tree, light.ambient, 0.4),
    ellipse(x - r * 0.35, y - h * 0.82, r * 0.55) + ellipse(x - r * 0.95, y - h * 0.66, r * 0.4),
  );
}

export function palm(canvas: Canvas, x: number, y: number, h: number): void {
  const { random, light } = canvas;
  const lean = random.between(-0.2, 0.2) * h;
  const [tx, ty] = [x + lean, y - h];
  canvas.line(
    canvas.of("wood", 0.35),
    Math.max(2, h * 0.06),
    path`M${x} ${y}Q${x + lean * 0.2} ${y - h * 0.6} ${tx} ${ty}`,
  );
  let lit = "";
  let dark = "";
  for (let i = 0; i < 7; i += 1) {
    const a = Math.PI * (0.02 + (0.96 * i) / 6);
    const reach = h * random.between(0.36, 0.48);
    const [ex, ey] = [tx - Math.cos(a) * reach, ty - Math.sin(a) * reach * 0.4 + reach * 0.36];
    const [mx, my] = [tx - Math.cos(a) * reach * 0.55, ty - Math.sin(a) * reach * 0.6 - reach * 0.12];
    const frond = path`M${tx} ${ty}Q${mx} ${my} ${ex} ${ey}Q${mx} ${my + reach * 0.22} ${tx} ${ty}Z`;
    if (i % 2 === 0) lit += frond;
    else dark += frond;
  }
  canvas.fill(mix(light.tree, light.shadow, 0.35), dark).fill(mix(light.tree, light.ambient, 0.2), lit);
}

/** Rocks, lit from the left. */
export function rocks(canvas: Canvas, x: number, y: number, w: number, h: number): void {
  const { random } = canvas;
  const top = random.between(-0.2, 0.1) * w;
  canvas.fill(
    canvas.of("rock"),
    polygon([x - w, y], [x - w * 0.7, y - h * 0.6], [x + top, y - h], [x + w * 0.6, y - h * 0.7], [x + w, y]),
  );
  canvas.fill(
    canvas.of("rock", 0.42),
    polygon(
      [x + top, y - h],
      [x + w * 0.6, y - h * 0.7],
      [x + w, y],
      [x + w * 0.1, y],
      [x + top + w * 0.15, y - h * 0.5],
    ),
  );
}

import { at, hatch, path, type Point, ring } from "../geometry";
import { CART, MULE, PANNIERS, WALKER } from "./patterns";
import { HEIGHT, lines, type Plate, WIDTH } from "./plate";

/** Trodden ground from a line down to the foot of the card. */
export function ground(plate: Plate, top: number, stones = 14): void {
  const { random } = plate;
  const crest = plate.ridge(top, 8, 0.4);
  plate.layer();
  plate.area([...crest, ...at`${WIDTH + 4} ${HEIGHT}, -4 ${HEIGHT}`], { fill: "paper", outline: false });
  plate.curve(crest);
  let d = "";
  for (let i = 0; i < stones * 3; i += 1) {
    const y = random.between(top + 3, HEIGHT - 4);
    const x = random.between(0, WIDTH);
    const length = random.between(4, 10 + (y - top) * 0.14);
    d += path`M${x} ${y}q${length / 2} ${random.between(-1.4, 1)} ${length} 0`;
  }
  plate.add("hatch", d);
  for (let i = 0; i < stones; i += 1) {
    const x = random.between(2, WIDTH - 2);
    const y = random.between(top + 10, HEIGHT - 6);
    const r = random.between(1, 1.6 + (y - top) * 0.03);
    plate.add(
      "line",
      path`M${x - r * 1.6} ${y}q${r * 0.6} ${-r * 1.8} ${r * 1.8} ${-r * 1.3}q${r} ${r * 0.5} ${r * 1.2} ${r * 1.3}`,
    );
  }
}

/** Rails that run from a far point to the foot of the card. */
function rails(plate: Plate, from: Point, to: Point, spread: number): void {
  const steps = 13;
  for (let i = 0; i < steps; i += 1) {
    const t = (i / (steps - 1)) ** 1.9;
    const x = from[0] + (to[0] - from[0]) * t;
    const y = from[1] + (to[1] - from[1]) * t;
    const half = 4 + spread * t;
    plate.bold([x - half * 1.3, y], [x + half * 1.3, y]);
  }
  for (const side of [-1, 1]) {
    plate.line([from[0] + side * 3, from[1]], [to[0] + side * (4 + spread), to[1]]);
    plate.line([from[0] + side * 3.6, from[1]], [to[0] + side * (5.4 + spread), to[1]]);
  }
}

function cart(plate: Plate, x: number, y: number, scale: number): void {
  const { random } = plate;
  const heap: Point[] = [[x + 2 * scale, y - 15 * scale]];
  for (let i = 1; i < 7; i += 1) {
    const t = i / 7;
    heap.push([x + (2 + 22 * t) * scale, y - (15 + 7 * Math.sin(Math.PI * t) + random.between(-1, 2)) * scale]);
  }
  heap.push([x + 24 * scale, y - 15 * scale]);
  plate.layer();
  plate.area(heap, { fill: "wash", hatch: 40, gap: 2 });
  plate.stamp("shade", CART, x, y, scale).stamp("line", CART, x, y, scale);
  plate.fine([x + 5 * scale, y - 15 * scale], [x + 7 * scale, y - 4 * scale]);
  plate.fine([x + 20 * scale, y - 15 * scale], [x + 19 * scale, y - 4 * scale]);
  plate.layer();
  for (const wheel of [7, 19])
    plate.disc(x + wheel * scale, y - 2.6 * scale, 3.2 * scale, 3.2 * scale, { fill: "paper", bold: true });
}

/** A timbered mouth in a mountainside, and the track that comes out of it. */
export function mineMouth(plate: Plate): void {
  const { random } = plate;
  plate.cloud(random.between(30, 70), random.between(52, 66), random.between(18, 26));
  plate.sky(40, 130, 2.4, 3.4);
  plate.mountains(168, [[random.between(12, 40), random.between(84, 100)]]);
  const face: Point[] = at`58 182, 66 132, 78 104, 98 ${random.between(74, 82)},
      128 ${random.between(58, 66)}, 150 70, 176 62, 206 78, 206 190`;
  plate.layer();
  plate.area(face, { fill: "wash", hatch: 64, gap: 3.2 });
  const crack = (x: number, y: number) =>
    plate.line([x, y], [x + random.between(-8, 3), y + 12], [x + random.between(-4, 6), y + random.between(18, 30)]);
  for (const [x, y] of at`84 112, 104 90, 160 82, 184 92, 176 128`) crack(x + random.between(-4, 4), y);
  const x = random.between(124, 138);
  plate.layer();
  const arch: Point[] = ring(x, 142, 23, 26, 24, 0.5).slice(0, 13);
  plate.area([...arch, ...at`${x + 23} 184, ${x - 23} 184`], { fill: "dark", outline: false });
  plate.layer();
  for (const side of [-1, 1]) plate.rectangle(x + side * 25 - 4, 128, 8, 56, { fill: "tint", hatch: 90, gap: 2.2 });
  plate.rectangle(x - 35, 119, 70, 9, { fill: "tint", hatch: 0, gap: 2.4 });
  plate.rectangle(x - 31, 113, 62, 6, { fill: "paper" });
  ground(plate, 184);
  plate.layer();
  rails(plate, [x, 180], [random.between(84, 104), 274], 30);
  cart(plate, x - 58, 194, 1.15);
  plate.layer();
  for (let i = 0; i < random.whole(2, 4); i += 1)
    plate.pine(random.between(6, 52), random.between(180, 188), random.between(22, 40));
}

/** A winding tower over a shaft, and its engine house. */
export function headframe(plate: Plate): void {
  const { random } = plate;
  const x = random.between(88, 104);
  const top = random.between(46, 56);
  plate.clear(x + 62, 56, 20);
  plate.disc(x + 62, 56, 13, 13, { fill: "wash" });
  plate.sky(30, 150, 2.6, 3.6);
  plate.layer().hills(150, 34, 200, "paper", 4);
  plate.layer().hills(168, 22, 210, "wash", 3.4);
  // The engine house, its stack and the smoke.
  const house = random.between(138, 146);
  plate.layer();
  plate.area(at`${house + 32} 150, ${house + 34} 82, ${house + 42} 82, ${house + 44} 150`, {
    fill: "tint",
    hatch: 0,
    gap: 2.2,
  });
  plate.curve(at`${house + 38} 80, ${house + 34} 70, ${house + 42} 62, ${house + 36} 52,
      ${house + 46} 44`);
  plate.curve(at`${house + 40} 80, ${house + 44} 70, ${house + 52} 60, ${house + 50} 50,
      ${house + 60} 42`);
  plate.layer();
  plate.rectangle(house, 144, 54, 44, { fill: "paper", hatch: 0, gap: 4 });
  plate.area(at`${house - 4} 146, ${house + 10} 126, ${house + 58} 126, ${house + 58} 146`, {
    fill: "tint",
    hatch: 60,
    gap: 2,
  });
  plate.layer();
  for (const w of [8, 24, 40]) plate.rectangle(house + w, 156, 8, 13, { fill: "dark" });
  // The tower: four legs, braces and two wheels.
  plate.layer();
  const legs: [Point, Point][] = [
    [
      [x - 10, top + 14],
      [x - 34, 188],
    ],
    [
      [x - 5, top + 14],
      [x - 12, 188],
    ],
    [
      [x + 5, top + 14],
      [x + 12, 188],
    ],
  ];
  for (const [a, b] of legs)
    plate.area(
      at`${a[0] - 2} ${a[1]}, ${a[0] + 2} ${a[1]}, ${b[0] + 2.6} ${b[1]},
      ${b[0] - 2.6} ${b[1]}`,
      { fill: "tint" },
    );
  for (let i = 1; i < 6; i += 1) {
    const y = top + 14 + (i * (174 - top)) / 6;
    const t = i / 6;
    plate.line([x - 10 - 24 * t, y], [x + 5 + 7 * t, y]);
    plate.line([x - 10 - 24 * t, y], [x + 5 + 7 * (t - 1 / 6), y - (174 - top) / 6]);
  }
  plate.line([x + 10, top + 8], [house + 10, 140]).line([x + 13, top + 4], [house + 14, 138]);
  plate.rectangle(x - 16, top + 10, 34, 5, { fill: "tint" });
  plate.layer();
  for (const dx of [-5, 6]) {
    plate.disc(x + dx, top, 12, 12, { fill: "paper", bold: true });
    plate.disc(x + dx, top, 9.4, 9.4, { fill: "paper" });
    for (let i = 0; i < 4; i += 1) {
      const a = (i * Math.PI) / 4 + dx;
      plate.fine([x + dx - 9 * Math.cos(a), top - 9 * Math.sin(a)], [x + dx + 9 * Math.cos(a), top + 9 * Math.sin(a)]);
    }
  }
  ground(plate, 186);
  // Spoil heaps.
  plate.layer();
  for (const [hx, w, h] of [
    [24, 34, 28],
    [54, 24, 16],
  ] as const) {
    const hill: Point[] = at`${hx - w} 200, ${hx - w * 0.4} ${200 - h * 0.7}, ${hx} ${200 - h},
      ${hx + w * 0.5} ${200 - h * 0.55}, ${hx + w} 200`;
    plate.area(hill, { fill: "wash", hatch: 55, gap: 2.3 });
  }
  cart(plate, 66, 206, 0.95);
}

/** Terraces cut into a cliff, a crane, and a block on its rope. */
export function quarry(plate: Plate): void {
  const { random } = plate;
  plate.cloud(random.between(34, 60), 58, 20).birds(random.between(60, 90), random.between(48, 60), 4);
  plate.sky(34, 140, 2.6, 3.4);
  plate.layer().hills(146, 40, 200, "paper", 4.5);
  let x = 206;
  let y = random.between(64, 72);
  const shelf: Point[] = [[206, y]];
  const faces: Point[][] = [];
  for (let i = 0; i < 5; i += 1) {
    const width = random.between(16, 26);
    const drop = random.between(18, 25);
    const left = x - width;
    faces.push(at`${left} ${y}, ${left + 4} ${y}, ${left + 1} ${y + drop}, ${left - 3} ${y + drop}`);
    shelf.push([left, y], [left - 3, y + drop]);
    // The wall of the step, cut in courses.
    faces.push(at`${left} ${y + 0.5}, ${x} ${y + 0.5}, ${x} ${y + drop}, ${left - 3} ${y + drop}`);
    x = left - 3;
    y += drop;
  }
  plate.layer();
  plate.area([...shelf, ...at`${x - 14} 190, 206 200`], { fill: "wash" });
  faces.forEach((face, i) => plate.tone(face, { hatch: i % 2 === 0 ? 84 : 90, gap: 2.4 + (i % 3) * 0.8 }));
  for (let i = 1; i < shelf.length - 1; i += 2) {
    const [sx, sy] = shelf[i] as Point;
    plate.line([sx, sy], [206, sy + random.between(-1, 1)]);
  }
  // A ladder between two shelves.
  plate.layer();
  const [lx, ly] = shelf[3] as Point;
  for (let i = 0; i < 6; i += 1) plate.line([lx + 20 - i, ly + 3 + i * 3.6], [lx + 25 - i, ly + 3 + i * 3.6]);
  plate.line([lx + 20, ly - 2], [lx + 14, ly + 24]).line([lx + 25, ly - 2], [lx + 19, ly + 24]);
  ground(plate, 186);
  // The crane.
  const cx = random.between(58, 70);
  plate.layer();
  plate.area(at`${cx - 3} 194, ${cx - 1.6} 84, ${cx + 1.6} 84, ${cx + 3} 194`, { fill: "tint", hatch: 90, gap: 1.8 });
  plate.area(at`${cx - 1} 150, ${cx + 52} 74, ${cx + 54.5} 76, ${cx + 2} 156`, { fill: "tint" });
  plate.bold([cx - 22, 194], [cx, 130]).bold([cx + 22, 196], [cx, 130]);
  plate.fine([cx, 85], [cx + 53, 75]).fine([cx, 88], [cx - 26, 190]);
  const rope = random.between(30, 50);
  plate.line([cx + 53, 75], [cx + 53, 75 + rope]);
  const by = 75 + rope;
  plate.line([cx + 53, by], [cx + 44, by + 8]).line([cx + 53, by], [cx + 62, by + 8]);
  plate.rectangle(cx + 42, by + 8, 22, 15, { fill: "paper", hatch: 90, gap: 3 });
  plate.layer();
  for (let i = 0; i < 3; i += 1) {
    const bx = 12 + i * 15 + random.between(-3, 3);
    plate.rectangle(bx, 198 - (i % 2) * 3, 17, 12, { fill: "wash", hatch: i === 1 ? 0 : 70, gap: 2.2 });
  }
  plate.layer();
  plate.stamp("dark", WALKER, random.between(96, 120), 204, 1.2);
}

/** A water wheel under a flume, and the stream that washes the gravel. */
export function sluice(plate: Plate): void {
  const { random } = plate;
  plate.clear(random.between(150, 176), 48, 12);
  plate.cloud(random.between(30, 60), 52, 18);
  plate.sky(30, 140, 2.5, 3.6);
  plate.mountains(
    162,
    at`${random.between(26, 44)} ${random.between(78, 90)},
      ${random.between(90, 108)} ${random.between(62, 72)},
      ${random.between(160, 178)} ${random.between(82, 94)}`,
  );
  ground(plate, 160);
  plate.layer();
  for (let i = 0; i < 5; i += 1) plate.pine(random.between(4, 46), random.between(166, 174), random.between(20, 34));
  // The flume on its trestles.
  const fy = random.between(106, 114);
  const wx = random.between(118, 130);
  plate.layer();
  for (let x = 10; x < wx - 14; x += 22) {
    plate.line([x, fy + 8], [x - 3, 196]).line([x + 4, fy + 8], [x + 7, 196]);
    plate.fine([x - 2, 170], [x + 6, 134]).fine([x + 6, 170], [x - 1, 134]);
  }
  plate.area(at`-4 ${fy - 3}, ${wx - 8} ${fy + 2}, ${wx - 8} ${fy + 10}, -4 ${fy + 6}`, {
    fill: "tint",
    hatch: 2,
    gap: 2,
  });
  // The wheel.
  const wy = fy + 46;
  const r = 34;
  plate.layer();
  plate.disc(wx, wy, r, r, { fill: "paper", bold: true });
  plate.disc(wx, wy, r - 6, r - 6, { fill: "wash" });
  for (let i = 0; i < 24; i += 1) {
    const a = (i * Math.PI) / 12;
    const [c, s] = [Math.cos(a), Math.sin(a)];
    plate.line([wx + (r - 6) * c, wy + (r - 6) * s], [wx + (r + 2) * c - 3 * s, wy + (r + 2) * s + 3 * c]);
    if (i % 3 === 0) plate.bold([wx, wy], [wx + (r - 6) * c, wy + (r - 6) * s]);
  }
  plate.disc(wx, wy, 4.5, 4.5, { fill: "dark" });
  // Water from the flume over the wheel.
  for (let i = 0; i < 5; i += 1) {
    plate.curve(
      at`${wx - 8} ${fy + 4 + i}, ${wx + 14 + i * 2} ${fy + 8 + i},
      ${wx + 30 + i * 1.5} ${fy + 26}, ${wx + 38 + i * 1.2} ${fy + 66}`,
      "hatch",
    );
  }
  // The hut.
  plate.layer();
  plate.rectangle(wx + 34, 128, 44, 60, { fill: "paper", hatch: 0, gap: 3.4 });
  plate.area(at`${wx + 28} 130, ${wx + 54} 98, ${wx + 86} 128, ${wx + 86} 134`, { fill: "tint", hatch: 52, gap: 2 });
  plate.rectangle(wx + 46, 150, 11, 14, { fill: "dark" });
  plate.layer().water(200, 232);
  ground(plate, 232, 8);
}

/** A stone bridge over a gorge, and mules that cross it. */
export function muleBridge(plate: Plate): void {
  const { random } = plate;
  plate.cloud(random.between(80, 130), random.between(44, 54), 22);
  plate.sky(32, 150, 2.5, 3.8);
  plate.mountains(
    190,
    at`${random.between(10, 34)} ${random.between(66, 76)},
      ${random.between(152, 184)} ${random.between(56, 68)},
      ${random.between(84, 110)} ${random.between(88, 98)}`,
  );
  const deck = random.between(140, 148);
  plate.layer();
  plate.area(at`-4 ${deck - 8}, 34 ${deck + 2}, 46 210, -4 230`, { fill: "wash", hatch: 70, gap: 2.6 });
  plate.area(at`204 ${deck - 12}, 164 ${deck + 2}, 150 214, 204 230`, { fill: "wash", hatch: 112, gap: 2.6 });
  plate.layer();
  for (const x of [6, 18, 186, 196]) plate.pine(x + random.between(-3, 3), deck - 4, random.between(18, 30));
  plate.water(200, HEIGHT);
  // The bridge, its arch and its courses of stone.
  plate.layer();
  const arch = ring(100, 206, 44, 46, 32, 0.5).slice(0, 17);
  const bridge: Point[] = [
    ...at`20 ${deck + 4}, 100 ${deck - 4}, 180 ${deck + 4}, 180 206`,
    ...[...arch].reverse(),
    [20, 206],
  ];
  plate.area(bridge, { fill: "paper", hatch: 0, gap: 4.4 });
  for (let i = 0; i < 17; i += 1) {
    const a = Math.PI + (i * Math.PI) / 16;
    const [c, s] = [Math.cos(a), Math.sin(a)];
    plate.line([100 + 44 * c, 206 + 46 * s], [100 + 50 * c, 206 + 52.5 * s]);
  }
  plate.add(
    "line",
    lines(hatch(at`20 ${deck + 8}, 180 ${deck + 8}, 180 206, 146 206, 100 156, 54 206, 20 206`, 90, 11)),
  );
  plate.rectangle(18, deck - 2, 164, 5, { fill: "wash" });
  plate.layer();
  const count = random.whole(3, 4);
  for (let i = 0; i < count; i += 1) {
    const x = 34 + i * (132 / count) + random.between(-3, 3);
    plate
      .stamp("dark", MULE, x, deck - 1, 0.72)
      .stamp("tint", PANNIERS, x, deck - 1, 0.72)
      .stamp("line", PANNIERS, x, deck - 1, 0.72);
  }
  plate.stamp("dark", WALKER, 36 + count * (132 / count) - 4, deck - 1, 0.95);
}

import { at, box, path, type Point, ring } from "../geometry";
import { ANVIL } from "./patterns";
import { HEIGHT, type Plate, WIDTH } from "./plate";

/** A plastered wall, darker towards the corners, and the boards of the floor. */
function room(plate: Plate, floor: number): void {
  plate.add("wash", path`M0 0H200V${floor}H0Z`);
  plate.tone(box(0, 0, WIDTH, floor), { hatch: 90, gap: (share) => 2.4 + 12 * Math.sin(Math.PI * share) });
  plate.layer().area(box(-2, floor, WIDTH + 4, HEIGHT - floor + 2), { fill: "paper" });
  for (let i = -5; i <= 5; i += 1) plate.line([100 + i * 22, floor], [100 + i * 54, HEIGHT]);
  for (const y of [floor + 12, floor + 32, floor + 60]) plate.fine([0, y], [WIDTH, y]);
}

/** An arched window and the light that falls through it. */
function archWindow(plate: Plate, x: number, top: number, width: number, height: number): void {
  const half = width / 2;
  const arch = ring(x, top + half, half, half, 24, 0.5).slice(0, 13);
  const outline: Point[] = [[x - half, top + height], ...arch, [x + half, top + height]];
  plate.layer();
  for (let i = 0; i < 5; i += 1) {
    plate.fine([x - half + i * 4, top + height], [x - half + 50 + i * 12, 262]);
  }
  plate.layer().area(
    outline.map(([px, py]) => [x + (px - x) * 1.14, py + (py < top + half ? -2.4 : 0)] as const),
    { fill: "tint", bold: true },
  );
  plate.layer().area(outline, { fill: "paper" });
  plate.bold([x, top], [x, top + height]);
  for (let y = top + half; y < top + height; y += 16) plate.line([x - half, y], [x + half, y]);
  plate
    .line([x - half * 0.5, top + 4], [x - half * 0.5, top + height])
    .line([x + half * 0.5, top + 4], [x + half * 0.5, top + height]);
  plate.layer().rectangle(x - half * 1.25, top + height, width * 1.25, 5, { fill: "tint" });
}

/** A large stone with its facets, as it lies under the loupe. */
function brilliantOn(plate: Plate, x: number, y: number, size: number): void {
  const top: Point[] = at`${x - size} ${y - size * 0.62}, ${x - size * 0.55} ${y - size},
      ${x + size * 0.55} ${y - size}, ${x + size} ${y - size * 0.62}`;
  plate.area([...top, [x, y]], { fill: "paper", bold: true });
  plate.line([x - size, y - size * 0.62], [x + size, y - size * 0.62]);
  plate.line([x - size * 0.4, y - size * 0.62], [x, y], [x + size * 0.4, y - size * 0.62]);
  plate.line(
    [x - size * 0.55, y - size],
    [x - size * 0.4, y - size * 0.62],
    [x, y - size],
    [x + size * 0.4, y - size * 0.62],
    [x + size * 0.55, y - size],
  );
  plate.tone(at`${x + size * 0.4} ${y - size * 0.62}, ${x + size} ${y - size * 0.62}, ${x} ${y}`, {
    hatch: 70,
    gap: 1.5,
  });
}

function shelf(plate: Plate, x: number, y: number, width: number): void {
  const { random } = plate;
  plate.layer().rectangle(x, y, width, 3.4, { fill: "tint" });
  for (let bx = x + 3; bx < x + width - 8;) {
    const w = random.between(6, 10);
    const h = random.between(10, 20);
    const kind = random.whole(0, 2);
    if (kind === 0) {
      const d = path`M${bx} ${y}V${y - h * 0.6}Q${bx} ${y - h * 0.75} ${bx + w * 0.35} ${y - h * 0.78}V${y - h}H${bx + w * 0.65}V${y - h * 0.78}Q${bx + w} ${y - h * 0.75} ${bx + w} ${y - h * 0.6}V${y}Z`;
      plate
        .add("paper", d)
        .add("line", d)
        .tone(box(bx + w * 0.5, y - h * 0.6, w * 0.5, h * 0.6), { hatch: 0, gap: 1.6 });
    } else if (kind === 1) {
      plate
        .rectangle(bx, y - h, w * 0.5, h, { fill: "tint", hatch: 90, gap: 1.6 })
        .rectangle(bx + w * 0.5, y - h * 0.9, w * 0.5, h * 0.9, { fill: "shade" });
    } else {
      plate.rectangle(bx, y - h * 0.6, w, h * 0.6, { fill: "paper" });
    }
    bx += w + random.between(1.5, 4);
  }
}

/** A cutter's bench: the wheel, its crank, and the stone that was cut on it. */
export function lapidary(plate: Plate): void {
  const { random } = plate;
  room(plate, 184);
  archWindow(plate, random.between(44, 54), random.between(48, 56), 50, 84);
  shelf(plate, 104, random.between(84, 90), 84);
  shelf(plate, 118, random.between(116, 120), 72);
  // The lamp with its globe of water, which gathers the light.
  const lamp = random.between(90, 100);
  plate.layer().line([lamp, 0], [lamp, 66]);
  plate.area(at`${lamp - 4} 66, ${lamp + 4} 66, ${lamp + 12} 80, ${lamp - 12} 80`, { fill: "shade" });
  plate.layer().disc(lamp, 85, 6, 6, { fill: "paper" });
  // The bench.
  plate.layer().area(at`8 156, 192 156, 198 166, 2 166`, { fill: "tint", hatch: 0, gap: 2.2, bold: true });
  plate
    .rectangle(14, 166, 10, 84, { fill: "tint", hatch: 90, gap: 2 })
    .rectangle(176, 166, 10, 84, { fill: "tint", hatch: 90, gap: 2 });
  plate.layer().area(at`24 166, 176 166, 170 180, 30 180`, { fill: "shade" });
  // The wheel on its spindle.
  const x = random.between(128, 142);
  plate.layer().rectangle(x - 3, 140, 6, 16, { fill: "shade" });
  plate.disc(x, 140, 36, 8, { fill: "tint", bold: true }).layer();
  plate.disc(x, 137, 36, 8, { fill: "paper", bold: true });
  for (const r of [28, 20, 12]) plate.disc(x, 137, r, r * 0.22, { fill: "paper" });
  plate.layer().disc(x, 136, 4, 1.8, { fill: "dark" });
  plate
    .bold([x + 36, 138], [x + 48, 138], [x + 48, 126])
    .layer()
    .disc(x + 48, 124, 3, 3, { fill: "tint" });
  plate.layer();
  brilliantOn(plate, random.between(64, 76), 155, random.between(19, 23));
  plate.layer().line([20, 155], [24, 142], [28, 155]).bold([30, 155], [46, 150]);
}

/** A smith's hearth, an anvil and the tools on the wall. */
export function forge(plate: Plate): void {
  const { random } = plate;
  room(plate, 190);
  const x = random.between(64, 76);
  // The hood and the flue.
  plate.layer().area(at`${x - 46} 116, ${x - 20} 66, ${x - 18} -4, ${x + 18} -4, ${x + 20} 66, ${x + 46} 116`, {
    fill: "tint",
    hatch: 0,
    gap: 3.6,
    bold: true,
  });
  plate.rectangle(x - 52, 114, 104, 9, { fill: "paper", hatch: 90, gap: 9 });
  plate.layer().rectangle(x - 48, 123, 96, 68, { fill: "wash", hatch: 0, gap: 8 });
  const arch = ring(x, 150, 30, 24, 24, 0.5).slice(0, 13);
  plate.layer().area([...arch, ...at`${x + 30} 178, ${x - 30} 178`], { fill: "dark", bold: true });
  // The fire.
  const flame = (fx: number, w: number, h: number) =>
    path`M${fx - w} 178C${fx - w * 1.3} ${178 - h * 0.5} ${fx - w * 0.1} ${178 - h * 0.5} ${fx} ${178 - h}C${fx + w * 0.5} ${178 - h * 0.6} ${fx + w * 1.4} ${178 - h * 0.4} ${fx + w} 178Z`;
  plate.layer();
  for (const [dx, w, h] of [
    [-14, 9, 24],
    [2, 12, 40],
    [17, 8, 22],
  ] as const)
    plate.add("tint", flame(x + dx, w, h * random.between(0.85, 1.1)));
  plate.layer();
  for (const [dx, w, h] of [
    [-13, 5, 14],
    [2, 6, 24],
    [16, 4, 12],
  ] as const)
    plate.add("paper", flame(x + dx, w, h));
  for (let i = 0; i < 9; i += 1) plate.disc(x - 22 + i * 5.6, 179, 4, 3, { fill: "shade" });
  // Tools on the wall.
  plate.layer().rectangle(128, 76, 62, 3.4, { fill: "tint" });
  for (let i = 0; i < 5; i += 1) {
    const tx = 134 + i * 12;
    const length = random.between(22, 34);
    plate.bold([tx, 79], [tx, 79 + length]);
    if (i % 2 === 0) plate.rectangle(tx - 4.5, 79 + length, 9, 6, { fill: "shade" });
    else plate.line([tx, 79 + length], [tx - 3, 87 + length]).line([tx, 79 + length], [tx + 3, 87 + length]);
  }
  // The anvil on its block.
  const ax = random.between(124, 134);
  plate.layer().area(at`${ax + 2} 178, ${ax + 40} 178, ${ax + 44} 220, ${ax - 2} 220`, {
    fill: "tint",
    hatch: 90,
    gap: 2.6,
    bold: true,
  });
  plate.line([ax, 186], [ax + 42, 186]);
  plate
    .layer()
    .stamp("shade", ANVIL, ax - 4, 178, 1.55)
    .stamp("bold", ANVIL, ax - 4, 178, 1.55);
  plate.fine([ax - 2, 156], [ax + 36, 156]).fine([ax - 1, 158.5], [ax + 34, 158.5]);
  plate
    .layer()
    .bold([ax + 6, 152], [ax + 40, 132])
    .area(at`${ax} 148, ${ax + 8} 143, ${ax + 14} 153, ${ax + 6} 158`, { fill: "dark" });
  // Sparks.
  plate.layer();
  for (let i = 0; i < 10; i += 1) {
    const a = random.between(-2.9, -0.3);
    const r = random.between(8, 22);
    plate.fine(
      [ax + 8 + r * Math.cos(a), 150 + r * Math.sin(a)],
      [ax + 8 + (r + 5) * Math.cos(a), 150 + (r + 5) * Math.sin(a)],
    );
  }
}

/** Scales that weigh stones against brass. */
export function balance(plate: Plate): void {
  const { random } = plate;
  room(plate, 250);
  const tilt = random.between(-7, 7);
  // A curtain at the side.
  plate.layer();
  const folds: Point[] = at`-4 0, 52 0, 46 40, 30 76, 14 108, 6 160, -4 160`;
  plate.area(folds, { fill: "tint", bold: true });
  for (let i = 0; i < 7; i += 1)
    plate.curve(at`${4 + i * 7} 0, ${2 + i * 6} 36, ${i * 3.4} 80, ${i * 1.4} 150`, i % 2 === 0 ? "line" : "hatch");
  shelf(plate, 128, random.between(70, 78), 70);
  plate.layer().area(at`-4 178, 204 178, 204 194, -4 194`, { fill: "tint", hatch: 0, gap: 2.4, bold: true });
  plate.area(at`-4 194, 204 194, 204 272, -4 272`, { fill: "wash", hatch: 90, gap: 5 });
  // The stand.
  const x = random.between(96, 106);
  plate.layer().area(at`${x - 26} 178, ${x - 22} 170, ${x + 22} 170, ${x + 26} 178`, { fill: "shade", bold: true });
  plate.area(at`${x - 12} 170, ${x - 4} 160, ${x + 4} 160, ${x + 12} 170`, { fill: "tint" });
  plate.area(at`${x - 2.6} 160, ${x - 1.6} 76, ${x + 1.6} 76, ${x + 2.6} 160`, {
    fill: "paper",
    hatch: 90,
    gap: 1.6,
    bold: true,
  });
  plate.disc(x, 120, 5, 5, { fill: "tint" }).layer();
  // The beam.
  const left: Point = [x - 52, 84 + tilt];
  const right: Point = [x + 52, 84 - tilt];
  plate.area(
    at`${left[0]} ${left[1] - 1}, ${x - 16} ${79 + tilt * 0.3}, ${x} 74,
      ${x + 16} ${79 - tilt * 0.3}, ${right[0]} ${right[1] - 1},
      ${right[0]} ${right[1] + 1}, ${x} 86, ${left[0]} ${left[1] + 1}`,
    { fill: "tint", bold: true },
  );
  plate
    .layer()
    .disc(x, 78, 4.6, 4.6, { fill: "paper", bold: true })
    .area(at`${x - 2} 72, ${x} 60, ${x + 2} 72`, { fill: "dark" });
  // The pans on their chains.
  for (const [px, py] of [left, right]) {
    const pan = py + 58;
    plate
      .layer()
      .fine([px, py], [px - 22, pan])
      .fine([px, py], [px + 22, pan])
      .fine([px, py], [px, pan]);
    const d = path`M${px - 25} ${pan}H${px + 25}Q${px + 16} ${pan + 13} ${px} ${pan + 13}T${px - 25} ${pan}Z`;
    plate.layer();
    if (px < x) {
      for (let i = 0; i < 5; i += 1) brilliantOn(plate, px - 14 + i * 7, pan + 1, random.between(5.5, 8));
    } else {
      for (const [dx, w, h] of [
        [-14, 8, 10],
        [-3, 10, 15],
        [10, 7, 8],
      ] as const)
        plate
          .rectangle(px + dx, pan - h, w, h, { fill: "shade" })
          .rectangle(px + dx + w * 0.3, pan - h - 3, w * 0.4, 3, { fill: "shade" });
    }
    plate
      .layer()
      .add("paper", d)
      .add("bold", d)
      .tone(at`${px} ${pan + 1}, ${px + 23} ${pan + 1}, ${px + 12} ${pan + 11}, ${px} ${pan + 12}`, {
        hatch: 10,
        gap: 1.6,
      });
  }
  // A candle.
  const cx = random.between(172, 182);
  plate
    .layer()
    .rectangle(cx - 4, 146, 8, 28, { fill: "paper", hatch: 90, gap: 2.4 })
    .area(at`${cx - 11} 178, ${cx - 8} 172, ${cx + 8} 172, ${cx + 11} 178`, { fill: "shade" });
  plate
    .add("paper", path`M${cx} 145C${cx - 5} 139 ${cx - 1} 135 ${cx} 128C${cx + 4} 135 ${cx + 5} 140 ${cx} 145Z`)
    .add("line", path`M${cx} 145C${cx - 5} 139 ${cx - 1} 135 ${cx} 128C${cx + 4} 135 ${cx + 5} 140 ${cx} 145Z`);
  for (let i = 0; i < 12; i += 1) {
    const a = (i * Math.PI) / 6;
    plate.fine([cx + 10 * Math.cos(a), 137 + 12 * Math.sin(a)], [cx + 16 * Math.cos(a), 137 + 18 * Math.sin(a)]);
  }
}

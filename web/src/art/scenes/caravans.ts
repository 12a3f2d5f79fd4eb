import { at, path, type Point } from "../geometry";
import { ground } from "./mines";
import { CAMEL, CAMEL_LOAD, MULE, WALKER } from "./patterns";
import { HEIGHT, type Plate, WIDTH } from "./plate";

function dune(plate: Plate, left: number, crest: Point, right: number, floor: number): void {
  const { random } = plate;
  const [cx, cy] = crest;
  plate.layer();
  const lit: Point[] = at`-4 ${left}, ${cx * 0.5} ${(left + cy) / 2 - random.between(2, 8)}, ${cx} ${cy}`;
  const lee: Point[] = at`${cx} ${cy}, ${cx + 12} ${cy + 20}, ${cx + 2} ${cy + 46}, ${cx + 30} ${floor + 10}`;
  plate.area([[-4, left], ...lit, ...at`${WIDTH + 4} ${right}, ${WIDTH + 4} ${floor + 60}, -4 ${floor + 60}`], {
    fill: "paper",
    outline: false,
  });
  plate.curve(lit).curve(at`${cx} ${cy}, ${(cx + WIDTH) / 2} ${(cy + right) / 2 + 4}, ${WIDTH + 4} ${right}`);
  plate.curve(lee);
  plate.tone(
    [...lee, ...at`${WIDTH + 4} ${floor + 10}, ${WIDTH + 4} ${right}, ${(cx + WIDTH) / 2} ${(cy + right) / 2 + 4}`],
    {
      hatch: 28,
      gap: 2.3,
    },
  );
  // Ripples on the side of the wind.
  for (let i = 0; i < 9; i += 1) {
    const x = random.between(0, Math.max(12, cx - 20));
    const y = left + 10 + i * ((floor + 30 - left) / 9);
    plate.curve(at`${x} ${y}, ${x + 9} ${y - 2.4}, ${x + 18} ${y - 1}, ${x + 28} ${y - 3}`, "hatch");
  }
}

/** Camels along the crest of a dune. */
export function camels(plate: Plate): void {
  const { random } = plate;
  const sun = random.between(110, 150);
  const height = random.between(72, 92);
  plate.clear(sun, height, 25);
  plate.sky(26, 160, 2.6, 2.2);
  plate.layer().disc(sun, height, 22, 22, { fill: "tint", outline: false }).disc(sun, height, 22, 22, { fill: "tint" });
  plate.layer().hills(158, 26, 200, "wash", 3.4);
  const crest = random.between(148, 156);
  plate.layer();
  const line: Point[] = at`-4 ${crest + 16}, 40 ${crest + 3}, 100 ${crest}, 160 ${crest + 4}, 204 ${crest + 14}`;
  plate.area([...line, ...at`204 220, -4 220`], { fill: "paper", outline: false });
  plate.curve(line);
  const count = random.whole(3, 5);
  const pitch = 172 / count;
  const size = Math.min(1.25, pitch / 42);
  plate.layer();
  for (let i = 0; i < count; i += 1) {
    const x = 12 + i * pitch;
    const t = (x + 20) / WIDTH;
    const y = crest + 2 + 18 * (t - 0.5) ** 2 * 2;
    plate.stamp("dark", CAMEL, x, y, size).stamp("tint", CAMEL_LOAD, x, y, size).stamp("line", CAMEL_LOAD, x, y, size);
    if (i > 0) {
      const from: Point = [x - pitch + 37 * size, y - 28 * size];
      plate.add(
        "line",
        path`M${from[0]} ${from[1] + 1}Q${(from[0] + x) / 2} ${y - 18 * size} ${x + 4 * size} ${y - 19 * size}`,
      );
    }
  }
  plate.stamp("dark", WALKER, 12 + count * pitch - 4, crest + 8, size * 0.95);
  dune(plate, 196, [random.between(70, 120), random.between(178, 186)], 204, 220);
  dune(plate, 240, [random.between(120, 160), 222], 246, 262);
}

/** A covered wagon on a road through fields. */
export function wagon(plate: Plate): void {
  const { random } = plate;
  plate
    .cloud(random.between(40, 70), random.between(50, 62), 20)
    .cloud(random.between(120, 150), random.between(44, 56), 16);
  plate.birds(100, 66, 3).sky(28, 140, 2.8, 3.6);
  plate.layer().hills(140, 36, 190, "paper", 4);
  plate.layer().hills(160, 20, 200, "wash", 3.2);
  plate.layer();
  for (let i = 0; i < random.whole(3, 5); i += 1)
    plate.tree(random.between(6, 194), random.between(164, 172), random.between(16, 28));
  ground(plate, 178, 10);
  const x = random.between(28, 40);
  const y = 206;
  plate.layer();
  // The hood on its hoops.
  const hood: Point[] = at`${x - 4} ${y - 30}, ${x + 2} ${y - 62}, ${x + 22} ${y - 72}, ${x + 58} ${y - 72},
      ${x + 78} ${y - 64}, ${x + 86} ${y - 30}`;
  plate.area(hood, { fill: "paper", bold: true });
  for (const t of [0.2, 0.42, 0.64, 0.84]) {
    const hx = x + 90 * t - 2;
    plate.curve(at`${hx - 3} ${y - 30}, ${hx - 1 + t} ${y - 52}, ${hx + 1} ${y - 71}`, "hatch");
    plate.tone(at`${hx} ${y - 30}, ${hx + 8} ${y - 30}, ${hx + 9} ${y - 70}, ${hx + 2} ${y - 71}`, {
      hatch: 84,
      gap: 1.7,
    });
  }
  plate.layer();
  plate.area(at`${x - 6} ${y - 30}, ${x + 90} ${y - 30}, ${x + 84} ${y - 14}, ${x} ${y - 14}`, {
    fill: "tint",
    hatch: 0,
    gap: 2.6,
  });
  plate.bold([x + 84, y - 18], [x + 132, y - 20]);
  plate.layer();
  for (const [wx, r] of [
    [x + 14, 15],
    [x + 72, 13],
  ] as const) {
    const wy = y - r + 8;
    plate.disc(wx, wy, r, r, { fill: "paper", bold: true }).disc(wx, wy, r - 2.6, r - 2.6, { fill: "paper" });
    for (let i = 0; i < 6; i += 1) {
      const a = (i * Math.PI) / 6 + x;
      plate.line(
        [wx - (r - 2.6) * Math.cos(a), wy - (r - 2.6) * Math.sin(a)],
        [wx + (r - 2.6) * Math.cos(a), wy + (r - 2.6) * Math.sin(a)],
      );
    }
    plate.disc(wx, wy, 2.6, 2.6, { fill: "dark" });
  }
  plate.layer();
  plate
    .stamp("dark", MULE, x + 104, y + 6, 1.35)
    .stamp("shade", MULE, x + 98, y + 10, 1.35)
    .stamp("line", MULE, x + 98, y + 10, 1.35);
}

/** Tents round a fire, at night. */
export function camp(plate: Plate): void {
  const { random } = plate;
  const moon = random.between(40, 70);
  const my = random.between(54, 66);
  plate.add("wash", "M0 0H200V170H0Z");
  plate.clear(moon, my, 17);
  let stars = "";
  for (let i = 0; i < 18; i += 1) {
    const [x, y] = [random.between(6, 194), random.between(14, 120)];
    if (Math.hypot(x - moon, y - my) < 22) continue;
    plate.clear(x, y, 3.4);
    const r = random.between(1.1, 2.4);
    stars += path`M${x - r} ${y}H${x + r}M${x} ${y - r}V${y + r}`;
  }
  plate.add("line", stars).sky(4, 168, 1.9, 2.6);
  plate.layer();
  plate.disc(moon, my, 14, 14, { fill: "paper" });
  plate.add("wash", path`M${moon} ${my - 14}A14 14 0 0 1 ${moon} ${my + 14}A20 20 0 0 0 ${moon} ${my - 14}Z`);
  plate.mountains(
    176,
    at`${random.between(24, 44)} ${random.between(98, 110)},
      ${random.between(120, 140)} ${random.between(84, 96)},
      ${random.between(178, 194)} ${random.between(100, 112)}`,
    "tint",
  );
  ground(plate, 172, 8);
  const tent = (x: number, y: number, w: number, h: number) => {
    plate.layer();
    plate.area(
      at`${x} ${y - h}, ${x + w * 0.62} ${y - 4}, ${x + w * 0.2} ${y + 4},
      ${x - w * 0.5} ${y}`,
      { fill: "paper", bold: true },
    );
    plate.tone(at`${x} ${y - h}, ${x + w * 0.62} ${y - 4}, ${x + w * 0.2} ${y + 4}`, { hatch: 62, gap: 1.8 });
    plate.area(at`${x - w * 0.04} ${y - h * 0.8}, ${x - w * 0.02} ${y + 2}, ${x - w * 0.2} ${y + 1}`, { fill: "dark" });
    plate
      .line([x, y - h], [x + w * 0.02, y - h - 6])
      .line([x + w * 0.02, y - h - 6], [x + w * 0.16, y - h - 3.5], [x + w * 0.02, y - h - 1.5]);
    plate.fine([x + w * 0.62, y - 4], [x + w * 0.78, y + 1]).fine([x - w * 0.5, y], [x - w * 0.64, y + 4]);
  };
  tent(random.between(36, 48), 196, 56, 50);
  tent(random.between(148, 158), 194, 48, 42);
  tent(random.between(92, 102), 190, 36, 30);
  const fx = random.between(100, 116);
  plate.layer();
  for (let i = 0; i < 11; i += 1) {
    const a = Math.PI + (i * Math.PI) / 10;
    plate.fine([fx + 12 * Math.cos(a), 212 + 10 * Math.sin(a)], [fx + 24 * Math.cos(a), 212 + 20 * Math.sin(a)]);
  }
  plate.bold([fx - 9, 216], [fx + 8, 212]).bold([fx - 8, 212], [fx + 9, 216]);
  plate.add(
    "paper",
    path`M${fx - 6} 213C${fx - 9} 204 ${fx - 2} 203 ${fx - 1} 194C${fx + 5} 199 ${fx + 9} 206 ${fx + 5} 213Z`,
  );
  plate.add(
    "line",
    path`M${fx - 6} 213C${fx - 9} 204 ${fx - 2} 203 ${fx - 1} 194C${fx + 5} 199 ${fx + 9} 206 ${fx + 5} 213Z`,
  );
  plate.layer();
  plate
    .stamp("dark", CAMEL, 22, 236, 1)
    .stamp("dark", WALKER, fx + 26, 220, 1.1)
    .stamp("dark", WALKER, fx - 20, 221, -1.1);
  plate.add("hatch", `M0 ${HEIGHT - 20}H200`);
}

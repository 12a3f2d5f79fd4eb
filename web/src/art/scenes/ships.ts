import { at, path, type Point } from "../geometry";
import { ground } from "./mines";
import { HEIGHT, type Plate } from "./plate";

/** A square sail that the wind fills; its corners are given by the yard above and the yard below. */
function sail(plate: Plate, x: number, top: number, bottom: number, half: number, belly: number): void {
  const low = half * 1.12;
  const d = path`M${x - half} ${top}L${x + half} ${top}Q${x + low + belly} ${(top + bottom) / 2} ${x + low} ${bottom}Q${x} ${bottom - (bottom - top) * 0.2} ${x - low} ${bottom}Q${x - half + belly} ${(top + bottom) / 2} ${x - half} ${top}Z`;
  plate.add("paper", d).add("line", d);
  const shade: Point[] = at`${x + half * 0.2} ${top + 1}, ${x + half} ${top + 1},
      ${x + low + belly * 0.55} ${(top + bottom) / 2}, ${x + low - 1} ${bottom - 1},
      ${x + half * 0.3} ${bottom - (bottom - top) * 0.1}`;
  plate.tone(shade, { hatch: 80, gap: 1.9 });
  plate.bold([x - half - 2, top], [x + half + 2, top]);
}

function pennant(plate: Plate, x: number, y: number, length: number): void {
  plate.add(
    "dark",
    path`M${x} ${y}q${length * 0.4} -3 ${length * 0.6} 0t${length * 0.5} 0q${-length * 0.5} 3 ${-length * 0.6} 3t${-length * 0.5} 1Z`,
  );
}

/** A three-master under sail. */
export function galleon(plate: Plate): void {
  const { random } = plate;
  plate
    .cloud(random.between(20, 46), random.between(60, 74), 20)
    .cloud(random.between(160, 186), random.between(76, 92), 16);
  plate.sky(24, 172, 2.8, 3);
  plate.birds(random.between(30, 50), random.between(92, 104), 4);
  plate.layer().hills(174, 12, 184, "wash", 3);
  plate.layer().water(174, HEIGHT, 1.1);
  const x = random.between(92, 104);
  const y = 196;
  const mast = (mx: number, top: number) => {
    plate
      .layer()
      .bold([mx, y - 22], [mx, top])
      .line([mx + 1.4, y - 22], [mx + 1.2, top]);
    pennant(plate, mx, top, random.between(12, 18));
  };
  // Stays and shrouds, behind the sails.
  plate.layer();
  plate
    .fine([x + 62, y - 36], [x + 32, 82])
    .fine([x + 62, y - 36], [x, 62])
    .fine([x - 50, y - 34], [x - 36, 84]);
  for (const mx of [x - 34, x, x + 32]) for (let i = -3; i <= 3; i += 1) plate.fine([mx + i * 4, y - 18], [mx, 110]);
  mast(x - 34, random.between(76, 84));
  mast(x, random.between(48, 56));
  mast(x + 32, random.between(72, 80));
  const belly = random.between(5, 8);
  plate.layer();
  sail(plate, x - 34, 94, 122, 11, belly);
  sail(plate, x, 66, 92, 13, belly);
  sail(plate, x + 32, 88, 112, 12, belly);
  plate.layer();
  sail(plate, x - 34, 126, 160, 14, belly);
  sail(plate, x, 97, 130, 18, belly);
  sail(plate, x + 32, 117, 156, 16, belly);
  plate.layer();
  sail(plate, x, 135, 168, 20, belly);
  // The jib and the bowsprit.
  plate.area(at`${x + 66} ${y - 40}, ${x + 38} ${y - 78}, ${x + 44} ${y - 30}`, { fill: "paper", hatch: 60, gap: 2 });
  plate.bold([x + 44, y - 24], [x + 72, y - 42]);
  const hull: Point[] = at`${x - 62} ${y - 44}, ${x - 46} ${y - 42}, ${x - 44} ${y - 30}, ${x - 4} ${y - 24},
      ${x + 34} ${y - 26}, ${x + 40} ${y - 34}, ${x + 56} ${y - 34}, ${x + 48} ${y - 12},
      ${x + 36} ${y + 6}, ${x - 46} ${y + 6}, ${x - 56} ${y - 14}`;
  plate.layer().area(hull, { fill: "tint", bold: true });
  plate.tone(
    at`${x - 58} ${y - 16}, ${x - 4} ${y - 9}, ${x + 48} ${y - 13}, ${x + 36} ${y + 6},
      ${x - 46} ${y + 6}`,
    { hatch: 2, gap: 1.7 },
  );
  plate.line([x - 60, y - 30], [x - 30, y - 20], [x + 20, y - 18], [x + 54, y - 26]);
  plate.line([x - 58, y - 22], [x - 28, y - 13], [x + 20, y - 11], [x + 51, y - 18]);
  plate.layer();
  for (let i = 0; i < 6; i += 1)
    plate.rectangle(x - 38 + i * 14, y - 16.5 + Math.abs(i - 3) * -0.4, 4.4, 3.8, { fill: "dark" });
  for (let i = 0; i < 3; i += 1) plate.rectangle(x - 57 + i * 4.4, y - 39, 3, 5, { fill: "dark" });
  // The sea before the hull.
  plate.layer();
  let foam = "M-4 208";
  for (let i = 0; i < 11; i += 1) foam += path`q5 ${random.between(-9, -5)} 10 ${random.between(-1, 1)}t10 0`;
  plate.add("wash", `${foam}V270H-4Z`).add("line", foam);
  plate.add(
    "hatch",
    Array.from({ length: 26 }, () => path`M${random.between(0, 190)} ${random.between(212, 268)}q6 -2.6 12 0`).join(""),
  );
}

/** A lighthouse on its rock, and boats that come home. */
export function lighthouse(plate: Plate): void {
  const { random } = plate;
  const x = random.between(126, 142);
  const top = random.between(58, 66);
  plate.clear(x, top, 12);
  plate.cloud(random.between(30, 56), random.between(60, 74), 22).sky(22, 168, 2.5, 3.4);
  plate.birds(60, 100, 4);
  plate.layer().water(168, HEIGHT, 0.9);
  // Beams of light.
  plate.layer();
  for (const [dx, dy] of at`-120 -26, -120 14, 74 -20, 74 16`) {
    plate.fine([x, top], [x + dx, top + dy]).fine([x, top + 1], [x + dx, top + dy * 0.8]);
  }
  plate.layer();
  const rock: Point[] = at`${x - 52} 198, ${x - 40} 178, ${x - 26} 170, ${x - 12} 160, ${x + 16} 158,
      ${x + 34} 166, ${x + 50} 176, ${x + 84} 196`;
  plate.area(rock, { fill: "wash", hatch: 66, gap: 2.3 });
  plate
    .line([x - 30, 174], [x - 36, 190])
    .line([x + 20, 164], [x + 14, 190])
    .line([x + 44, 176], [x + 40, 192]);
  plate.layer();
  plate.rectangle(x + 14, 142, 30, 20, { fill: "paper", hatch: 0, gap: 3 });
  plate.area(at`${x + 11} 143, ${x + 20} 130, ${x + 40} 130, ${x + 48} 143`, { fill: "tint", hatch: 60, gap: 2 });
  const tower: Point[] = at`${x - 13} 162, ${x - 8} ${top + 12}, ${x + 8} ${top + 12}, ${x + 13} 162`;
  plate.layer().area(tower, { fill: "paper", bold: true });
  const bands = random.whole(2, 3);
  for (let i = 0; i < bands; i += 1) {
    const a = top + 26 + (i * (132 - top)) / bands;
    const b = a + 12;
    const w = (y: number) => 8 + (5 * (y - top - 12)) / (150 - top);
    plate.area(at`${x - w(a)} ${a}, ${x + w(a)} ${a}, ${x + w(b)} ${b}, ${x - w(b)} ${b}`, { fill: "shade" });
  }
  plate.tone(at`${x + 2} ${top + 12}, ${x + 8} ${top + 12}, ${x + 13} 162, ${x + 3} 162`, { hatch: 0, gap: 1.8 });
  plate.layer();
  plate.rectangle(x - 11, top + 8, 22, 4, { fill: "tint" }).rectangle(x - 6, top - 6, 12, 14, { fill: "paper" });
  plate.area(at`${x - 8} ${top - 6}, ${x} ${top - 17}, ${x + 8} ${top - 6}`, { fill: "dark" });
  plate
    .line([x - 2, top - 6], [x - 2, top + 8])
    .line([x + 2, top - 6], [x + 2, top + 8])
    .line([x, top - 17], [x, top - 22]);
  for (const [bx, by, s] of [
    [random.between(24, 36), 192, 1.1],
    [random.between(66, 78), 180, 0.7],
  ] as const) {
    plate.layer();
    plate.area(
      at`${bx - 16 * s} ${by - 4 * s}, ${bx + 18 * s} ${by - 5 * s},
      ${bx + 11 * s} ${by + 4 * s}, ${bx - 11 * s} ${by + 4 * s}`,
      { fill: "shade", bold: true },
    );
    plate.bold([bx, by - 4 * s], [bx, by - 48 * s]);
    plate.area(at`${bx - 1} ${by - 46 * s}, ${bx - 1} ${by - 8 * s}, ${bx - 19 * s} ${by - 9 * s}`, {
      fill: "paper",
      hatch: 70,
      gap: 2,
    });
    plate.area(at`${bx + 1.5} ${by - 44 * s}, ${bx + 1.5} ${by - 9 * s}, ${bx + 16 * s} ${by - 10 * s}`, {
      fill: "paper",
    });
  }
  plate.layer();
  let surf = "M-4 206";
  for (let i = 0; i < 14; i += 1) surf += path`q4 ${random.between(-6, -3)} 8 0t8 0`;
  plate.add("wash", `${surf}V270H-4Z`).add("line", surf);
  plate.add(
    "hatch",
    Array.from({ length: 22 }, () => path`M${random.between(0, 190)} ${random.between(212, 268)}q6 -2 12 0`).join(""),
  );
}

/** Dhows with slanting sails before a city of the south. */
export function dhows(plate: Plate): void {
  const { random } = plate;
  const sun = random.between(40, 70);
  plate.clear(sun, 82, 20);
  for (let i = 0; i < 28; i += 1) {
    const a = (i * Math.PI) / 14;
    plate.fine(
      [sun + 22 * Math.cos(a), 82 + 22 * Math.sin(a)],
      [sun + (i % 2 === 0 ? 46 : 36) * Math.cos(a), 82 + (i % 2 === 0 ? 46 : 36) * Math.sin(a)],
    );
  }
  plate.sky(24, 160, 4.6, 3.2);
  plate.layer().disc(sun, 82, 17, 17, { fill: "tint" });
  // The town at the shore.
  plate.layer();
  for (let x = 92; x < 204;) {
    const w = random.between(9, 17);
    const h = random.between(10, 26);
    plate.rectangle(x, 162 - h, w, h, { fill: "paper", hatch: 90, gap: random.pick([2.4, 3.4, 5]) });
    if (random.chance(0.4))
      plate
        .add("tint", path`M${x + 1} ${162 - h}a${w / 2 - 1} ${w / 2 - 1} 0 0 1 ${w - 2} 0Z`)
        .add("line", path`M${x + 1} ${162 - h}a${w / 2 - 1} ${w / 2 - 1} 0 0 1 ${w - 2} 0`);
    x += w;
  }
  const tower = random.between(150, 170);
  plate
    .layer()
    .rectangle(tower, 108, 6, 54, { fill: "paper", hatch: 90, gap: 1.7 })
    .rectangle(tower - 2, 120, 10, 3, { fill: "tint" });
  plate.area(at`${tower} 108, ${tower + 3} 96, ${tower + 6} 108`, { fill: "dark" });
  plate.layer().water(162, HEIGHT);
  const dhow = (x: number, y: number, s: number) => {
    plate.layer();
    plate.bold([x - 2 * s, y - 6 * s], [x + 4 * s, y - 62 * s]);
    plate.area(
      at`${x - 30 * s} ${y - 18 * s}, ${x + 24 * s} ${y - 96 * s},
      ${x + 30 * s} ${y - 88 * s}, ${x + 30 * s} ${y - 16 * s}`,
      { fill: "paper", outline: false },
    );
    const d = path`M${x - 30 * s} ${y - 18 * s}L${x + 24 * s} ${y - 96 * s}Q${x + 42 * s} ${y - 48 * s} ${x + 30 * s} ${y - 14 * s}Q${x} ${y - 24 * s} ${x - 30 * s} ${y - 18 * s}Z`;
    plate.add("paper", d).add("line", d);
    plate.tone(
      at`${x + 4 * s} ${y - 20 * s}, ${x + 24 * s} ${y - 88 * s},
      ${x + 34 * s} ${y - 48 * s}, ${x + 29 * s} ${y - 17 * s}`,
      { hatch: 74, gap: 2 },
    );
    plate.bold([x - 32 * s, y - 15 * s], [x + 26 * s, y - 99 * s]);
    plate.layer();
    const hull = path`M${x - 40 * s} ${y - 12 * s}L${x - 28 * s} ${y - 10 * s}Q${x} ${y - 4 * s} ${x + 34 * s} ${y - 12 * s}L${x + 42 * s} ${y - 16 * s}Q${x + 34 * s} ${y + 4 * s} ${x + 20 * s} ${y + 5 * s}L${x - 24 * s} ${y + 5 * s}Z`;
    plate.add("shade", hull).add("bold", hull);
    plate.fine([x - 32 * s, y - 5 * s], [x, y - 0.5 * s], [x + 33 * s, y - 6 * s]);
    // Its image in the water.
    for (let i = 0; i < 7; i += 1)
      plate.fine([x - 26 * s + i * 3 * s, y + (8 + i * 3) * s], [x + 24 * s - i * 3 * s, y + (8 + i * 3) * s]);
  };
  dhow(random.between(138, 148), 182, 0.52);
  dhow(random.between(78, 92), 204, 0.98);
  if (random.chance(0.6)) dhow(random.between(24, 32), 184, 0.42);
}

/** A quay with a treadwheel crane, bales and barrels. */
export function quay(plate: Plate): void {
  const { random } = plate;
  plate.cloud(random.between(120, 160), 62, 20).sky(26, 160, 2.6, 3.4);
  plate.layer();
  // Masts of ships that lie behind one another.
  for (let i = 0; i < 5; i += 1) {
    const x = 14 + i * 17 + random.between(-4, 4);
    const top = random.between(58, 92);
    plate
      .line([x, 176], [x, top])
      .line([x - 9, top + 16], [x + 9, top + 16])
      .line([x - 12, top + 36], [x + 12, top + 36]);
    plate.fine([x, top], [x - 16, 172]).fine([x, top], [x + 16, 172]);
    plate
      .add("paper", path`M${x - 9} ${top + 17}q4 4 9 1q5 3 9 -1Z`)
      .add("line", path`M${x - 9} ${top + 17}q4 4 9 1q5 3 9 -1`);
  }
  plate.layer().water(168, 214);
  plate.layer();
  plate.area(at`-4 176, 92 170, 104 160, 96 196, -4 198`, { fill: "tint", hatch: 3, gap: 2.2, bold: true });
  // The warehouse with its stepped gable.
  const wx = random.between(120, 130);
  plate.layer();
  const gable: Point[] = [];
  for (let i = 0; i < 4; i += 1) gable.push([wx + i * 9, 118 - i * 14], [wx + (i + 1) * 9, 118 - i * 14]);
  const mirror = [...gable].reverse().map(([px, py]) => [2 * (wx + 38) - px, py] as const);
  plate.area([[wx, 206], ...gable, ...mirror, [wx + 76, 206]], { fill: "paper", hatch: 0, gap: 4.2 });
  plate.layer();
  for (let row = 0; row < 4; row += 1)
    for (let col = 0; col < 3; col += 1) {
      if (row === 0 && col !== 1) continue;
      plate.rectangle(wx + 14 + col * 19, 92 + row * 25, 10, 14, {
        fill: row === 3 && col === 1 ? "dark" : "shade",
        hatch: 45,
        gap: 1.8,
      });
    }
  plate.bold([wx + 38, 80], [wx + 20, 78]).line([wx + 20, 78], [wx + 20, 122]);
  plate.rectangle(wx + 14, 122, 12, 10, { fill: "tint", hatch: 90, gap: 2 });
  ground(plate, 208, 4);
  plate.layer();
  for (let i = 0; i < 3; i += 1) {
    const bx = 86 + i * 13 + random.between(-1, 1);
    const d = path`M${bx} 206q-2.5 9 0 18h11q2.5 -9 0 -18Z`;
    plate.add("tint", d).add("line", d);
    plate.line([bx - 1, 211], [bx + 12, 211]).line([bx - 1, 219], [bx + 12, 219]);
  }
  plate
    .layer()
    .rectangle(44, 206, 24, 18, { fill: "paper", hatch: 45, gap: 2.6 })
    .line([44, 206], [68, 224])
    .line([68, 206], [44, 224]);
  plate.rectangle(22, 212, 20, 14, { fill: "wash", hatch: 135, gap: 2.6 });
}

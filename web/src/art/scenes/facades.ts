import { at, box, path, ring, type Point } from "../geometry";
import { GONDOLIER, WALKER } from "./patterns";
import { HEIGHT, type Plate, WIDTH } from "./plate";

/** An opening with a round or a pointed head. */
function opening(plate: Plate, x: number, top: number, width: number, height: number, pointed = false): void {
  const h = width / 2;
  const head = pointed
    ? path`Q${x} ${top + h * 0.9} ${x + h} ${top}Q${x + width} ${top + h * 0.9} ${x + width} ${top + h * 1.7}`
    : path`A${h} ${h} 0 0 1 ${x + width} ${top + h}`;
  const d = path`M${x} ${top + height}V${top + (pointed ? h * 1.7 : h)}${head}V${top + height}Z`;
  plate.add("dark", d).add("line", d);
}

/** Level dashes that mirror what stands above the water. */
function reflection(plate: Plate, left: number, right: number, top: number, bottom: number): void {
  const { random } = plate;
  for (let y = top + 2; y < bottom; y += 2.3) {
    const fade = (y - top) / (bottom - top);
    const a = left + random.between(0, 8) + fade * 10;
    const b = right - random.between(0, 8) - fade * 10;
    if (b > a) plate.fine([a, y], [b, y]);
  }
}

function gondola(plate: Plate, x: number, y: number, scale: number): void {
  const d = path`M${x - 32 * scale} ${y - 9 * scale}Q${x - 24 * scale} ${y + 3 * scale} ${x} ${y + 3 * scale}T${x + 34 * scale} ${y - 12 * scale}L${x + 30 * scale} ${y - 13 * scale}Q${x + 22 * scale} ${y - 3 * scale} ${x} ${y - 2 * scale}T${x - 32 * scale} ${y - 9 * scale}Z`;
  plate.layer().add("dark", d);
  plate.stamp("dark", GONDOLIER, x - 18 * scale, y - 3 * scale, scale * 1.15);
}

/** A palace on a canal. */
export function palazzo(plate: Plate): void {
  const { random } = plate;
  plate.cloud(random.between(20, 50), 48, 18).sky(22, 120, 3.4, 3);
  const left = random.between(30, 38);
  const right = 204;
  const width = right - left;
  // The neighbour.
  plate.layer().rectangle(-4, 104, left + 4, 92, { fill: "wash", hatch: 0, gap: 3.2 });
  plate.area(at`-4 104, -4 92, ${left} 98, ${left} 104`, { fill: "tint", hatch: 50, gap: 2 });
  for (const y of [116, 142]) opening(plate, left - 20, y, 8, 15);
  // The walls, floor by floor.
  const floors = [74, 106, 146];
  plate.layer().rectangle(left, 62, width, 136, { fill: "paper", bold: true });
  plate.tone(box(right - 34, 66, 34, 130), { hatch: 0, gap: 2.6 });
  for (const y of [72, 102, 142]) plate.rectangle(left - 2, y - 2, width + 2, 4, { fill: "tint" });
  // The crest of the roof.
  plate.layer();
  const teeth = Math.floor(width / 8);
  for (let i = 0; i < teeth; i += 1) {
    const x = left + 2 + i * 8;
    plate.area(at`${x} 62, ${x} 55, ${x + 2.6} 48, ${x + 5.2} 55, ${x + 5.2} 62`, { fill: "paper" });
  }
  const pointed = random.chance(0.7);
  const bays = random.whole(6, 8);
  const bay = (width - 14) / bays;
  floors.forEach((y, floor) => {
    plate.layer();
    for (let i = 0; i < bays; i += 1) {
      const x = left + 8 + i * bay;
      if (floor === 2) {
        if (i % 2 === 0) opening(plate, x, y + 8, bay * 1.3, 44, false);
      } else opening(plate, x + bay * 0.14, y + 3, bay * 0.72, floor === 0 ? 22 : 30, pointed);
    }
  });
  plate.layer();
  for (let i = 0; i <= bays; i += 1) plate.line([left + 7 + i * bay, 106], [left + 7 + i * bay, 138]);
  // Round lights between the arches, as in the palaces of the doges.
  for (let i = 0; i < bays - 1; i += 1)
    plate.disc(left + 8 + (i + 1) * bay - bay * 0.02, 105.5, 2.2, 2.2, { fill: "dark" });
  plate.layer().water(198, HEIGHT);
  plate.layer();
  reflection(plate, left, right, 198, 234);
  for (let i = 0; i < 3; i += 1) {
    const x = 14 + i * 15 + random.between(-2, 2);
    plate.area(at`${x - 2} 216, ${x - 1.6} ${158 + i * 6}, ${x + 1.6} ${158 + i * 6}, ${x + 2} 216`, { fill: "paper" });
    for (let y = 164 + i * 6; y < 214; y += 9) plate.bold([x - 1.8, y + 3], [x + 1.8, y]);
    plate.disc(x, 156 + i * 6, 2.8, 2.8, { fill: "shade" });
  }
  gondola(plate, random.between(112, 140), 214, random.between(0.95, 1.15));
}

/** The west front of a cathedral. */
export function cathedral(plate: Plate): void {
  const { random } = plate;
  plate.birds(random.between(30, 60), 62, 5).cloud(random.between(150, 180), 66, 16).sky(24, 180, 3, 3.4);
  const towers = random.between(60, 74);
  const low = 196;
  // Houses at its feet.
  plate.layer();
  for (const [x, w, h] of [
    [-4, 30, 40],
    [26, 22, 30],
    [152, 24, 34],
    [176, 30, 44],
  ] as const) {
    plate.rectangle(x, low - h, w, h, { fill: "wash", hatch: 90, gap: 3 });
    plate.area(at`${x - 2} ${low - h}, ${x + w / 2} ${low - h - 13}, ${x + w + 2} ${low - h}`, {
      fill: "tint",
      hatch: 55,
      gap: 2,
    });
  }
  // The two towers, their buttresses, spires and windows.
  plate.layer();
  for (const x of [64, 136]) {
    plate.rectangle(x - 14, towers, 28, low - towers, { fill: "paper", bold: true });
    plate.tone(box(x + 3, towers, 11, low - towers), { hatch: 0, gap: 2 });
    for (const side of [-1, 1]) {
      const buttress = at`${x + side * 17} ${low}, ${x + side * 15} ${towers + 10}, ${x + side * 11} ${towers + 4},
        ${x + side * 11} ${low}`;
      plate.area(buttress, side > 0 ? { fill: "tint", hatch: 0, gap: 1.7 } : { fill: "tint" });
    }
  }
  plate.layer();
  for (const [x, height] of at`64 ${random.between(38, 46)}, 136 ${random.between(30, 36)}`) {
    const tip = towers - height;
    plate.area(at`${x - 12} ${towers}, ${x} ${tip}, ${x + 12} ${towers}`, { fill: "paper", bold: true });
    plate.tone(at`${x + 1} ${tip + 4}, ${x + 11} ${towers}, ${x + 2} ${towers}`, { hatch: 78, gap: 1.6 });
    for (const dx of [-13, 13]) {
      plate.area(at`${x + dx - 3} ${towers}, ${x + dx} ${towers - 13}, ${x + dx + 3} ${towers}`, { fill: "tint" });
    }
    plate.line([x, tip], [x, tip - 6]).line([x - 2.4, tip - 3.6], [x + 2.4, tip - 3.6]);
  }
  plate.layer();
  for (const x of [64, 136]) {
    for (const dx of [-8, 1.5]) {
      opening(plate, x + dx, towers + 8, 6.5, 32, true);
      opening(plate, x + dx, towers + 54, 6.5, 26, true);
    }
    plate.line([x - 14, towers + 46], [x + 14, towers + 46]).line([x - 14, towers + 86], [x + 14, towers + 86]);
  }
  // The nave between them, with its rose.
  plate.layer().area(at`78 ${low}, 78 ${towers + 36}, 100 ${towers + 12}, 122 ${towers + 36}, 122 ${low}`, {
    fill: "paper",
    bold: true,
  });
  const ry = towers + 58;
  plate.layer().disc(100, ry, 18, 18, { fill: "tint", bold: true }).disc(100, ry, 15.5, 15.5, { fill: "dark" });
  const petals = random.pick([8, 10, 12]);
  plate.layer();
  for (const [px, py] of ring(100, ry, 10.6, 10.6, petals))
    plate.disc(px, py, 26 / petals, 26 / petals, { fill: "paper" });
  plate.disc(100, ry, 4.4, 4.4, { fill: "paper" });
  // The gallery of kings, and the three doors.
  plate.layer();
  for (let i = 0; i < 6; i += 1) opening(plate, 79.5 + i * 7, ry + 23, 5, 12, true);
  const doors = [
    { x: 86, width: 28, height: 42 },
    { x: 54, width: 20, height: 32 },
    { x: 126, width: 20, height: 32 },
  ];
  plate.layer();
  for (const { x, width, height } of doors) {
    const top = low - height;
    plate.area(at`${x - 4} ${top + 6}, ${x + width / 2} ${top - 14}, ${x + width + 4} ${top + 6}`, { fill: "tint" });
  }
  const door = ({ x, width, height }: (typeof doors)[number], inset: number) => {
    const [left, right, top] = [x + inset, x + width - inset, low - height];
    return path`M${left} ${low}V${top + 10 + inset}Q${left} ${top + 2} ${x + width / 2} ${top - 4 + inset * 1.6}Q${right} ${top + 2} ${right} ${top + 10 + inset}V${low}Z`;
  };
  plate.layer();
  for (const entry of doors) plate.add("paper", door(entry, 0)).add("line", door(entry, 0) + door(entry, 2.5));
  plate.layer();
  for (const entry of doors) plate.add("dark", door(entry, 5));
  // The square before it.
  plate.layer().area(at`-4 ${low}, 204 ${low}, 204 ${HEIGHT + 2}, -4 ${HEIGHT + 2}`, { fill: "paper" });
  for (let i = -6; i <= 6; i += 1) plate.fine([100 + i * 18, low], [100 + i * 48, HEIGHT]);
  for (const y of [low + 8, low + 20, low + 38, low + 60]) plate.fine([0, y], [WIDTH, y]);
  plate.layer();
  for (let i = 0; i < 4; i += 1)
    plate.stamp("dark", WALKER, random.between(14, 180), low + random.between(5, 22), random.pick([-0.8, 0.8]));
}

/** Domes and slender towers over a river. */
export function domes(plate: Plate): void {
  const { random } = plate;
  const moon = random.between(36, 60);
  plate.clear(moon, 62, 15).sky(26, 176, 3, 2.6);
  plate.layer().disc(moon, 62, 12, 12, { fill: "paper" });
  plate.layer().hills(168, 24, 190, "wash", 3);
  const dome = (x: number, base: number, r: number, bulge: number) => {
    const d = path`M${x - r} ${base}C${x - r * bulge} ${base - r * 0.9} ${x - r * 0.35} ${base - r * 1.15} ${x} ${base - r * 1.75}C${x + r * 0.35} ${base - r * 1.15} ${x + r * bulge} ${base - r * 0.9} ${x + r} ${base}Z`;
    plate.add("paper", d).add("line", d);
    for (const t of [-0.55, -0.15, 0.3])
      plate.curve(at`${x + r * t} ${base}, ${x + r * t * 1.15} ${base - r * 0.6}, ${x} ${base - r * 1.68}`, "hatch");
    plate.tone(
      at`${x + r * 0.25} ${base}, ${x + r} ${base},
      ${x + r * bulge * 0.92} ${base - r * 0.6}, ${x + r * 0.3} ${base - r * 1.2}`,
      { hatch: 75, gap: 1.7 },
    );
    plate.line([x, base - r * 1.75], [x, base - r * 1.75 - 8]).disc(x, base - r * 1.75 - 4, 1.6, 1.6, { fill: "tint" });
  };
  const minarets = (places: readonly Point[], half: number) => {
    plate.layer();
    for (const [x, top] of places) {
      const shaft = at`${x - half} 186, ${x - half * 0.8} ${top}, ${x + half * 0.8} ${top}, ${x + half} 186`;
      plate.area(shaft, { fill: "paper", hatch: 90, gap: 1.7, bold: true });
    }
    plate.layer();
    for (const [x, top] of places) {
      for (const y of [top + 12, top + 38]) plate.rectangle(x - half * 1.7, y, half * 3.4, 3.4, { fill: "tint" });
      plate.area(at`${x - half} ${top}, ${x} ${top - 17}, ${x + half} ${top}`, { fill: "shade" });
      plate.line([x, top - 17], [x, top - 23]);
    }
  };
  minarets(
    at`${random.between(18, 26)} ${random.between(92, 102)}, ${random.between(178, 186)} ${random.between(84, 96)}`,
    3.4,
  );
  const bulge = random.between(1, 1.32);
  // The halls, from the sides to the middle.
  plate.layer().rectangle(34, 150, 132, 36, { fill: "wash", hatch: 0, gap: 3, bold: true });
  for (let i = 0; i < 11; i += 1) opening(plate, 38 + i * 11.6, 160, 7, 26, true);
  plate.layer();
  dome(52, 150, 13, bulge);
  dome(148, 150, 13, bulge);
  plate.layer().rectangle(66, 128, 68, 24, { fill: "paper", bold: true });
  for (let i = 0; i < 7; i += 1) opening(plate, 69.5 + i * 9, 133, 5.4, 15);
  plate.layer();
  dome(74, 128, 8, bulge);
  dome(126, 128, 8, bulge);
  plate.layer().rectangle(80, 116, 40, 13, { fill: "tint", hatch: 90, gap: 2 });
  plate.layer();
  dome(100, 117, random.between(24, 27), bulge);
  minarets(
    at`${random.between(58, 62)} ${random.between(72, 80)}, ${random.between(138, 142)} ${random.between(76, 84)}`,
    2.8,
  );
  plate.layer().rectangle(-4, 184, 208, 7, { fill: "tint", hatch: 90, gap: 6 });
  plate.layer().water(191, HEIGHT);
  reflection(plate, 36, 166, 192, 226);
  gondola(plate, random.between(40, 150), 216, 0.8);
}

/** A square with an arcade and a bell tower. */
export function campanile(plate: Plate): void {
  const { random } = plate;
  plate.cloud(random.between(130, 160), 56, 20).birds(random.between(110, 140), 84, 5).sky(22, 170, 3, 3.6);
  const x = random.between(80, 92);
  const low = 196;
  // The palace behind, with its arcade.
  plate.layer().rectangle(x + 14, 116, 204 - x, 80, { fill: "paper", bold: true });
  plate.area(at`${x + 8} 118, ${x + 22} 102, 204 102, 204 118`, { fill: "tint", hatch: 62, gap: 2 });
  plate.line([x + 14, 150], [204, 150]);
  const bays = 6;
  const bay = (200 - x - 22) / bays;
  plate.layer();
  for (let i = 0; i < bays; i += 1) {
    opening(plate, x + 22 + i * bay, 124, bay * 0.5, 20);
    plate.rectangle(x + 20 + i * bay, 145, bay * 0.72, 2.4, { fill: "tint" });
    opening(plate, x + 20 + i * bay, 156, bay * 0.78, 40);
  }
  // Houses on the other side.
  plate.layer().rectangle(-4, 130, x - 8, 66, { fill: "wash", hatch: 0, gap: 3 });
  plate.area(at`-4 130, -4 116, ${x - 10} 122, ${x - 8} 130`, { fill: "tint", hatch: 55, gap: 2 });
  for (let i = 0; i < 3; i += 1) for (const y of [140, 164]) plate.rectangle(8 + i * 20, y, 8, 12, { fill: "dark" });
  // The tower.
  const top = random.between(74, 80);
  plate.layer().rectangle(x - 15, top, 30, low - top, { fill: "paper", bold: true });
  plate.tone(box(x + 3, top, 12, low - top), { hatch: 0, gap: 2 });
  for (const dx of [-9, -3, 3, 9]) plate.line([x + dx, top + 8], [x + dx, low - 6]);
  plate
    .layer()
    .rectangle(x - 18, top - 4, 36, 5, { fill: "tint" })
    .rectangle(x - 15, top - 28, 30, 24, { fill: "paper", bold: true });
  for (const dx of [-12, -4, 4]) opening(plate, x + dx, top - 24, 7, 19);
  plate.layer().rectangle(x - 18, top - 32, 36, 4.4, { fill: "tint" });
  plate.area(at`${x - 14} ${top - 32}, ${x} ${top - 62}, ${x + 14} ${top - 32}`, { fill: "wash", bold: true });
  plate.tone(at`${x + 1} ${top - 58}, ${x + 13} ${top - 33}, ${x + 2} ${top - 33}`, { hatch: 70, gap: 1.6 });
  plate.line([x, top - 62], [x, top - 69]);
  // Its clock.
  plate.layer().disc(x, top + 20, 9.5, 9.5, { fill: "paper", bold: true });
  const hour = random.between(0, 6.28);
  plate
    .bold([x, top + 20], [x + 5 * Math.cos(hour), top + 20 + 5 * Math.sin(hour)])
    .line([x, top + 20], [x + 7.4 * Math.cos(hour * 5), top + 20 + 7.4 * Math.sin(hour * 5)]);
  // The square and its fountain.
  plate.layer().area(box(-4, low, 208, HEIGHT - low + 2), { fill: "paper" });
  for (let i = -6; i <= 6; i += 1) plate.fine([100 + i * 18, low], [100 + i * 50, HEIGHT]);
  for (const y of [low + 7, low + 18, low + 36, low + 58]) plate.fine([0, y], [WIDTH, y]);
  const fx = random.between(138, 156);
  plate
    .layer()
    .disc(fx, low + 17, 26, 7, { fill: "tint", bold: true })
    .disc(fx, low + 15, 22, 5, { fill: "wash" });
  plate.layer().area(
    at`${fx - 3} ${low + 14}, ${fx - 1.6} ${low - 12}, ${fx + 1.6} ${low - 12},
      ${fx + 3} ${low + 14}`,
    { fill: "paper", hatch: 90, gap: 1.5 },
  );
  plate.disc(fx, low - 6, 10, 2.6, { fill: "tint" });
  for (const dx of [-18, -11, 11, 18])
    plate.curve(at`${fx} ${low - 16}, ${fx + dx * 0.5} ${low - 20}, ${fx + dx} ${low + 12}`, "hatch");
  plate.layer();
  for (let i = 0; i < 3; i += 1)
    plate.stamp("dark", WALKER, random.between(66, 106), low + random.between(6, 22), random.pick([-0.9, 0.9]));
}

/** A bridge of many arches, and a city with a great dome behind it. */
export function bridgeCity(plate: Plate): void {
  const { random } = plate;
  const sun = random.between(140, 168);
  plate.clear(sun, 72, 18).cloud(random.between(30, 54), 60, 20).sky(24, 170, 3, 3);
  plate.layer().disc(sun, 72, 15, 15, { fill: "wash" });
  // The roofs.
  plate.layer().hills(158, 20, 180, "wash", 3);
  plate.layer();
  for (let x = -4; x < 204;) {
    const w = random.between(12, 22);
    const h = random.between(20, 40);
    plate.rectangle(x, 178 - h, w, h, { fill: "paper", hatch: random.pick([0, 90]), gap: random.pick([2.6, 3.6]) });
    plate.area(at`${x - 1} ${178 - h}, ${x + w / 2} ${170 - h}, ${x + w + 1} ${178 - h}`, { fill: "tint" });
    x += w;
  }
  for (const tx of [random.between(20, 34), random.between(150, 166), random.between(184, 192)]) {
    const top = random.between(94, 116);
    plate.layer().rectangle(tx - 5, top, 10, 178 - top, { fill: "paper", hatch: 0, gap: 2.4 });
    plate.area(at`${tx - 6} ${top}, ${tx} ${top - random.between(14, 26)}, ${tx + 6} ${top}`, { fill: "shade" });
    plate.layer();
    opening(plate, tx - 2.4, top + 5, 4.8, 11);
  }
  // The dome on its drum.
  const x = random.between(84, 104);
  plate.layer().rectangle(x - 34, 130, 68, 48, { fill: "paper", bold: true });
  plate.area(at`${x - 38} 132, ${x} 116, ${x + 38} 132`, { fill: "tint" });
  for (let i = 0; i < 6; i += 1) plate.rectangle(x - 31 + i * 11.4, 134, 4, 44, { fill: "paper", hatch: 90, gap: 1.6 });
  plate.layer().rectangle(x - 24, 100, 48, 20, { fill: "paper", bold: true });
  for (let i = 0; i < 6; i += 1) opening(plate, x - 21.6 + i * 7.6, 104, 4.8, 14);
  const d = path`M${x - 25} 100C${x - 25} 74 ${x - 12} 62 ${x} 60C${x + 12} 62 ${x + 25} 74 ${x + 25} 100Z`;
  plate.layer().add("wash", d).add("bold", d);
  for (const t of [-0.7, -0.36, 0, 0.36, 0.7])
    plate.curve(at`${x + 25 * t} 100, ${x + 25 * t * 0.9} 80, ${x + 4 * t} 60.5`);
  plate.tone(at`${x + 8} 100, ${x + 24} 100, ${x + 22} 80, ${x + 10} 66`, { hatch: 80, gap: 1.6 });
  plate
    .layer()
    .rectangle(x - 4, 50, 8, 11, { fill: "paper", hatch: 90, gap: 2 })
    .area(at`${x - 5} 50, ${x} 41, ${x + 5} 50`, { fill: "shade" })
    .line([x, 41], [x, 34]);
  plate.layer().water(194, HEIGHT);
  // The bridge.
  plate.layer().area(at`-4 176, 100 170, 204 176, 204 204, -4 204`, { fill: "paper", bold: true, hatch: 0, gap: 3.6 });
  plate.layer();
  for (let i = 0; i < 5; i += 1) {
    const ax = 8 + i * 39;
    const arch = `M${ax} 206V196A15 15 0 0 1 ${ax + 30} 196V206Z`;
    plate.add("wash", arch).add("line", arch);
    plate.add("hatch", [198, 201, 204].map((y) => `M${ax + 2} ${y}H${ax + 28}`).join(""));
  }
  for (let i = 0; i < 6; i += 1)
    plate.area(at`${i * 39 - 2} 206, ${i * 39 + 1} 190, ${i * 39 + 4} 206`, { fill: "tint" });
  plate.layer();
  for (let i = 0; i < 3; i += 1) plate.stamp("dark", WALKER, random.between(14, 180), 175, 0.7);
  reflection(plate, 10, 190, 208, 230);
}

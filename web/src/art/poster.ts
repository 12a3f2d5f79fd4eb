import type { Card } from "../generated/catalogue";
import { at, ellipse, path, pathOf, type Point, ring } from "./geometry";
import { mix } from "./gems";
import { hueOf } from "./palette";
import { Random } from "./random";

/** One flat shape of a poster. */
export interface Flat {
  d: string;
  fill: string;
  opacity?: number;
}

interface Inks {
  deep: string;
  dark: string;
  mid: string;
  light: string;
  glint: string;
  /** The second colour of the print, away from the first. */
  accent: string;
}

/** The second colour that stands well beside each of the five. */
const ACCENTS: Record<string, readonly string[]> = {
  yellow: ["red", "purple", "blue"],
  purple: ["yellow", "blue", "red"],
  blue: ["orange", "yellow", "red"],
  red: ["yellow", "blue", "orange"],
  orange: ["blue", "purple", "yellow"],
};

type Maker = (random: Random, inks: Inks) => Flat[];

function wedge(x: number, y: number, radius: number, from: number, to: number): string {
  return pathOf(
    at`${x} ${y}, ${x + radius * Math.cos(from)} ${y + radius * Math.sin(from)},
      ${x + radius * Math.cos(to)} ${y + radius * Math.sin(to)}`,
    true,
  );
}

const burst: Maker = (random, inks) => {
  const [x, y] = [random.between(60, 140), random.between(70, 130)];
  const rays = random.whole(9, 17);
  const turn = random.between(0, 1);
  let d = "";
  for (let i = 0; i < rays; i += 1) {
    const a = ((i + turn) * 2 * Math.PI) / rays;
    d += wedge(x, y, 300, a, a + Math.PI / rays);
  }
  return [{ d, fill: inks.dark, opacity: 0.85 }];
};

const stripes: Maker = (random, inks) => {
  const slope = random.pick([-1, 1]) * random.between(0.6, 1.6);
  const width = random.between(8, 26);
  let d = "";
  for (let x = -320; x < 520; x += width * 2) {
    d += pathOf(at`${x} 0, ${x + width} 0, ${x + width + slope * 270} 270, ${x + slope * 270} 270`, true);
  }
  return [{ d, fill: inks.dark, opacity: 0.7 }];
};

const rings: Maker = (random, inks) => {
  const [x, y] = [random.between(30, 170), random.between(40, 140)];
  const step = random.between(14, 22);
  const flats: Flat[] = [];
  for (let i = 9; i > 0; i -= 1) {
    flats.push({ d: ellipse(x, y, i * step), fill: i % 2 === 0 ? inks.deep : mix(inks.deep, inks.dark, 0.9) });
  }
  return flats;
};

const halftone: Maker = (random, inks) => {
  const pitch = random.between(9, 13);
  const [ax, ay] = [random.between(-1, 1), random.between(-1, 1)];
  let d = "";
  for (let row = 0; row * pitch < 280; row += 1) {
    for (let col = 0; col * pitch < 210; col += 1) {
      const [x, y] = [(col + (row % 2) / 2) * pitch, row * pitch];
      const share = 0.5 + (ax * (x - 100)) / 260 + (ay * (y - 135)) / 320;
      const r = pitch * 0.62 * Math.min(1, Math.max(0, share));
      if (r > 0.8) d += ellipse(x, y, r);
    }
  }
  return [{ d, fill: inks.dark, opacity: 0.9 }];
};

const split: Maker = (random, inks) => {
  const a = random.between(-40, 240);
  const b = 200 - a + random.between(-50, 50);
  const mid = random.between(70, 150);
  return [
    {
      d: pathOf(at`${a} 0, 220 0, 220 270, ${b} 270`, true),
      fill: inks.dark,
    },
    {
      d: pathOf(at`-10 ${mid}, 210 ${mid + random.between(-50, 50)}, 210 ${mid + 60}, -10 ${mid + 96}`, true),
      fill: mix(inks.dark, inks.mid, 0.45),
      opacity: 0.7,
    },
  ];
};

const floor: Maker = (random, inks) => {
  const horizon = random.between(110, 134);
  const vanish = random.between(60, 140);
  let d = "";
  for (let i = -14; i <= 14; i += 2) {
    d += pathOf(at`${vanish} ${horizon}, ${vanish + i * 26} 280, ${vanish + (i + 1) * 26} 280`, true);
  }
  return [
    {
      d: pathOf(at`0 ${horizon}, 200 ${horizon}, 200 270, 0 270`, true),
      fill: mix(inks.deep, inks.dark, 0.4),
    },
    { d, fill: inks.dark },
    { d: ellipse(vanish, horizon, 130, 60), fill: inks.mid, opacity: 0.16 },
  ];
};

const BACKGROUNDS: readonly Maker[] = [burst, stripes, rings, halftone, split, floor];

const eclipse: Maker = (random, inks) => {
  const r = random.between(44, 56);
  const side = random.pick([-1, 1]);
  const [x, y] = [100 + side * random.between(-6, 14), random.between(84, 98)];
  return [
    { d: ellipse(x, y, r * 1.16), fill: inks.mid, opacity: 0.35 },
    { d: ellipse(x, y, r), fill: inks.light },
    { d: ellipse(x - side * r * 0.2, y + r * 0.05, r * 0.86), fill: inks.mid },
    { d: ellipse(x - side * r * 0.36, y + r * 0.1, r * 0.68), fill: inks.dark },
    { d: ellipse(x + side * r * 0.62, y - r * 0.58, r * 0.16), fill: inks.accent },
  ];
};

const wings: Maker = (random, inks) => {
  const blades = random.whole(4, 6);
  const flats: Flat[] = [];
  const y = random.between(112, 128);
  const reach = random.between(78, 96);
  for (let i = 0; i < blades; i += 1) {
    const t = i / (blades - 1);
    const a = -0.15 - t * 1.15;
    const length = reach * (1 - 0.28 * t);
    let d = "";
    for (const side of [-1, 1]) {
      const tip: Point = [100 + side * length * Math.cos(a), y + length * Math.sin(a)];
      d += pathOf([[100 + side * 5, y + 10 - t * 10], tip, [100 + side * 9, y - 14 - t * 16]], true);
    }
    flats.push({ d, fill: [inks.mid, inks.light, mix(inks.mid, inks.light, 0.5)][i % 3] as string });
  }
  flats.push({
    d: pathOf(at`100 ${y - 62}, 112 ${y - 8}, 100 ${y + 26}, 88 ${y - 8}`, true),
    fill: inks.accent,
  });
  return flats;
};

const bolt: Maker = (random, inks) => {
  const s = random.pick([-1, 1]);
  const x = (v: number) => 100 + s * v;
  const shift = random.between(-6, 6);
  const zig: Point[] = at`${x(18)} 18, ${x(-34)} ${92 + shift}, ${x(-4)} ${90 + shift}, ${x(-26)} 172,
      ${x(38)} ${78 - shift}, ${x(8)} ${80 - shift}, ${x(40)} 18`;
  const big = zig.map(([px, py]) => [100 + (px - 100) * 1.5 + s * 5, 92 + (py - 92) * 1.16] as const);
  return [
    { d: pathOf(big, true), fill: inks.mid, opacity: 0.75 },
    {
      d: pathOf(
        zig.map(([px, py]) => [px + s * 7, py + 5] as const),
        true,
      ),
      fill: inks.deep,
      opacity: 0.8,
    },
    { d: pathOf(zig, true), fill: inks.light },
    {
      d: pathOf([zig[0] as Point, zig[1] as Point, [x(4), 86 + shift], [x(28), 18]], true),
      fill: inks.glint,
      opacity: 0.65,
    },
  ];
};

const peaks: Maker = (random, inks) => {
  const flats: Flat[] = [];
  const fills = [inks.dark, inks.mid, mix(inks.mid, inks.light, 0.6)];
  for (let i = 0; i < 3; i += 1) {
    const x = [58, 142, 100][i] as number;
    const px = x + random.between(-12, 12);
    const top = [64, 54, 30][i] as number;
    const half = random.between(46, 62);
    flats.push({
      d: pathOf(at`${px} ${top + random.between(-8, 8)}, ${px + half} 190, ${px - half} 190`, true),
      fill: fills[i] as string,
    });
    flats.push({
      d: pathOf(
        at`${px} ${top}, ${px + half} 190, ${px + half * 0.1} 190,
      ${px - half * 0.08} ${top + 60}`,
        true,
      ),
      fill: inks.deep,
      opacity: 0.35,
    });
  }
  flats.push({
    d: ellipse(random.between(40, 160), random.between(44, 56), random.between(10, 17)),
    fill: inks.accent,
  });
  return flats;
};

const orbits: Maker = (random, inks) => {
  const flats: Flat[] = [];
  const tilt = random.between(0.15, 0.5);
  const count = random.whole(2, 4);
  for (let i = 0; i < count; i += 1) {
    const turn = (i / count) * Math.PI + tilt;
    const loop = (rx: number, ry: number) =>
      ring(0, 0, rx, ry, 48).map(
        ([x, y]) =>
          [100 + x * Math.cos(turn) - y * Math.sin(turn), 94 + x * Math.sin(turn) + y * Math.cos(turn)] as const,
      );
    const outer = loop(76, 25);
    const inner = loop(70, 20.5).reverse();
    flats.push({ d: pathOf(outer, true) + pathOf(inner, true), fill: i % 2 === 0 ? inks.light : inks.mid });
    const dot = outer[random.whole(0, 47)] as Point;
    flats.push({ d: ellipse(dot[0], dot[1], random.between(5, 8)), fill: inks.accent });
  }
  flats.push({ d: ellipse(100, 94, 19), fill: inks.light }, { d: ellipse(95, 88, 9), fill: inks.glint, opacity: 0.7 });
  return flats;
};

const shards: Maker = (random, inks) => {
  const flats: Flat[] = [];
  const count = random.whole(9, 13);
  const spin = random.between(0, 6);
  for (let i = 0; i < count; i += 1) {
    const a = spin + (i * 2 * Math.PI) / count;
    const near = random.between(12, 22);
    const far = random.between(48, 88);
    const half = random.between(0.1, 0.2);
    const at = (r: number, b: number): Point => [100 + r * Math.cos(b), 94 + r * 0.95 * Math.sin(b)];
    flats.push({ d: pathOf([at(near, a), at(far * 0.8, a - half), at(far, a)], true), fill: inks.light });
    flats.push({
      d: pathOf([at(near, a), at(far * 0.8, a + half), at(far, a)], true),
      fill: i % 3 === 0 ? inks.accent : inks.mid,
    });
  }
  return flats;
};

const towers: Maker = (random, inks) => {
  const flats: Flat[] = [
    { d: ellipse(random.between(60, 140), random.between(70, 90), random.between(34, 46)), fill: inks.light },
  ];
  for (const [fill, base, spread] of [
    [mix(inks.dark, inks.mid, 0.6), 60, 50],
    [inks.dark, 90, 50],
    [inks.deep, 120, 44],
  ] as const) {
    let d = "";
    for (let x = -6; x < 200;) {
      const w = random.between(10, 22);
      const top = base + random.between(0, spread);
      d += random.chance(0.3)
        ? pathOf(at`${x} 200, ${x} ${top}, ${x + w / 2} ${top - 12}, ${x + w} ${top}, ${x + w} 200`, true)
        : pathOf(at`${x} 200, ${x} ${top}, ${x + w} ${top + random.pick([0, 0, 6])}, ${x + w} 200`, true);
      x += w;
    }
    flats.push({ d, fill });
  }
  let lights = "";
  for (let i = 0; i < 26; i += 1)
    lights += pathOf(
      at`0 0, 2.6 0, 2.6 4, 0 4`
        .map(([x, y]) => [x as number, y as number] as const)
        .map(([x, y]) => [x + Math.floor(i * 7.7), y + 140 + ((i * 37) % 46)] as const),
      true,
    );
  flats.push({ d: lights, fill: inks.accent, opacity: 0.9 });
  return flats;
};

const waves: Maker = (random, inks) => {
  const flats: Flat[] = [];
  const fills = [inks.light, mix(inks.light, inks.mid, 0.6), inks.mid, mix(inks.mid, inks.dark, 0.6), inks.dark];
  const length = random.between(46, 84);
  const height = random.between(9, 17);
  const phase = random.between(0, 80);
  fills.forEach((fill, i) => {
    let d = path`M${-phase - i * 17} ${64 + i * 22}`;
    for (let x = -phase - i * 17; x < 210; x += length)
      d += path`q${length / 4} ${-height} ${length / 2} 0t${length / 2} 0`;
    flats.push({ d: `${d}V280H-120Z`, fill });
  });
  flats.unshift({ d: ellipse(random.between(60, 140), 50, random.between(20, 28)), fill: inks.accent });
  return flats;
};

const chevrons: Maker = (random, inks) => {
  const flats: Flat[] = [];
  const up = random.chance(0.6) ? 1 : -1;
  const half = random.between(52, 80);
  const thick = random.between(13, 19);
  const count = random.whole(3, 5);
  for (let i = 0; i < count; i += 1) {
    const y = 92 + up * ((i - (count - 1) / 2) * (thick + 9));
    const w = half * (1 - 0.12 * i);
    const tip = y - up * 30;
    flats.push({
      d: pathOf(
        at`${100 - w} ${y + up * 22}, 100 ${tip}, ${100 + w} ${y + up * 22},
      ${100 + w} ${y + up * 22 + thick}, 100 ${tip + thick},
      ${100 - w} ${y + up * 22 + thick}`,
        true,
      ),
      fill: [inks.light, inks.mid, inks.accent, inks.mid, inks.light][(i + (up > 0 ? 0 : 1)) % 5] as string,
    });
  }
  return flats;
};

const hexes: Maker = (random, inks) => {
  const flats: Flat[] = [];
  const r = random.between(19, 25);
  const cells: Point[] = [[0, 0], ...ring(0, 0, r * 1.74, r * 1.74, 6)];
  for (const [dx, dy] of random.shuffle(cells).slice(0, random.whole(5, 7))) {
    const cell = ring(100 + dx, 92 + dy, r * 0.94, r * 0.94, 6, 1 / 12);
    flats.push({
      d: pathOf(cell, true),
      fill: random.pick([inks.mid, inks.light, mix(inks.mid, inks.dark, 0.5), inks.accent]),
    });
    const half: Point[] = [cell[0], cell[1], cell[2], [100 + dx, 92 + dy]] as Point[];
    flats.push({ d: pathOf(half, true), fill: inks.deep, opacity: 0.3 });
  }
  return flats;
};

const spiral: Maker = (random, inks) => {
  const flats: Flat[] = [];
  const arms = random.whole(3, 5);
  const side = random.pick([-1, 1]);
  for (let k = 0; k < arms; k += 1) {
    const outer: Point[] = [];
    const inner: Point[] = [];
    for (let i = 0; i <= 16; i += 1) {
      const t = i / 16;
      const a = side * (t * 3.4 + (k * 2 * Math.PI) / arms);
      const r = 8 + 82 * t ** 0.9;
      const w = 0.24 + 0.14 * t;
      outer.push([100 + r * Math.cos(a), 94 + r * Math.sin(a)]);
      inner.unshift([100 + r * Math.cos(a + side * w), 94 + r * Math.sin(a + side * w)]);
    }
    flats.push({ d: pathOf([...outer, ...inner], true), fill: k % 2 === 0 ? inks.light : inks.mid, opacity: 0.95 });
  }
  flats.push({ d: ellipse(100, 94, 13), fill: inks.accent });
  return flats;
};

const monolith: Maker = (random, inks) => {
  const w = random.between(30, 42);
  const top = random.between(20, 32);
  const lean = random.between(-14, 14);
  return [
    { d: ellipse(100, 100, 74, 70), fill: inks.mid, opacity: 0.35 },
    {
      d: pathOf(at`${100 + lean} ${top}, ${100 + w} ${top + 46}, ${100 + w * 0.8} 190, 100 196`, true),
      fill: inks.mid,
    },
    {
      d: pathOf(at`${100 + lean} ${top}, ${100 - w} ${top + 40}, ${100 - w * 0.9} 190, 100 196`, true),
      fill: inks.light,
    },
    {
      d: pathOf(
        at`${100 + lean} ${top}, ${100 + w * 0.3} ${top + 60}, 100 196,
      ${100 - w * 0.2} ${top + 66}`,
        true,
      ),
      fill: inks.glint,
      opacity: 0.8,
    },
    {
      d: pathOf(at`40 190, 62 108, 80 190`, true),
      fill: inks.accent,
    },
    {
      d: pathOf(at`122 190, 146 122, 162 190`, true),
      fill: mix(inks.accent, inks.deep, 0.35),
    },
  ];
};

/** A body with a tail of light. */
const comet: Maker = (random, inks) => {
  const side = random.pick([-1, 1]);
  const x = 100 + side * random.between(26, 40);
  const y = random.between(104, 118);
  const flats: Flat[] = [];
  const tails = random.whole(4, 6);
  for (let i = 0; i < tails; i += 1) {
    const t = i / (tails - 1) - 0.5;
    const end: Point = [x - side * random.between(110, 150), y - 76 + t * 60];
    const half = 9 - Math.abs(t) * 8;
    flats.push({
      d: pathOf([[x, y + t * 34 - half], end, [x, y + t * 34 + half]], true),
      fill: [inks.mid, inks.light, inks.accent][i % 3] as string,
      opacity: 0.9,
    });
  }
  flats.push(
    { d: ellipse(x, y, 28), fill: inks.light },
    { d: ellipse(x + side * 5, y + 4, 22), fill: inks.mid },
    { d: ellipse(x + side * 10, y + 8, 14), fill: inks.dark },
  );
  return flats;
};

/** Gates within gates. */
const gates: Maker = (random, inks) => {
  const flats: Flat[] = [];
  const count = random.whole(4, 6);
  const pointed = random.chance(0.5);
  for (let i = 0; i < count; i += 1) {
    const w = 76 * (1 - i / (count + 0.6));
    const top = 26 + i * random.between(12, 16);
    const head = pointed ? path`L100 ${top}L${100 + w} ${top + w * 0.8}` : path`A${w} ${w} 0 0 1 ${100 + w} ${top + w}`;
    const shoulder = pointed ? top + w * 0.8 : top + w;
    flats.push({
      d: path`M${100 - w} 220V${shoulder}${head}V220Z`,
      fill: [inks.dark, inks.mid, inks.light, inks.accent][i % 4] as string,
    });
  }
  flats.push({ d: ellipse(100, 196, 90, 16), fill: inks.deep, opacity: 0.5 });
  return flats;
};

/** Long cuts from corner to corner. */
const slashes: Maker = (random, inks) => {
  const flats: Flat[] = [];
  const side = random.pick([-1, 1]);
  const count = random.whole(4, 6);
  for (let i = 0; i < count; i += 1) {
    const t = i - (count - 1) / 2;
    const x = 100 + t * 30;
    const reach = 92 - Math.abs(t) * 16;
    const half = random.between(5, 9);
    flats.push({
      d: pathOf(
        at`${x + side * reach * 0.5} ${96 - reach}, ${x + half} ${96 + half},
      ${x - side * reach * 0.5} ${96 + reach}, ${x - half} ${96 - half}`,
        true,
      ),
      fill: [inks.light, inks.mid, inks.accent, inks.mid][i % 4] as string,
    });
  }
  return flats;
};

/** A star chart: points of light and the lines between them. */
const constellation: Maker = (random, inks) => {
  const points: Point[] = [];
  const count = random.whole(7, 9);
  for (let i = 0; i < count; i += 1) {
    const a = (2 * Math.PI * i) / count + random.between(-0.25, 0.25);
    const r = random.between(26, 74);
    points.push([100 + r * 1.1 * Math.cos(a), 94 + r * 0.9 * Math.sin(a)]);
  }
  let bars = "";
  points.forEach((p, i) => {
    const q = points[(i + 1) % count] as Point;
    const s = points[(i + 3) % count] as Point;
    for (const end of i % 2 === 0 ? [q, s] : [q]) {
      const length = Math.hypot(end[0] - p[0], end[1] - p[1]) || 1;
      const [nx, ny] = [(-(end[1] - p[1]) / length) * 1.3, ((end[0] - p[0]) / length) * 1.3];
      bars += pathOf(
        at`${p[0] + nx} ${p[1] + ny}, ${end[0] + nx} ${end[1] + ny},
      ${end[0] - nx} ${end[1] - ny}, ${p[0] - nx} ${p[1] - ny}`,
        true,
      );
    }
  });
  const sparkle = (x: number, y: number, r: number) =>
    pathOf(
      ring(x, y, r, r, 8).map((p, i) => (i % 2 === 0 ? p : ([x + (p[0] - x) * 0.32, y + (p[1] - y) * 0.32] as const))),
      true,
    );
  return [
    { d: pathOf(points, true), fill: inks.mid, opacity: 0.45 },
    { d: bars, fill: inks.light },
    { d: points.map(([x, y], i) => sparkle(x, y, i % 3 === 0 ? 15 : 9)).join(""), fill: inks.glint },
    { d: points.map(([x, y], i) => (i % 3 === 0 ? ellipse(x, y, 4.5) : "")).join(""), fill: inks.accent },
  ];
};

const FIGURES: readonly Maker[] = [
  eclipse,
  wings,
  bolt,
  peaks,
  orbits,
  shards,
  towers,
  comet,
  waves,
  chevrons,
  gates,
  hexes,
  spiral,
  slashes,
  monolith,
  constellation,
];

/**
 * A poster of flat shapes, made of a character's name and colour.
 * The place in the deck chooses the figure, so that cards that may lie side by side do not look alike.
 */
export function compose(card: Pick<Card, "name" | "bonus" | "number">): Flat[] {
  const random = new Random(`${card.name}/${card.bonus}`);
  const hue = hueOf("marvel", card.bonus);
  const accent = hueOf("marvel", random.pick(ACCENTS[card.bonus] ?? ["blue"]));
  const inks: Inks = { ...hue, accent: accent.mid };
  const background = BACKGROUNDS[(card.number + Math.floor(card.number / 7)) % BACKGROUNDS.length] as Maker;
  const figure = FIGURES[(card.number * 3) % FIGURES.length] as Maker;
  return [{ d: "M0 0H200V270H0Z", fill: inks.deep }, ...background(random, inks), ...figure(random, inks)];
}

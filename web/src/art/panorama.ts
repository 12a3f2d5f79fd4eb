import { at, ellipse, pathOf, ring, type Point } from "./geometry";
import { Random } from "./random";

/** One flat plane of a panorama. */
export interface Plane {
  d: string;
  fill: string;
  opacity?: number;
}

/** Sky, far, middle, near, and the colour of lights. */
type Inks = readonly [sky: string, far: string, middle: string, near: string, light: string];

type View = (random: Random, inks: Inks) => Plane[];

const WIDTH = 300;
const HEIGHT = 150;

function ground(points: readonly Point[]): string {
  return pathOf([[-2, HEIGHT + 2], ...points, [WIDTH + 2, HEIGHT + 2]], true);
}

function rectangle(x: number, y: number, width: number, height: number): string {
  return pathOf(at`${x} ${y}, ${x + width} ${y}, ${x + width} ${y + height}, ${x} ${y + height}`, true);
}

function blocks(random: Random, base: number, low: number, high: number, narrow: number, wide: number): string {
  let d = "";
  for (let x = -4; x < WIDTH + 4;) {
    const w = random.between(narrow, wide);
    const h = random.between(low, high);
    d += rectangle(x, base - h, w - 0.6, h + 60);
    if (random.chance(0.25)) d += rectangle(x + w / 2 - 0.6, base - h - 9, 1.2, 9);
    x += w;
  }
  return d;
}

function windows(random: Random, count: number, top: number, bottom: number): string {
  let d = "";
  for (let i = 0; i < count; i += 1)
    d += rectangle(
      Math.round(random.between(2, 298) / 4) * 4,
      Math.round(random.between(top, bottom) / 5) * 5,
      1.8,
      2.6,
    );
  return d;
}

const tower: View = (random, [, far, middle, near, light]) => [
  { d: ellipse(214, 46, 26), fill: light, opacity: 0.9 },
  { d: blocks(random, 130, 20, 62, 12, 24), fill: far },
  { d: blocks(random, 150, 18, 58, 14, 28), fill: middle },
  {
    d: `${pathOf(at`132 150, 136 40, 146 20, 158 16, 164 34, 168 150`, true)}${pathOf(
      at`122 66, 184 58, 182 66, 126 73`,
      true,
    )}${rectangle(151, 2, 1.6, 18)}`,
    fill: near,
  },
  { d: [84, 96, 108].map((y) => rectangle(138, y, 28, 2)).join(""), fill: light },
  { d: windows(random, 46, 84, 146), fill: light, opacity: 0.85 },
];

const attilan: View = (random, [, far, middle, near, light]) => [
  { d: ellipse(238, 38, 22), fill: light },
  { d: `M222 30q10 -6 16 0t16 -2q4 10 -2 16q-10 -4 -16 2t-16 -4q-2 -8 2 -12Z`, fill: far, opacity: 0.7 },
  {
    d: ground(at`-2 104, 60 92, 130 100, 220 90, 302 104`),
    fill: far,
  },
  {
    d: `M70 122A76 62 0 0 1 222 122Z`,
    fill: light,
    opacity: 0.22,
  },
  {
    d: `${at`92 30, 108 48, 126 64, 146 76, 164 58, 182 44, 198 26`
      .map(([x, h]) =>
        pathOf(
          at`${(x as number) - 7} 124, ${(x as number) - 3} ${124 - (h as number) * 0.7},
      ${x as number} ${124 - (h as number)},
      ${(x as number) + 3} ${124 - (h as number) * 0.7}, ${(x as number) + 7} 124`,
          true,
        ),
      )
      .join("")}`,
    fill: middle,
  },
  {
    d: ground(at`-2 122, 50 118, 150 124, 250 117, 302 124`),
    fill: near,
  },
  {
    d: [0, 1, 2, 3, 4, 5]
      .map(() =>
        ellipse(random.between(10, 290), random.between(130, 146), random.between(5, 13), random.between(1.6, 3)),
      )
      .join(""),
    fill: middle,
    opacity: 0.7,
  },
];

const kitchen: View = (random, [, far, middle, near, light]) => {
  const tank = (x: number, y: number, s: number) =>
    `${rectangle(x - 9 * s, y - 18 * s, 18 * s, 16 * s)}${pathOf(
      at`${x - 11 * s} ${y - 18 * s}, ${x} ${y - 28 * s}, ${x + 11 * s} ${y - 18 * s}`,
      true,
    )}${rectangle(x - 8 * s, y - 2 * s, 1.6 * s, 14 * s)}${rectangle(x + 6.4 * s, y - 2 * s, 1.6 * s, 14 * s)}${rectangle(x - 0.8 * s, y - 2 * s, 1.6 * s, 14 * s)}`;
  let escape = "";
  for (let i = 0; i < 5; i += 1)
    escape += `${rectangle(246, 74 + i * 16, 34, 2)}${pathOf(
      at`${i % 2 ? 250 : 276} ${76 + i * 16}, ${i % 2 ? 276 : 250} ${90 + i * 16},
      ${i % 2 ? 273 : 253} ${90 + i * 16}, ${i % 2 ? 248 : 279} ${76 + i * 16}`,
      true,
    )}`;
  return [
    { d: ellipse(78, 44, 20), fill: light, opacity: 0.95 },
    { d: blocks(random, 128, 18, 60, 16, 30), fill: far },
    { d: `${blocks(random, 150, 22, 54, 26, 44)}${tank(120, 88, 0.9)}${tank(204, 94, 0.7)}`, fill: middle },
    {
      d: `${rectangle(236, 56, 70, 100)}${rectangle(232, 52, 74, 6)}${rectangle(-4, 96, 66, 60)}${rectangle(-6, 92, 70, 5)}${tank(30, 82, 1.05)}`,
      fill: near,
    },
    { d: escape, fill: middle },
    { d: windows(random, 34, 96, 146), fill: light, opacity: 0.9 },
  ];
};

const triskelion: View = (random, [, far, middle, near, light]) => [
  { d: ellipse(70, 60, 30), fill: light, opacity: 0.75 },
  {
    d: ground(at`-2 98, 40 88, 90 96, 150 84, 220 94, 302 82`),
    fill: far,
  },
  {
    d: [
      pathOf(at`138 120, 143 26, 157 22, 162 120`, true),
      pathOf(at`96 120, 104 54, 122 48, 128 120`, true),
      pathOf(at`172 120, 178 48, 196 54, 204 120`, true),
      rectangle(112, 70, 76, 6),
      rectangle(108, 90, 84, 6),
    ].join(""),
    fill: middle,
  },
  { d: `M150 14A4 4 0 1 1 150 22A4 4 0 1 1 150 14Z`, fill: light },
  {
    d: ground(at`-2 126, 60 124, 86 116, 214 116, 240 124, 302 126`),
    fill: near,
  },
  {
    d: Array.from({ length: 16 }, () =>
      rectangle(random.between(0, 280), random.between(130, 147), random.between(10, 30), 1.4),
    ).join(""),
    fill: far,
    opacity: 0.6,
  },
];

const asgard: View = (random, [, far, middle, near, light]) => {
  let arc = "";
  for (let i = 0; i < 3; i += 1)
    arc += `M${-10} ${112 + i * 6}Q${90} ${72 + i * 6} ${176} ${104 + i * 4}L${176} ${107 + i * 4}Q${90} ${76 + i * 6} ${-10} ${116 + i * 6}Z`;
  const spires = (list: readonly (readonly [number, number, number])[], base: number) =>
    list
      .map(([x, w, h]) =>
        pathOf(
          at`${x - w} ${base}, ${x - w * 0.8} ${base - h * 0.5},
      ${x - w * 0.3} ${base - h * 0.62}, ${x} ${base - h},
      ${x + w * 0.3} ${base - h * 0.62}, ${x + w * 0.8} ${base - h * 0.5},
      ${x + w} ${base}`,
          true,
        ),
      )
      .join("");
  return [
    { d: ellipse(210, 70, 44), fill: light, opacity: 0.4 },
    {
      d: Array.from({ length: 22 }, () =>
        ellipse(random.between(4, 296), random.between(6, 70), random.between(0.6, 1.4)),
      ).join(""),
      fill: light,
    },
    {
      d: ground(at`-2 120, 50 96, 90 112, 140 90, 200 104, 260 80, 302 96`),
      fill: far,
    },
    {
      d: spires(
        [
          [172, 10, 62],
          [190, 12, 86],
          [212, 15, 118],
          [236, 12, 92],
          [256, 10, 66],
          [276, 9, 50],
        ],
        132,
      ),
      fill: middle,
    },
    {
      d: spires(
        [
          [200, 8, 52],
          [224, 9, 64],
          [246, 8, 48],
        ],
        136,
      ),
      fill: light,
      opacity: 0.55,
    },
    { d: arc, fill: light, opacity: 0.85 },
    {
      d: ground(at`-2 138, 80 136, 150 126, 302 128`),
      fill: near,
    },
  ];
};

const wakanda: View = (random, [, far, middle, near, light]) => {
  const acacia = (x: number, y: number, s: number) =>
    `${pathOf(
      at`${x - 1.4 * s} ${y}, ${x - 0.8 * s} ${y - 16 * s}, ${x - 10 * s} ${y - 24 * s},
      ${x} ${y - 18 * s}, ${x + 9 * s} ${y - 25 * s}, ${x + 0.8 * s} ${y - 15 * s},
      ${x + 1.4 * s} ${y}`,
      true,
    )}${ellipse(x - 8 * s, y - 25 * s, 13 * s, 4 * s)}${ellipse(x + 8 * s, y - 28 * s, 12 * s, 4 * s)}`;
  return [
    { d: ellipse(84, 66, 34), fill: light },
    {
      d: ground(at`-2 96, 30 74, 70 92, 110 66, 160 86, 230 52, 270 74, 302 62`),
      fill: far,
    },
    {
      d: `${[
        [150, 50, 9],
        [170, 72, 11],
        [194, 58, 9],
        [214, 44, 8],
        [134, 36, 8],
      ]
        .map(
          ([x, h, w]) =>
            `M${(x as number) - (w as number)} 128V${128 - (h as number)}Q${(x as number) - (w as number)} ${128 - (h as number) - 16} ${x} ${128 - (h as number) - 18}Q${(x as number) + (w as number)} ${128 - (h as number) - 16} ${(x as number) + (w as number)} ${128 - (h as number)}V128Z`,
        )
        .join("")}`,
      fill: middle,
    },
    { d: `M238 74q4 30 2 56h14q0 -30 -4 -58Z`, fill: light, opacity: 0.6 },
    {
      d: ground(at`-2 124, 60 118, 140 126, 220 120, 302 128`),
      fill: near,
    },
    { d: acacia(40, 124, 1.2) + acacia(268, 128, 1) + acacia(random.between(96, 110), 124, 0.7), fill: near },
  ];
};

const knowhere: View = (random, [, far, middle, near, light]) => {
  const rock = ring(158, 72, 78, 58, 18, 0.02).map(
    ([x, y], i) => [x + ((i * 37) % 11) - 5, y + ((i * 23) % 9) - 4] as const,
  );
  const cave = ring(128, 78, 34, 26, 12, 0.04).map(
    ([x, y], i) => [x + ((i * 29) % 7) - 3, y + ((i * 17) % 5) - 2] as const,
  );
  return [
    {
      d: Array.from({ length: 40 }, () =>
        ellipse(random.between(2, 298), random.between(4, 146), random.between(0.5, 1.5)),
      ).join(""),
      fill: light,
      opacity: 0.9,
    },
    { d: ellipse(46, 40, 34, 18), fill: far, opacity: 0.7 },
    { d: pathOf(rock, true), fill: middle },
    {
      d: pathOf(
        rock.map(([x, y]) => [158 + (x - 158) * 0.8 + 16, 72 + (y - 72) * 0.8 + 12] as const),
        true,
      ),
      fill: far,
      opacity: 0.55,
    },
    { d: pathOf(cave, true), fill: near },
    { d: ellipse(128, 92, 22, 8), fill: light, opacity: 0.85 },
    {
      d: `${rectangle(108, 82, 3, 16)}${rectangle(120, 74, 4, 24)}${rectangle(132, 80, 3, 18)}${rectangle(143, 86, 3, 12)}${rectangle(104, 96, 50, 3)}`,
      fill: near,
    },
    {
      d: Array.from({ length: 26 }, () => rectangle(random.between(168, 226), random.between(40, 106), 2, 1.6)).join(
        "",
      ),
      fill: light,
    },
    {
      d: ground(at`-2 146, 40 138, 90 148, 200 140, 302 146`),
      fill: near,
    },
  ];
};

const atlantis: View = (random, [, far, middle, near, light]) => {
  const dome = (x: number, r: number, base: number) =>
    `M${x - r} ${base}A${r} ${r} 0 0 1 ${x + r} ${base}Z${rectangle(x - 0.8, base - r - 9, 1.6, 10)}${rectangle(x - r, base, 2 * r, 30)}`;
  return [
    {
      d: at`40 70, 110 50, 190 60, 250 44`
        .map(([x, w]) =>
          pathOf(
            at`${x as number} -2, ${(x as number) + 18} -2,
      ${(x as number) - 30 + (w as number)} 152, ${(x as number) - 60} 152`,
            true,
          ),
        )
        .join(""),
      fill: light,
      opacity: 0.2,
    },
    {
      d: ground(at`-2 100, 50 84, 110 104, 180 78, 250 98, 302 84`),
      fill: far,
    },
    {
      d: dome(120, 16, 116) + dome(152, 30, 120) + dome(192, 20, 116) + dome(88, 12, 120) + dome(222, 12, 120),
      fill: middle,
    },
    { d: `M128 116A24 24 0 0 1 146 93A30 30 0 0 0 136 116Z`, fill: light, opacity: 0.8 },
    {
      d: Array.from({ length: 18 }, () =>
        ellipse(random.between(6, 294), random.between(20, 120), random.between(1, 3)),
      ).join(""),
      fill: light,
      opacity: 0.7,
    },
    {
      d: ground(at`-2 128, 60 136, 130 126, 220 136, 302 124`),
      fill: near,
    },
    {
      d: at`24 34, 40 22, 268 38, 284 24, 252 20`
        .map(([x, h]) => `M${x} 150q-8 ${-(h as number) * 0.5} 0 ${-(h as number)}q6 ${(h as number) * 0.5} 5 ${h}Z`)
        .join(""),
      fill: near,
    },
  ];
};

const VIEWS: Record<string, readonly [View, Inks]> = {
  "Avengers Tower, NYC": [tower, ["#1d2f63", "#32508f", "#1f3568", "#0b1530", "#ffd27a"]],
  Attilan: [attilan, ["#1a1038", "#4a3a86", "#8a6bd0", "#120a2a", "#cfe6ff"]],
  "Hell's Kitchen, NYC": [kitchen, ["#5b1f2c", "#8e3a34", "#4c1a2a", "#1f0a16", "#ffb45e"]],
  Triskelion: [triskelion, ["#243c52", "#4b6d86", "#a9c1d1", "#132433", "#f3e7c0"]],
  Asgard: [asgard, ["#3a2163", "#6a4390", "#d8a437", "#25123f", "#ffe9a8"]],
  Wakanda: [wakanda, ["#b34a24", "#7c2f4c", "#3d1d4f", "#1d0c2b", "#ffcf70"]],
  Knowhere: [knowhere, ["#0b0b24", "#39306e", "#7a5a8f", "#0a0716", "#7fe3ff"]],
  Atlantis: [atlantis, ["#063a5c", "#0c6486", "#129aa6", "#04202f", "#b9fff2"]],
};

/** The panorama of a location: flat planes from the sky to the foreground, in a box of 300 by 150. */
export function survey(name: string): Plane[] {
  const view = VIEWS[name];
  if (view === undefined) throw new Error(`expected a location (${Object.keys(VIEWS).join("; ")}), got "${name}"`);
  const [draw, inks] = view;
  return [{ d: rectangle(0, 0, WIDTH, HEIGHT), fill: inks[0] }, ...draw(new Random(`location/${name}`), inks)];
}

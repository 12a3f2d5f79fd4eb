import { at, box, ellipse, path, pathOf, ring, type Point } from "./geometry";
import { Random } from "./random";
import { remember } from "./remember";

/** One flat plane of a panorama. */
export interface Plane {
  d: string;
  fill: string;
  opacity?: number;
}

/** The colours of a place, from the sky to the foreground, and its lights. */
interface Inks {
  sky: string;
  far: string;
  middle: string;
  near: string;
  light: string;
}

const WIDTH = 300;
const HEIGHT = 150;

/** A stage on which planes are set up one before the other. */
class Stage {
  readonly planes: Plane[] = [];

  constructor(
    readonly random: Random,
    readonly inks: Inks,
  ) {
    this.plane("sky", [rectangle(0, 0, WIDTH, HEIGHT)]);
  }

  plane(ink: keyof Inks, shapes: readonly string[], opacity?: number): this {
    const plane: Plane = { d: shapes.join(""), fill: this.inks[ink] };
    this.planes.push(opacity === undefined ? plane : { ...plane, opacity });
    return this;
  }

  /** Land or water below a line. */
  land(ink: keyof Inks, crest: readonly Point[]): this {
    return this.plane(ink, [polygon([[-2, HEIGHT + 2], ...crest, [WIDTH + 2, HEIGHT + 2]])]);
  }

  /** The houses of a city, as high as chance has it. */
  city(ink: keyof Inks, base: number, low: number, high: number, narrow: number, wide: number): this {
    const houses: string[] = [];
    for (let x = -4; x < WIDTH + 4;) {
      const width = this.random.between(narrow, wide);
      const height = this.random.between(low, high);
      houses.push(rectangle(x, base - height, width - 0.6, height + 60));
      if (this.random.chance(0.25)) houses.push(rectangle(x + width / 2 - 0.6, base - height - 9, 1.2, 9));
      x += width;
    }
    return this.plane(ink, houses);
  }

  /** Lit windows, in rows. */
  windows(count: number, left: number, right: number, top: number, bottom: number): this {
    const snap = (value: number, step: number) => Math.round(value / step) * step;
    return this.plane(
      "light",
      this.many(count, () =>
        rectangle(snap(this.random.between(left, right), 4), snap(this.random.between(top, bottom), 5), 1.8, 2.6),
      ),
      0.85,
    );
  }

  stars(count: number, bottom: number): this {
    const { random } = this;
    return this.plane(
      "light",
      this.many(count, () => ellipse(random.between(2, 298), random.between(4, bottom), random.between(0.5, 1.4))),
      0.9,
    );
  }

  many(count: number, make: (index: number) => string): string[] {
    return Array.from({ length: count }, (_, i) => make(i));
  }
}

function polygon(points: readonly Point[]): string {
  return pathOf(points, true);
}

function rectangle(x: number, y: number, width: number, height: number): string {
  return polygon(box(x, y, width, height));
}

/** A slender roof that swings up to a point. */
function spire(x: number, half: number, height: number, base: number): string {
  return polygon(
    at`${x - half} ${base}, ${x - half * 0.8} ${base - height * 0.5}, ${x - half * 0.3} ${base - height * 0.62},
      ${x} ${base - height}, ${x + half * 0.3} ${base - height * 0.62}, ${x + half * 0.8} ${base - height * 0.5},
      ${x + half} ${base}`,
  );
}

function dome(x: number, radius: number, base: number): string {
  const roof = path`M${x - radius} ${base}A${radius} ${radius} 0 0 1 ${x + radius} ${base}Z`;
  return roof + rectangle(x - 0.8, base - radius - 9, 1.6, 10) + rectangle(x - radius, base, 2 * radius, 40);
}

type View = (stage: Stage) => void;

const avengersTower: View = (stage) => {
  stage.plane("light", [ellipse(206, 62, 26)], 0.9);
  stage.city("far", 108, 14, 48, 12, 24).city("middle", 128, 12, 40, 14, 28);
  stage.windows(40, 0, 200, 92, 130);
  stage.plane("near", [
    polygon(at`228 150, 233 50, 244 30, 258 24, 264 42, 270 150`),
    polygon(at`214 78, 286 68, 283 78, 220 87`),
    rectangle(251, 10, 1.8, 18),
  ]);
  stage.plane(
    "light",
    [96, 108, 120, 132].map((y) => rectangle(236, y, 27, 2.2)),
  );
};

const attilan: View = (stage) => {
  const { random } = stage;
  stage.stars(26, 90);
  stage.plane("light", [ellipse(150, 66, 17)]);
  stage.plane("far", ["M137 61Q145 56 150 61T163 60Q166 68 161 73T149 74T137 70Q135 65 137 61Z"], 0.6);
  stage.land("far", at`-2 100, 60 90, 130 97, 220 88, 302 98`);
  stage.plane("light", ["M166 118A66 66 0 0 1 298 118Z"], 0.2);
  stage.plane(
    "middle",
    at`184 26, 200 42, 216 56, 233 68, 250 54, 266 40, 282 24`.map(([x, height]) => spire(x, 7, height, 120)),
  );
  stage.land("near", at`-2 112, 50 107, 150 116, 250 110, 302 116`);
  stage.plane(
    "middle",
    stage.many(7, () =>
      ellipse(random.between(206, 294), random.between(122, 146), random.between(4, 11), random.between(1.4, 2.6)),
    ),
    0.6,
  );
};

const hellsKitchen: View = (stage) => {
  const tank = (x: number, y: number, s: number) => [
    rectangle(x - 9 * s, y - 18 * s, 18 * s, 16 * s),
    polygon(at`${x - 11 * s} ${y - 18 * s}, ${x} ${y - 28 * s}, ${x + 11 * s} ${y - 18 * s}`),
    ...[-8, -0.8, 6.4].map((leg) => rectangle(x + leg * s, y - 2 * s, 1.6 * s, 14 * s)),
  ];
  stage.plane("light", [ellipse(150, 66, 20)], 0.95);
  stage.city("far", 106, 12, 42, 16, 30).city("middle", 128, 16, 40, 26, 44);
  stage.plane("middle", [...tank(112, 86, 0.9), ...tank(186, 90, 0.7)]);
  stage.windows(30, 0, 210, 96, 130);
  stage.plane("near", [rectangle(216, 60, 90, 100), rectangle(211, 55, 94, 6), ...tank(244, 48, 0.85)]);
  stage.plane(
    "middle",
    stage.many(5, (i) => {
      const [a, b] = i % 2 === 0 ? [268, 238] : [238, 268];
      const y = 74 + i * 16;
      return (
        rectangle(232, y, 42, 2.2) + polygon(at`${a} ${y + 2}, ${b} ${y + 16}, ${b + 3} ${y + 16}, ${a + 3} ${y + 2}`)
      );
    }),
  );
  stage.windows(8, 282, 296, 70, 146);
};

const triskelion: View = (stage) => {
  const { random } = stage;
  stage.plane("light", [ellipse(120, 70, 26)], 0.7);
  stage.land("far", at`-2 92, 40 82, 90 90, 150 80, 220 90, 302 78`);
  stage.plane("middle", [
    polygon(at`234 128, 239 36, 253 32, 258 128`),
    polygon(at`194 128, 202 62, 220 56, 226 128`),
    polygon(at`266 128, 272 56, 290 62, 298 128`),
    rectangle(208, 76, 78, 6),
    rectangle(204, 98, 86, 6),
  ]);
  stage.plane("light", [ellipse(246, 27, 4)]);
  stage.windows(14, 204, 292, 66, 116);
  stage.land("near", at`-2 108, 60 107, 150 106, 182 122, 302 124`);
  stage.plane(
    "far",
    stage.many(18, () => rectangle(random.between(0, 280), random.between(112, 147), random.between(10, 30), 1.4)),
    0.5,
  );
};

const asgard: View = (stage) => {
  stage.plane("light", [ellipse(206, 74, 46)], 0.35);
  stage.stars(26, 80);
  stage.land("far", at`-2 104, 50 82, 90 96, 140 76, 200 92, 260 70, 302 84`);
  const great = at`166 44, 186 62, 208 84, 232 66, 254 48, 274 36`;
  stage.plane(
    "middle",
    great.map(([x, height], i) => spire(x, 10 + (i % 2) * 3, height, 110)),
  );
  stage.plane(
    "light",
    at`196 36, 220 46, 243 34`.map(([x, height]) => spire(x, 8, height, 112)),
    0.55,
  );
  // The bridge of light.
  stage.plane(
    "light",
    [0, 1, 2].map(
      (i) =>
        path`M-4 ${92 + i * 6}Q90 ${58 + i * 6} 180 ${92 + i * 4}L180 ${95 + i * 4}Q90 ${62 + i * 6} -4 ${96 + i * 6}Z`,
    ),
    0.85,
  );
  stage.land("near", at`-2 114, 80 112, 150 104, 302 106`);
};

const wakanda: View = (stage) => {
  const acacia = (x: number, y: number, s: number) => [
    polygon(
      at`${x - 1.4 * s} ${y}, ${x - 0.8 * s} ${y - 16 * s}, ${x - 10 * s} ${y - 24 * s}, ${x} ${y - 18 * s},
        ${x + 9 * s} ${y - 25 * s}, ${x + 0.8 * s} ${y - 15 * s}, ${x + 1.4 * s} ${y}`,
    ),
    ellipse(x - 8 * s, y - 25 * s, 13 * s, 4 * s),
    ellipse(x + 8 * s, y - 28 * s, 12 * s, 4 * s),
  ];
  const hall = ([x, height]: Point) => {
    const top = 126 - height;
    return path`M${x - 9} 126V${top}Q${x - 9} ${top - 16} ${x} ${top - 18}Q${x + 9} ${top - 16} ${x + 9} ${top}V126Z`;
  };
  stage.plane("light", [ellipse(118, 78, 32)]);
  stage.land("far", at`-2 92, 30 72, 70 90, 110 64, 160 84, 230 46, 270 70, 302 58`);
  stage.plane("light", [polygon(at`176 78, 184 78, 188 126, 174 126`)], 0.6);
  stage.plane("middle", at`204 30, 222 46, 243 66, 264 50, 284 34`.map(hall));
  stage.plane(
    "light",
    at`222 82, 243 62, 264 78`.map(([x, y]) => ellipse(x, y, 2.4)),
  );
  stage.land("near", at`-2 110, 60 104, 140 112, 220 122, 302 126`);
  stage.plane("near", [...acacia(36, 106, 1.1), ...acacia(158, 114, 0.9), ...acacia(92, 108, 0.6)]);
};

const knowhere: View = (stage) => {
  const { random } = stage;
  const rough = (points: readonly Point[]) =>
    points.map(([x, y], i) => [x + ((i * 37) % 11) - 5, y + ((i * 23) % 9) - 4] as const);
  const rock = rough(ring(190, 66, 92, 46, 20, 0.02));
  stage.stars(44, 146);
  stage.plane("far", [ellipse(50, 74, 30, 15)], 0.7);
  stage.plane("middle", [polygon(rock)]);
  stage.plane(
    "far",
    [polygon(rock.map(([x, y]) => [190 + (x - 190) * 0.8 + 18, 66 + (y - 66) * 0.8 + 9] as const))],
    0.6,
  );
  // The hollow where they mine, and the town in it.
  stage.plane("near", [polygon(rough(ring(164, 72, 46, 21, 14, 0.04)))]);
  stage.plane(
    "far",
    at`138 15, 147 24, 158 12, 166 29, 176 19, 187 10`.map(([x, h]) => rectangle(x, 90 - h, 7, h)),
  );
  stage.windows(18, 138, 192, 64, 88);
  stage.plane(
    "light",
    stage.many(30, () => rectangle(random.between(212, 266), random.between(44, 92), 2, 1.6)),
  );
};

const atlantis: View = (stage) => {
  const { random } = stage;
  stage.plane(
    "light",
    at`40 70, 110 50, 190 60, 250 44`.map(([x, w]) =>
      polygon(at`${x} -2, ${x + 18} -2, ${x - 30 + w} 152, ${x - 60} 152`),
    ),
    0.2,
  );
  stage.land("far", at`-2 88, 50 74, 110 92, 180 70, 250 88, 302 74`);
  stage.plane("middle", [
    dome(168, 15, 98),
    dome(204, 29, 101),
    dome(246, 19, 98),
    dome(138, 11, 101),
    dome(274, 11, 101),
  ]);
  stage.plane("light", ["M181 98A24 24 0 0 1 198 76A30 30 0 0 0 188 98Z"], 0.8);
  stage.plane(
    "light",
    stage.many(20, () => ellipse(random.between(6, 294), random.between(20, 100), random.between(0.8, 2.6))),
    0.7,
  );
  stage.land("near", at`-2 104, 60 110, 130 103, 220 110, 302 102`);
  stage.plane(
    "near",
    at`20 40, 34 28, 48 36, 110 20`.map(
      ([x, h]) => path`M${x} 112Q${x - 8} ${112 - h * 0.5} ${x} ${112 - h}Q${x + 6} ${112 - h * 0.5} ${x + 5} 112Z`,
    ),
  );
};

const VIEWS: Record<string, readonly [View, Inks]> = {
  "Avengers Tower, NYC": [
    avengersTower,
    { sky: "#21376f", far: "#3d5fa3", middle: "#223a72", near: "#0b1530", light: "#ffd27a" },
  ],
  Attilan: [attilan, { sky: "#1f1444", far: "#4a3a86", middle: "#9a7be0", near: "#150c30", light: "#cfe6ff" }],
  "Hell's Kitchen, NYC": [
    hellsKitchen,
    { sky: "#74283a", far: "#a5483c", middle: "#5c2232", near: "#1f0a16", light: "#ffb45e" },
  ],
  Triskelion: [triskelion, { sky: "#2c4a64", far: "#587d97", middle: "#b6cddb", near: "#152a3b", light: "#f3e7c0" }],
  Asgard: [asgard, { sky: "#432873", far: "#7450a0", middle: "#dba93a", near: "#25123f", light: "#ffe9a8" }],
  Wakanda: [wakanda, { sky: "#c1542a", far: "#86344f", middle: "#3f1f55", near: "#1d0c2b", light: "#ffcf70" }],
  Knowhere: [knowhere, { sky: "#10102e", far: "#40367a", middle: "#86659c", near: "#0a0716", light: "#7fe3ff" }],
  Atlantis: [atlantis, { sky: "#064468", far: "#0e6f93", middle: "#16a8b2", near: "#04202f", light: "#b9fff2" }],
};

/** The panorama of a location: flat planes from the sky to the foreground, in a box of 300 by 150. */
export const survey = remember(surveyNew, (name) => name);

function surveyNew(name: string): Plane[] {
  const view = VIEWS[name];
  if (view === undefined) throw new Error(`expected a location (${Object.keys(VIEWS).join("; ")}), got "${name}"`);
  const [draw, inks] = view;
  const stage = new Stage(new Random(`location/${name}`), inks);
  draw(stage);
  return stage.planes;
}

import { path, type Point } from "../geometry";
import {
  arc,
  area,
  arrow,
  bar,
  blade,
  both,
  disc,
  gon,
  lightning,
  polar,
  type Print,
  rays,
  ribbon,
  star,
  times,
} from "./print";

/** The idea of a character: shapes round 0, 0, about 90 to each side. */
export type Figure = (print: Print) => void;

/** A web: threads from a point, and the rounds between them, that sag. */
function web(p: Print, x: number, y: number, threads: number, rounds: number, from = 0, to = 1, reach = 210): void {
  const share = (i: number) => from + ((to - from) * i) / threads;
  let d = "";
  for (let i = 0; i <= threads; i += 1) {
    const [ex, ey] = polar(share(i), reach, x, y);
    d += path`M${x} ${y}L${ex} ${ey}`;
  }
  for (let j = 1; j <= rounds; j += 1) {
    const r = reach * (j / (rounds + 1)) ** 1.3;
    for (let i = 0; i < threads; i += 1) {
      const [ax, ay] = polar(share(i), r, x, y);
      const [bx, by] = polar(share(i + 1), r, x, y);
      const [cx, cy] = polar(share(i + 0.5), r * 0.8, x, y);
      d += path`M${ax} ${ay}Q${cx} ${cy} ${bx} ${by}`;
    }
  }
  p.line("light", 2.2, d);
}

/** A spider from above. */
function spider(p: Print, x: number, y: number, s: number, turn = 0): void {
  const c = Math.cos(turn);
  const n = Math.sin(turn);
  const at = (u: number, v: number): Point => [x + s * (u * c - v * n), y + s * (u * n + v * c)];
  const leg = (side: number, ...joints: number[]): string => {
    const points: Point[] = [];
    for (let i = 0; i + 1 < joints.length; i += 2)
      points.push(at(side * (joints[i] as number), joints[i + 1] as number));
    return points.map(([px, py], i) => `${i === 0 ? "M" : "L"}${px} ${py}`).join("");
  };
  const legs = (side: number) =>
    leg(side, 4, -6, 26, -26, 34, -54) +
    leg(side, 5, -2, 34, -12, 52, -30) +
    leg(side, 5, 3, 34, 12, 50, 34) +
    leg(side, 4, 7, 24, 26, 30, 56);
  p.line("deep", 4.5 * s, legs(-1) + legs(1));
  const [ax, ay] = at(0, 18);
  const [bx, by] = at(0, -6);
  p.fill("deep", disc(ax, ay, 12 * s, 17 * s) + disc(bx, by, 9 * s));
}

/** A mask-like eye; not a face. */
function eye(p: Print, x: number, y: number, w: number, h: number, slit: number): void {
  p.fill("light", path`M${x - w} ${y}Q${x} ${y - h * 2} ${x + w} ${y}Q${x} ${y + h * 2} ${x - w} ${y}Z`);
  p.fill("accent", disc(x, y, h * 0.86))
    .fill("deep", disc(x, y, slit, h * 0.8))
    .fill("glint", disc(x - h * 0.3, y - h * 0.35, h * 0.15));
}

function city(p: Print, base: number, seed: readonly number[]): void {
  const width = 220 / seed.length;
  p.fill(
    "deep",
    seed
      .map((h, i) =>
        area(
          -110 + i * width,
          120,
          -110 + i * width,
          base - h,
          -110 + (i + 0.92) * width,
          base - h,
          -110 + (i + 0.92) * width,
          120,
        ),
      )
      .join(""),
  );
  p.fill(
    "accent",
    seed
      .map((h, i) =>
        times(3, (j) =>
          h > 20 + j * 14 ? area(...box(-106 + i * width + (j % 2) * 6, base - h + 8 + j * 13, 3, 5)) : "",
        ),
      )
      .join(""),
  );
}

function box(
  x: number,
  y: number,
  w: number,
  h: number,
): [number, number, number, number, number, number, number, number] {
  return [x, y, x + w, y, x + w, y + h, x, y + h];
}

function flame(x: number, y: number, w: number, h: number): string {
  return path`M${x} ${y - h}Q${x + w * 0.2} ${y - h * 0.6} ${x + w * 0.7} ${y - h * 0.55}Q${x + w * 0.55} ${y - h * 0.35} ${x + w} ${y - h * 0.2}Q${x + w} ${y + h * 0.15} ${x} ${y + h * 0.15}Q${x - w} ${y + h * 0.15} ${x - w} ${y - h * 0.15}Q${x - w * 0.8} ${y - h * 0.3} ${x - w * 0.75} ${y - h * 0.5}Q${x - w * 0.3} ${y - h * 0.4} ${x} ${y - h}Z`;
}

function galaxyArm(turn: number, from: number, to: number, reach = 92, bend = 0.55): string {
  return ribbon(
    Array.from({ length: 9 }, (_, i) => polar(turn + (bend * i) / 8, 8 + (reach - 8) * (i / 8))),
    from,
    to,
  );
}

function mandala(p: Print, sides: number, squares: boolean): void {
  p.line("light", 4, disc(0, 0, 84)).line("mid", 2.4, disc(0, 0, 76) + disc(0, 0, 40));
  p.line(
    "light",
    2.6,
    gon(0, 0, 76, sides) +
      gon(0, 0, 76, sides, -0.25 + 0.5 / sides) +
      (squares ? gon(0, 0, 40, 4) + gon(0, 0, 40, 4, -0.125) : star(0, 0, 40, 18, sides)),
  );
  p.fill(
    "accent",
    times(sides * 2, (i) => disc(...polar(i / (sides * 2), 80), 4.5)),
  ).fill("glint", star(0, 0, 20, 7, 8));
}

function feathers(
  p: Print,
  x: number,
  y: number,
  count: number,
  reach: number,
  from: number,
  to: number,
  width = 15,
): void {
  for (let i = 0; i < count; i += 1) {
    const t = i / (count - 1);
    const angle = from + (to - from) * t;
    const [ex, ey] = polar(angle, reach * (1 - 0.4 * t), x, y);
    p.fill(i % 2 === 0 ? "light" : "mid", both(blade(x, y, ex, ey, width)));
  }
}

const thruster: Figure = (p) => {
  p.fill("mid", flame(0, 0, 40, -96))
    .fill("light", flame(0, 0, 26, -66))
    .fill("glint", flame(0, 0, 13, -40));
  p.fill("light", "M0 -92Q34 -60 28 4H-28Q-34 -60 0 -92Z")
    .fill("mid", "M0 -92Q34 -60 28 4H6Q14 -50 0 -92Z")
    .fill("accent", both("M-26 -22L-56 10L-52 26L-27 4Z") + disc(0, -44, 11));
};

const saber: Figure = (p) => {
  p.fill("light", blade(-66, 70, 70, -88, 20))
    .fill("glint", bar(-62, 66, 54, -70, 3))
    .fill("accent", bar(-78, 40, -36, 84, 11) + bar(-66, 70, -90, 98, 13))
    .fill("mid", blade(66, 70, -70, -88, 20), 0.5);
};

const board: Figure = (p) => {
  p.fill(
    "light",
    times(5, (i) =>
      times(5, (j) => {
        if ((i + j) % 2 === 1) return "";
        const x = (u: number, v: number) => (u - 2.5) * (16 + v * 9);
        const y = (v: number) => -6 + v * v * 2.4 + v * 6;
        return area(x(i, j), y(j), x(i + 1, j), y(j), x(i + 1, j + 1), y(j + 1), x(i, j + 1), y(j + 1));
      }),
    ),
  );
  p.fill("accent", "M-30 6Q-40 -20 -28 -34A16 16 0 1 1 -12 -34Q0 -20 -10 6Z")
    .fill("glint", "M22 34Q8 0 24 -18A22 22 0 1 1 52 -18Q66 0 56 34Z")
    .fill("mid", "M40 34Q60 0 44 -16A22 22 0 0 0 52 -52Q74 -34 54 -16Q68 0 58 34Z");
};

const circuit: Figure = (p) => {
  p.fill("mid", area(...box(-62, -66, 124, 120))).fill("deep", area(...box(-50, -54, 100, 96)));
  p.line(
    "light",
    4,
    "M-50 -30H-20V-6H-36V22M50 -30H20V-6H36V22M-18 42V18H0V-40M18 42V22M-50 36H-36M50 36H36M0 -40H30M0 -40H-30",
  );
  p.fill("accent", disc(0, -40, 12) + disc(-36, 24, 6) + disc(36, 24, 6) + disc(0, 18, 6)).fill(
    "glint",
    disc(-4, -44, 4),
  );
};

const slashes: Figure = (p) => {
  for (const [i, x] of [-46, -8, 30].entries()) {
    p.fill("deep", path`M${x + 44} -92Q${x + 16} -10 ${x - 26} 82Q${x + 30} 14 ${x + 62} -88Z`, 0.8);
    p.fill(i === 1 ? "glint" : "light", path`M${x + 40} -92Q${x + 10} -10 ${x - 30} 78Q${x + 22} 10 ${x + 54} -90Z`);
  }
};

const acorn: Figure = (p) => {
  p.fill(
    "mid",
    ribbon(
      [
        [6, 70],
        [66, 62],
        [86, 6],
        [58, -52],
        [14, -40],
        [34, -8],
      ],
      22,
      44,
    ),
  );
  p.fill("light", "M-70 -2Q-70 60 -28 82Q14 60 14 -2Z")
    .fill("glint", "M-56 4Q-56 46 -34 66Q-46 30 -42 4Z")
    .fill("accent", "M-80 0Q-78 -36 -28 -38Q22 -36 24 0Q-28 14 -80 0Z")
    .fill("deep", bar(-28, -36, -18, -60, 9))
    .line("deep", 2, "M-70 -8Q-28 6 14 -8M-66 -20Q-28 -8 10 -20M-54 -30L-40 -2M-28 -36V0M-2 -30L-16 -2", 0.6);
};

const webGlider: Figure = (p) => {
  web(p, 0, -90, 10, 5, 0.02, 0.48, 190);
  p.fill("accent", both("M0 -40L96 -64Q70 -20 58 44Q30 12 0 18Z"))
    .fill("deep", both("M0 -20L62 -40Q46 -10 40 18Q20 2 0 4Z"), 0.55)
    .fill("glint", area(0, -58, 10, -10, 0, 50, -10, -10));
};

const wings: Figure = (p) => {
  feathers(p, 10, 36, 8, 122, -0.07, -0.24, 15);
  p.fill("accent", area(0, -40, 13, 14, 0, 62, -13, 14));
};

const scales: Figure = (p) => {
  for (let row = 0; row < 7; row += 1) {
    p.fill(
      row % 2 === 0 ? "mid" : "light",
      times(6, (i) => {
        const [x, y] = [-110 + i * 38 + (row % 2) * 19, -92 + row * 26];
        return path`M${x} ${y}H${x + 38}Q${x + 38} ${y + 30} ${x + 19} ${y + 40}Q${x} ${y + 30} ${x} ${y}Z`;
      }),
      row % 2 === 0 ? 0.95 : 0.8,
    );
  }
  p.fill("deep", "M-80 -4Q0 -66 80 -4Q0 58 -80 -4Z");
  eye(p, 0, -4, 68, 24, 6);
};

const mane: Figure = (p) => {
  p.fill("mid", star(0, 0, 96, 62, 18))
    .fill("light", star(0, 0, 78, 48, 16, -0.22))
    .fill("accent", star(0, 0, 54, 36, 14))
    .fill("deep", disc(0, 0, 33));
  p.fill("glint", bar(-58, 84, 52, -70, 6) + area(52, -70, 40, -74, 66, -96, 62, -60)).line(
    "glint",
    3,
    "M-30 44L-40 74M-24 38L-28 70",
  );
};

const horn: Figure = (p) => {
  p.fill("mid", area(-100, 84, -90, 30, -50, 0, 20, -4, 70, 30, 100, 84))
    .fill("light", "M-40 20Q10 0 34 -96Q64 0 44 48Q0 70 -40 20Z")
    .fill("glint", "M-10 18Q22 -10 34 -96Q32 -20 16 30Z")
    .fill("accent", "M44 40Q66 10 78 -30Q92 14 76 60Z");
  p.line("deep", 5, "M-88 -80L-60 -52L-70 -30L-44 -12M84 -90L76 -62L94 -44M-20 -96L-12 -70L-28 -56");
};

const shockwave: Figure = (p) => {
  for (let i = 4; i > 0; i -= 1) p.line(i % 2 === 0 ? "light" : "mid", 9, disc(0, 46, i * 27, i * 11));
  p.fill("deep", area(-8, 46, -50, 100, -36, 62, -96, 76, -40, 52) + area(8, 46, 60, 100, 40, 64, 100, 74, 44, 50))
    .fill("glint", area(-20, -96, 20, -96, 8, -30, 20, -34, 0, 48, -12, -16, -24, -12))
    .fill("accent", area(-20, -96, 0, -96, -4, -20, 0, 48, -12, -16, -24, -12));
};

const spikes: Figure = (p) => {
  p.fill("mid", star(0, 10, 96, 44, 11, 0.02)).fill("light", star(0, 10, 78, 40, 11, 0.045));
  p.fill("dark", gon(0, 10, 46, 9))
    .fill("accent", gon(0, 10, 30, 7, 0.1))
    .line("deep", 5, "M-44 0L-14 8L-22 30L0 20L12 52M0 20L16 -2L6 -34M16 -2L44 12");
};

const snowflake: Figure = (p) => {
  p.line(
    "light",
    6,
    times(6, (i) => {
      const [x, y] = polar(i / 6 + 1 / 12, 90);
      const barb = (r: number, reach: number) =>
        [-1, 1]
          .map((side) => {
            const [ax, ay] = polar(i / 6 + 1 / 12, r);
            const [bx, by] = polar(i / 6 + 1 / 12 + side * 0.055, r + reach);
            return path`M${ax} ${ay}L${bx} ${by}`;
          })
          .join("");
      return path`M0 0L${x} ${y}${barb(40, 20)}${barb(62, 16)}`;
    }),
  );
  p.fill("mid", gon(0, 0, 30, 6, 1 / 12))
    .fill("glint", gon(0, 0, 18, 6, 0))
    .fill("accent", gon(0, 0, 8, 6, 1 / 12));
};

const starPortal: Figure = (p) => {
  for (const [ink, r] of [
    ["mid", 98],
    ["deep", 82],
    ["light", 70],
    ["accent", 52],
    ["deep", 36],
    ["glint", 24],
  ] as const)
    p.fill(ink, star(0, 2, r, r * 0.42, 5));
};

const sting: Figure = (p) => {
  const points = Array.from({ length: 8 }, (_, i) => polar(0.3 + i * 0.085, 74 - i * 2, 0, 6));
  points.forEach(([x, y], i) => p.fill(i % 2 === 0 ? "light" : "mid", disc(x, y, 22 - i * 1.6)));
  p.fill("accent", "M44 28Q70 44 56 74Q34 88 4 82Q36 74 38 56Q34 44 26 40Z")
    .fill("glint", disc(48, 42, 5))
    .fill("deep", disc(-4, 12, 16));
};

const webCity: Figure = (p) => {
  web(p, 92, -96, 9, 6, 0.24, 0.52, 230);
  city(p, 66, [18, 44, 30, 70, 52, 26, 60, 38]);
  p.fill("accent", bar(92, -96, -34, 20, 4)).fill("glint", disc(-36, 22, 9));
};

const webGrid: Figure = (p) => {
  web(p, 0, -6, 12, 5, 0, 1, 112);
  p.line("accent", 4, gon(0, -6, 86, 4) + gon(0, -6, 56, 4) + gon(0, -6, 28, 4)).fill("glint", gon(0, -6, 11, 4));
};

const webStar: Figure = (p) => {
  web(p, 0, 0, 16, 6, 0, 1, 118);
  spider(p, 0, 0, 1.15);
};

const webThreads: Figure = (p) => {
  p.line("light", 2.4, "M-76 -130V10M-46 -130V-40M-12 -130V30M26 -130V-16M60 -130V44");
  p.fill("light", gon(-46, -28, 19, 6))
    .fill("mid", gon(26, -2, 23, 6))
    .fill("accent", disc(-12, 44, 21) + disc(60, 58, 15))
    .fill("glint", star(-76, 22, 22, 7, 4));
  web(p, -12, 44, 8, 2, 0, 1, 66);
};

const webPetals: Figure = (p) => {
  for (let i = 0; i < 8; i += 1) {
    const [x, y] = polar(i / 8, 48);
    p.fill(i % 2 === 0 ? "light" : "mid", disc(x, y, 36), 0.85);
  }
  p.fill("deep", disc(0, 0, 40));
  web(p, 0, 0, 10, 3, 0, 1, 44);
  p.fill("accent", disc(0, 0, 7));
};

const webCorner: Figure = (p) => {
  web(p, -104, -104, 8, 7, 0, 0.25, 250);
  p.fill("accent", "M20 -8Q56 -36 88 -4Q70 34 20 -8Z")
    .fill("accent", "M14 12Q30 56 70 62Q70 16 14 12Z")
    .fill("glint", disc(20, 4, 8));
};

const webBolt: Figure = (p) => {
  web(p, -92, 92, 8, 6, 0.73, 1.02, 220);
  p.fill("accent", lightning(-70, 70, 84, -86, 38)).fill("glint", lightning(-58, 56, 66, -68, 15));
};

const moonDunes: Figure = (p) => {
  p.fill("light", disc(6, -20, 68))
    .fill("glint", disc(-4, -28, 52), 0.7)
    .fill("mid", disc(30, -44, 11) + disc(-20, 2, 8) + disc(22, 4, 14), 0.55);
  p.fill("dark", "M-110 60Q-50 26 0 56Q60 84 110 40V120H-110Z")
    .fill("accent", area(-64, 62, -24, 0, 16, 62))
    .fill("deep", area(-24, 0, 16, 62, -10, 62))
    .fill("deep", "M-110 76Q-40 52 20 78Q70 96 110 70V120H-110Z");
};

const paw: Figure = (p) => {
  p.line("accent", 5, disc(0, 4, 92)).line("mid", 3, disc(0, 4, 80));
  p.fill(
    "light",
    "M0 4Q34 8 42 38Q42 62 16 58Q0 54 -16 58Q-42 62 -42 38Q-34 8 0 4Z" +
      disc(-50, -4, 15, 20) +
      disc(-20, -34, 16, 23) +
      disc(20, -34, 16, 23) +
      disc(50, -4, 15, 20),
  ).fill("glint", disc(-22, -42, 5, 8) + disc(18, -42, 5, 8));
};

const tridents: Figure = (p) => {
  const draw = (side: number) =>
    blade(side * 66, 84, side * -46, -92, 13) +
    path`M${side * 52} 24Q${side * 70} -20 ${side * 34} -46Q${side * 56} -16 ${side * 30} 10ZM${side * 2} 42Q${side * -34} 20 ${side * -20} -28Q${side * -20} 14 ${side * 14} 24Z`;
  p.fill("light", draw(1))
    .fill("mid", draw(-1))
    .fill("accent", bar(42, 46, 66, 84, 13) + bar(-42, 46, -66, 84, 13))
    .fill("glint", disc(0, -6, 8));
};

const darts: Figure = (p) => {
  for (const [ink, r] of [
    ["light", 86],
    ["deep", 68],
    ["mid", 54],
    ["deep", 38],
    ["accent", 22],
  ] as const)
    p.fill(ink, disc(-4, 0, r));
  p.fill("glint", arrow(96, -92, 0, -2, 9)).fill("glint", arrow(98, 40, 6, 8, 7));
};

const insectWings: Figure = (p) => {
  p.fill("light", both("M4 0Q60 -96 98 -64Q104 -10 4 4Z"), 0.9).fill("mid", both("M4 6Q72 6 88 44Q60 74 4 12Z"), 0.95);
  p.line("deep", 2, both("M6 0Q56 -40 92 -62M8 2Q56 -22 94 -38M8 10Q50 20 82 44M24 -20Q40 -30 60 -72"), 0.7);
  for (let i = 0; i < 5; i += 1) p.fill(i % 2 === 0 ? "accent" : "deep", disc(0, -14 + i * 18, 12 - i * 1.4, 11));
  p.line("accent", 3, both("M3 -24Q14 -50 30 -56"));
};

const wingedSpear: Figure = (p) => {
  feathers(p, 4, 10, 5, 100, -0.02, -0.17, 16);
  p.fill("accent", bar(0, -40, 0, 98, 8))
    .fill("glint", area(0, -104, 18, -50, 0, -32, -18, -50))
    .fill("light", area(0, -104, 0, -32, -18, -50));
};

const arsenal: Figure = (p) => {
  p.fill("mid", disc(0, 0, 62))
    .fill("deep", disc(0, 0, 48))
    .fill("light", disc(0, 0, 34))
    .line("accent", 6, arc(-70, 0, 104, -0.13, 0.13))
    .fill("glint", arrow(-92, 40, 92, -44, 7))
    .fill("light", blade(-62, -80, 66, 84, 15))
    .fill("accent", bar(-40, -74, -64, -50, 8));
};

const boltStar: Figure = (p) => {
  p.fill(
    "mid",
    times(6, (i) => lightning(0, 0, ...polar(i / 6 + 0.04, 110), 30)),
  )
    .fill(
      "glint",
      times(6, (i) => lightning(0, 0, ...polar(i / 6 + 0.1, 82), 17)),
    )
    .fill("accent", star(0, 0, 34, 20, 10))
    .fill("glint", disc(0, 0, 14));
};

const orbMist: Figure = (p) => {
  p.fill("light", disc(0, -14, 66), 0.55)
    .fill("deep", disc(0, -14, 57))
    .fill("mid", "M-54 0Q-30 -44 0 -20T54 -30Q58 10 20 38Q-34 46 -54 0Z")
    .fill("accent", "M-40 6Q-14 -26 8 0T48 2Q36 36 0 42Q-34 34 -40 6Z")
    .fill("glint", "M-44 -40Q-30 -66 -4 -68Q-26 -54 -34 -32Z");
  p.fill("light", "M-110 60Q-80 34 -50 56Q-20 26 12 54Q44 30 70 56Q96 44 110 60V86H-110Z", 0.9).fill(
    "mid",
    "M-110 80Q-70 56 -30 78Q10 58 50 80Q84 62 110 80V110H-110Z",
  );
};

const fin: Figure = (p) => {
  p.fill("light", "M-50 50Q-30 -60 58 -92Q34 -30 62 50Z")
    .fill("mid", "M0 50Q2 -40 58 -92Q34 -30 62 50Z")
    .line("deep", 2.4, "M-30 40Q-10 -20 44 -74M-6 44Q8 -10 48 -58M20 46Q24 10 48 -30", 0.6);
  for (const [i, ink] of (["mid", "light", "accent"] as const).entries()) {
    const y = 44 + i * 18;
    p.fill(ink, path`M-110 ${y}Q-82 ${y - 26} -55 ${y}T0 ${y}T55 ${y}T110 ${y}V120H-110Z`);
  }
};

const elements: Figure = (p) => {
  p.fill("light", "M0 -4V-90A86 86 0 0 0 -86 -4Z")
    .fill("mid", "M4 -4V-90A86 86 0 0 1 90 -4Z")
    .fill("accent", "M-86 0A86 86 0 0 0 0 86V0Z")
    .fill("dark", "M90 0A86 86 0 0 1 4 86V0Z");
  p.fill("deep", flame(-32, -16, 20, 48))
    .line("deep", 6, "M20 -50Q34 -62 48 -50T76 -50M16 -28Q32 -40 46 -28T78 -28")
    .fill("deep", area(-62, 16, -34, 8, -12, 28, -20, 60, -44, 50))
    .line("light", 5, "M18 22H54A10 10 0 1 0 44 12M18 36H66M18 50H46A9 9 0 1 1 38 60");
};

const mandalaLamp: Figure = (p) => {
  mandala(p, 4, false);
  p.fill("accent", flame(0, 6, 16, 46)).fill("glint", flame(0, 6, 8, 26));
};
const mandalaGreat: Figure = (p) => {
  p.line("mid", 2, disc(0, 0, 98) + disc(0, 0, 92));
  mandala(p, 6, true);
  p.fill(
    "glint",
    times(12, (i) => star(...polar(i / 12 + 1 / 24, 95), 7, 3, 4)),
  );
};

const elastic: Figure = (p) => {
  for (const [i, ink] of (["mid", "light", "accent"] as const).entries())
    p.fill(
      ink,
      ribbon(
        [
          [-104, 70 - i * 26],
          [-50, 20 - i * 34],
          [0, 44 - i * 20],
          [44, -10 - i * 12],
          [60, -34],
        ],
        8,
        34 - i * 6,
      ),
    );
  p.fill("light", "M40 -46Q44 -84 76 -82Q104 -74 98 -34Q88 -8 60 -12Q40 -20 40 -46Z").line(
    "deep",
    4,
    "M56 -80Q52 -58 62 -46M72 -82Q68 -62 76 -48M86 -78Q82 -60 90 -50M44 -44Q60 -36 64 -16",
  );
};

const seismograph: Figure = (p) => {
  p.fill("mid", disc(0, 0, 88), 0.35)
    .line("mid", 4, disc(0, 0, 66) + disc(0, 0, 88))
    .line("light", 7, "M-108 6H-70L-58 -14L-46 26L-34 -44L-18 70L0 -92L18 76L34 -50L46 30L58 -16L68 6H108")
    .line("glint", 2, "M-108 6H-70L-58 -14L-46 26L-34 -44L-18 70L0 -92L18 76L34 -50L46 30L58 -16L68 6H108")
    .fill("accent", disc(0, -92, 8) + disc(18, 76, 6));
};

const vortex: Figure = (p) => {
  for (let i = 0; i < 6; i += 1) {
    const [w, y] = [92 - i * 13, -72 + i * 25];
    p.fill(
      (["light", "accent", "mid"] as const)[i % 3] ?? "mid",
      path`M${-w} ${y}Q0 ${y + 26} ${w} ${y}Q${w - 4} ${y + 20} ${w * 0.5} ${y + 26}Q-10 ${y + 32} ${-w * 0.86} ${y + 18}Z`,
    );
  }
  p.fill("light", "M-110 96Q-50 62 -12 70Q30 58 110 98V120H-110Z").fill(
    "glint",
    times(14, (i) => disc(...polar(i * 0.618, 50 + i * 3, 0, -10), 3)),
  );
};

const towers: Figure = (p) => {
  p.fill("accent", disc(14, -26, 56))
    .fill("light", area(-20, 110, -20, -66, 0, -96, 20, -66, 20, 110))
    .fill("mid", area(0, -96, 20, -66, 20, 110, 0, 110));
  p.fill(
    "deep",
    times(9, (i) => area(...box(-13, -58 + i * 16, 9, 9)) + area(...box(4, -58 + i * 16, 9, 9))),
    0.7,
  );
  city(p, 70, [60, 36, 74, 20, 10, 66, 40, 58]);
};

const pow: Figure = (p) => {
  p.fill("accent", star(0, 0, 98, 58, 12, 0.01))
    .fill("light", star(0, 0, 80, 52, 12, 0.03))
    .fill("glint", star(0, 0, 62, 46, 12, 0.01));
  p.line("mid", 13, "M-34 26Q-52 -26 -8 -36Q36 -38 32 4Q26 32 -2 26Q-22 16 -10 -4Q6 -14 12 2");
};

const crescentBlade: Figure = (p) => {
  p.fill("light", "M30 -92A92 92 0 1 0 70 66A74 74 0 1 1 30 -92Z")
    .fill("mid", "M70 66A92 92 0 0 1 -40 76A84 84 0 0 0 70 66Z")
    .fill("glint", blade(-80, 84, 84, -64, 15))
    .fill("accent", bar(-92, 96, -66, 70, 15) + bar(-74, 54, -50, 80, 7));
};

const volley: Figure = (p) => {
  for (const [i, y] of [-62, -30, 2, 34, 66].entries())
    p.fill(
      i === 2 ? "glint" : i % 2 === 0 ? "light" : "accent",
      arrow(-104 + i * 6, y + 34, 62 + (i % 3) * 14, y - 22, i === 2 ? 10 : 7),
    );
};

const bow: Figure = (p) => {
  p.fill("light", "M-30 -98Q84 -60 74 0Q84 60 -30 98Q56 50 54 0Q56 -50 -30 -98Z")
    .line("glint", 2.4, "M-30 -98L-72 0L-30 98")
    .fill("accent", arrow(-78, 0, 104, 0, 10))
    .fill("mid", area(...box(56, -18, 16, 36)));
};

const loopArrow: Figure = (p) => {
  p.fill(
    "light",
    ribbon(
      [
        [-104, 78],
        [-60, 66],
        [10, 62],
        [66, 20],
        [50, -50],
        [-10, -62],
        [-52, -24],
        [-22, 26],
        [40, 2],
        [78, -60],
      ],
      2,
      13,
    ),
  )
    .fill("accent", area(60, -54, 98, -98, 92, -40, 78, -54))
    .fill("glint", star(-52, -66, 16, 5, 4) + star(70, 70, 20, 6, 4));
};

const radar: Figure = (p) => {
  p.fill("dark", disc(0, 0, 90)).line(
    "light",
    3,
    disc(0, 0, 90) + disc(0, 0, 60) + disc(0, 0, 30) + "M-90 0H90M0 -90V90",
  );
  p.fill("accent", "M0 0L64 -64A90 90 0 0 1 90 0Z", 0.9)
    .fill("light", "M0 0L0 -90A90 90 0 0 1 64 -64Z", 0.35)
    .fill("glint", disc(-40, -30, 7) + disc(22, 54, 6) + disc(-58, 34, 5) + disc(34, -52, 8));
};

const hexCircuit: Figure = (p) => {
  const cells = [[0, 0], ...Array.from({ length: 6 }, (_, i) => polar(i / 6 + 1 / 12, 54))] as Point[];
  cells.forEach(([x, y], i) =>
    p.fill((["glint", "light", "mid", "light", "accent", "light", "mid"] as const)[i] ?? "mid", gon(x, y, 29, 6)),
  );
  p.line(
    "deep",
    3,
    cells
      .slice(1)
      .map(([x, y]) => path`M0 0L${x} ${y}`)
      .join(""),
  )
    .fill("deep", disc(0, 0, 12))
    .fill("accent", disc(0, 0, 6));
};

const vitrines: Figure = (p) => {
  for (let i = 0; i < 9; i += 1) {
    const [x, y] = [-84 + (i % 3) * 58, -88 + Math.floor(i / 3) * 58];
    p.fill(i % 2 === 0 ? "mid" : "light", area(...box(x, y, 52, 52)));
    const things = [
      disc(x + 26, y + 26, 15),
      star(x + 26, y + 27, 19, 8, 5),
      gon(x + 26, y + 26, 17, 6),
      flame(x + 26, y + 36, 11, 26),
      gon(x + 26, y + 26, 18, 3),
      blade(x + 12, y + 42, x + 42, y + 8, 8),
      disc(x + 26, y + 26, 8, 17),
      gon(x + 26, y + 26, 18, 4),
      area(...box(x + 15, y + 14, 22, 26)),
    ];
    p.fill(i % 4 === 0 ? "accent" : "deep", things[i] ?? "");
  }
};

const maze: Figure = (p) => {
  p.line("light", 8, [86, 66, 46, 26].map((r, i) => arc(0, 0, r, 0.06 + i * 0.27, 0.98 + i * 0.27)).join(""))
    .line("mid", 6, "M56 0H76M0 36V56M-56 0H-36M0 -76V-56")
    .fill("accent", star(0, 0, 20, 9, 6))
    .fill("glint", disc(0, 0, 5));
};

const fracture: Figure = (p) => {
  p.fill("light", area(-70, -80, 10, -88, -6, -20, -30, 10, -78, -6))
    .fill("mid", area(22, -84, 84, -60, 76, 14, 20, 4, 8, -24))
    .fill("mid", area(-80, 8, -30, 24, -14, 84, -66, 76))
    .fill("light", area(-14, 20, 20, 20, 74, 30, 62, 84, 0, 86))
    .fill("accent", area(-2, -14, 12, 8, -10, 12, -20, 12))
    .line("glint", 3, "M14 -96L0 -10L-24 18L-8 96M-96 0L-24 18L96 20");
};

const cube: Figure = (p) => {
  p.fill("accent", rays(14, 30, 116, 0.35, 0.02), 0.75)
    .fill("glint", area(0, -62, 54, -34, 0, -6, -54, -34))
    .fill("light", area(-54, -34, 0, -6, 0, 56, -54, 28))
    .fill("mid", area(54, -34, 0, -6, 0, 56, 54, 28))
    .line("deep", 2.4, "M-54 -34L0 -6L54 -34M0 -6V56");
};

const columns: Figure = (p) => {
  p.fill("light", area(-92, -56, 0, -96, 92, -56) + area(...box(-88, -52, 176, 10)));
  for (const [i, x] of [-80, -38, 18, 60].entries())
    p.fill(
      i % 2 === 0 ? "light" : "mid",
      area(x, -38, x + 22, -38, x + 20 + (i === 2 ? 14 : 0), 84, x + 2 + (i === 2 ? 14 : 0), 84),
    );
  p.fill("accent", star(0, 6, 50, 22, 9))
    .fill("glint", star(0, 6, 26, 12, 9))
    .line("deep", 3, "M36 -38L26 -10L42 10L32 40M-60 -38L-66 0L-54 20");
};

const spears: Figure = (p) => {
  for (let i = 0; i < 7; i += 1) {
    const angle = -0.25 + (i - 3) * 0.052;
    const [x, y] = polar(angle, 150, 0, 92);
    p.fill(i % 2 === 0 ? "light" : "mid", bar(0, 92, x, y, 6)).fill(
      i === 3 ? "glint" : "accent",
      blade(...polar(angle, 132, 0, 92), ...polar(angle, 186, 0, 92), 18),
    );
  }
  p.fill("deep", disc(0, 84, 22)).fill("accent", disc(0, 84, 12));
};

const maul: Figure = (p) => {
  p.fill("mid", bar(-64, 96, 22, -40, 13))
    .fill("light", area(-34, -62, 30, -100, 92, -26, 28, 14))
    .fill("glint", area(-34, -62, -12, -75, 50, 0, 28, 14))
    .fill("accent", area(30, -100, 44, -92, 104, -20, 92, -26))
    .line("deep", 4, "M-46 68L-32 76M-36 52L-22 60M-26 36L-12 44");
};

const girders: Figure = (p) => {
  p.fill("mid", bar(-88, -84, 88, 84, 30))
    .fill("light", bar(88, -84, -88, 84, 30))
    .line(
      "deep",
      3,
      times(7, (i) => path`M${-80 + i * 26} ${64 - i * 24.6}L${-58 + i * 26} ${84 - i * 24.6}`),
    )
    .fill("accent", star(0, 0, 46, 20, 9))
    .fill("glint", star(0, 0, 24, 10, 9));
};

const tendrils: Figure = (p) => {
  for (let i = 0; i < 9; i += 1) {
    const a = i / 9 + 0.03;
    const bend = i % 2 === 0 ? 0.09 : -0.08;
    p.fill(
      (["light", "mid", "accent"] as const)[i % 3] ?? "mid",
      ribbon([polar(a, 116), polar(a + bend, 84), polar(a - bend * 0.6, 54), polar(a + bend, 26), [0, 0]], 30, 3),
    );
  }
  p.fill("deep", star(0, 0, 30, 11, 9));
};

const blinds: Figure = (p) => {
  p.fill(
    "light",
    times(8, (i) => area(-90, -92 + i * 22, 90, -92 + i * 22 - 10, 90, -80 + i * 22 - 10, -90, -80 + i * 22)),
  );
  city(p, 50, [30, 66, 40, 20, 78, 50]);
  p.fill("accent", disc(40, -50, 20)).fill(
    "deep",
    times(8, (i) => area(-100, -80 + i * 22, 100, -80 + i * 22 - 10, 100, -72 + i * 22 - 10, -100, -72 + i * 22)),
    0.8,
  );
};

const missiles: Figure = (p) => {
  for (const [x, y, s] of [
    [-56, -20, 0.8],
    [-8, -62, 1],
    [34, 0, 0.9],
    [70, -54, 0.7],
  ] as const) {
    p.fill(
      "mid",
      path`M${x - 7 * s} ${y + 20 * s}Q${x - 18 * s} ${y + 70 * s} ${x - 8 * s} 110H${x + 8 * s}Q${x + 18 * s} ${y + 70 * s} ${x + 7 * s} ${y + 20 * s}Z`,
      0.75,
    );
    p.fill(
      "light",
      path`M${x} ${y - 44 * s}Q${x + 13 * s} ${y - 26 * s} ${x + 12 * s} ${y + 22 * s}H${x - 12 * s}Q${x - 13 * s} ${y - 26 * s} ${x} ${y - 44 * s}Z`,
    ).fill(
      "accent",
      area(x - 12 * s, y + 4 * s, x - 24 * s, y + 30 * s, x - 12 * s, y + 22 * s) +
        area(x + 12 * s, y + 4 * s, x + 24 * s, y + 30 * s, x + 12 * s, y + 22 * s) +
        area(x - 9 * s, y - 22 * s, x, y - 44 * s, x + 9 * s, y - 22 * s),
    );
  }
};

const speed: Figure = (p) => {
  for (const [i, y] of [-70, -48, -28, -8, 12, 34, 56, 74].entries())
    p.fill(
      (["mid", "light", "glint", "light", "accent", "mid"] as const)[i % 6] ?? "mid",
      area(
        -110,
        y - 3,
        20 + 60 * Math.cos(y / 60),
        y - 6,
        44 + 60 * Math.cos(y / 60),
        y + 2,
        -110,
        y + 9 - (i % 3) * 3,
      ),
    );
  p.fill("glint", area(30, -58, 108, 2, 30, 62, 54, 2)).fill("accent", area(4, -40, 56, 2, 4, 44, 22, 2));
};

const catEyes: Figure = (p) => {
  p.fill("mid", both("M20 -96L76 -60L70 -8L8 -40Z") + "M-72 -20Q0 -70 72 -20Q70 60 0 84Q-70 60 -72 -20Z", 0.75);
  for (const side of [-1, 1])
    p.fill("glint", path`M${side * 8} 14Q${side * 20} -24 ${side * 68} -26Q${side * 62} 18 ${side * 8} 14Z`)
      .fill("accent", path`M${side * 18} 8Q${side * 28} -18 ${side * 58} -20Q${side * 54} 12 ${side * 18} 8Z`)
      .fill("deep", disc(side * 36, -5, 4.4, 14));
};

const galaxy: Figure = (p) => {
  p.fill("mid", galaxyArm(0.1, 6, 30) + galaxyArm(0.6, 6, 30), 0.9)
    .fill("light", galaxyArm(0.16, 5, 17) + galaxyArm(0.66, 5, 17))
    .fill("accent", galaxyArm(0.36, 4, 12, 80) + galaxyArm(0.86, 4, 12, 80))
    .fill("glint", disc(0, 0, 17) + times(14, (i) => star(...polar(i * 0.618, 30 + i * 5), 5, 2, 4)));
};

const hexChaos: Figure = (p) => {
  for (let i = 0; i < 6; i += 1)
    p.line(
      (["mid", "light", "accent"] as const)[i % 3] ?? "mid",
      6 - i * 0.6,
      gon(i * 2, -i, 96 - i * 15, 6, -0.25 + i * 0.035),
    );
  p.fill("glint", star(8, -4, 22, 6, 6)).fill(
    "accent",
    gon(-76, 56, 13, 6) + gon(78, -64, 11, 6) + gon(70, 62, 8, 6) + gon(-70, -66, 9, 6),
  );
};

const stormHammer: Figure = (p) => {
  p.fill(
    "mid",
    times(5, (i) => lightning(0, -40, ...polar(0.08 + i * 0.085, 140, 0, -40), 22)),
  )
    .fill("light", area(-58, -84, 58, -84, 70, -56, 58, -24, -58, -24, -70, -56))
    .fill(
      "mid",
      area(-58, -84, -40, -84, -52, -56, -40, -24, -58, -24, -70, -56) +
        area(58, -84, 40, -84, 52, -56, 40, -24, 58, -24, 70, -56),
    )
    .fill("accent", area(...box(-9, -24, 18, 92)) + disc(0, 74, 13))
    .line("glint", 3, "M-30 -72H30");
};

const fangs: Figure = (p) => {
  p.fill("deep", "M-100 -40Q0 -110 100 -40Q110 40 0 92Q-110 40 -100 -40Z").fill(
    "accent",
    "M-26 30Q0 14 26 30Q36 70 0 104Q-10 78 -26 30Z",
  );
  p.fill(
    "glint",
    times(8, (i) =>
      area(
        -84 + i * 22,
        -44 - 10 * Math.sin((i * Math.PI) / 7),
        -62 + i * 22,
        -44 - 10 * Math.sin(((i + 1) * Math.PI) / 7),
        -72 + i * 21.4,
        6 + 24 * Math.sin((i * Math.PI) / 7),
      ),
    ),
  );
  p.fill(
    "light",
    times(6, (i) =>
      area(-62 + i * 21, 58 - Math.abs(2.5 - i) * 9, -41 + i * 21, 58 - Math.abs(2.5 - i) * 9, -51 + i * 20.6, 12),
    ),
  ).line("light", 6, "M-100 -40Q0 -110 100 -40");
};

const fireWheel: Figure = (p) => {
  p.fill(
    "accent",
    times(12, (i) => {
      const [x, y] = polar(i / 12, 72);
      const [tx, ty] = polar(i / 12 - 0.06, 112);
      const [ux, uy] = polar(i / 12 + 0.07, 72);
      return path`M${x} ${y}Q${tx} ${ty} ${tx} ${ty}Q${ux} ${uy} ${ux} ${uy}Z`;
    }),
  )
    .fill("light", disc(0, 0, 76))
    .fill("deep", disc(0, 0, 60))
    .line(
      "mid",
      7,
      times(8, (i) => {
        const [x, y] = polar(i / 8, 60);
        return path`M0 0L${x} ${y}`;
      }),
    )
    .line(
      "glint",
      4,
      times(14, (i) => disc(...polar(i / 14, 68), 5, 5)),
    )
    .fill("accent", disc(0, 0, 19))
    .fill("glint", disc(0, 0, 9));
};

const hair: Figure = (p) => {
  for (let i = 0; i < 9; i += 1) {
    const x = (i - 4) * 22;
    p.fill(
      (["light", "mid", "accent"] as const)[i % 3] ?? "mid",
      ribbon(
        [
          [x * 0.12, -92],
          [x * 0.7 + 12, -44],
          [x * 1.05 - 16, 0],
          [x * 1.2 + 14, 46],
          [x * 1.3 - 4, 100],
        ],
        6,
        24,
      ),
    );
  }
  p.fill("glint", area(-34, -84, -20, -102, -8, -88, 0, -108, 8, -88, 20, -102, 34, -84));
};

const swordFan: Figure = (p) => {
  for (let i = 0; i < 9; i += 1) {
    const a = -0.25 + (i - 4) * 0.065;
    p.fill(
      i % 2 === 0 ? "light" : "mid",
      blade(...polar(a, 30, 0, 60), ...polar(a, 168 - Math.abs(i - 4) * 12, 0, 60), 17),
    );
  }
  p.fill("deep", star(0, 60, 44, 26, 9)).fill("accent", gon(0, 60, 17, 4));
};

const lens: Figure = (p) => {
  p.fill("light", disc(0, 0, 90)).fill("deep", disc(0, 0, 78));
  for (let i = 0; i < 7; i += 1)
    p.fill(
      i % 2 === 0 ? "mid" : "dark",
      area(...polar(i / 7, 78), ...polar((i + 1) / 7, 78), ...polar((i + 1.2) / 7, 30)),
    );
  p.fill("accent", disc(0, 0, 29))
    .fill("deep", disc(0, 0, 15))
    .fill("glint", disc(-10, -12, 8))
    .line(
      "light",
      3,
      "M-104 -104H-70M-104 -104V-70M104 104H70M104 104V70M104 -104V-70M104 -104H70M-104 104H-70M-104 104V70",
    );
};

const bird: Figure = (p) => {
  p.fill("light", area(-8, 34, -60, 20, -110, -40, -76, -34, -98, -72, -60, -54, -66, -90, -22, -46, 0, -24));
  p.fill("mid", area(8, 34, 56, 34, 112, -6, 78, -10, 104, -48, 62, -36, 66, -74, 22, -40, 0, -24));
  p.fill("glint", area(0, -46, 17, 0, 0, 62, -17, 0)).fill(
    "accent",
    area(0, 42, 26, 90, 0, 76, -26, 90) + area(0, -64, 10, -38, 0, -30, -10, -38),
  );
};

const crosshair: Figure = (p) => {
  p.line(
    "light",
    9,
    arc(0, 0, 72, 0.03, 0.22) + arc(0, 0, 72, 0.28, 0.47) + arc(0, 0, 72, 0.53, 0.72) + arc(0, 0, 72, 0.78, 0.97),
  )
    .line("mid", 5, disc(0, 0, 44))
    .fill(
      "glint",
      bar(0, -104, 0, -24, 3, 9) + bar(0, 104, 0, 24, 3, 9) + bar(-104, 0, -24, 0, 3, 9) + bar(104, 0, 24, 0, 3, 9),
    )
    .fill("accent", disc(0, 0, 10));
};

const cassette: Figure = (p) => {
  p.fill("light", "M-86 -56H86Q96 -56 96 -46V52Q96 62 86 62H-86Q-96 62 -96 52V-46Q-96 -56 -86 -56Z")
    .fill("accent", area(...box(-80, -42, 160, 66)))
    .fill("deep", area(...box(-54, -20, 108, 34)) + area(-60, 62, -50, 38, 50, 38, 60, 62))
    .fill("glint", gon(-32, -3, 13, 6) + gon(32, -3, 13, 6) + area(...box(-66, -36, 132, 5)));
  p.line("glint", 3, "M-19 -3H19")
    .fill("deep", disc(-32, -3, 5) + disc(32, -3, 5))
    .fill("glint", star(-74, -84, 13, 4, 4) + star(70, 86, 15, 5, 4) + star(20, -88, 8, 3, 4));
};

const branches: Figure = (p) => {
  p.fill(
    "light",
    ribbon(
      [
        [0, 108],
        [-4, 40],
        [4, -20],
        [-14, -70],
      ],
      40,
      8,
    ) +
      ribbon(
        [
          [0, 20],
          [34, -20],
          [40, -76],
        ],
        17,
        5,
      ) +
      ribbon(
        [
          [0, 44],
          [-46, 8],
          [-64, -48],
        ],
        19,
        5,
      ) +
      ribbon(
        [
          [26, -14],
          [66, -30],
          [88, -70],
        ],
        9,
        3,
      ) +
      ribbon(
        [
          [-40, 10],
          [-80, -4],
          [-100, -40],
        ],
        9,
        3,
      ),
  ).fill(
    "mid",
    ribbon(
      [
        [8, 108],
        [6, 40],
        [10, 0],
      ],
      14,
      3,
    ),
  );
  p.fill(
    "accent",
    times(11, (i) => {
      const [x, y] = polar(0.5 + i * 0.05, 84 + (i % 3) * 9, 0, 8);
      return path`M${x - 11} ${y}Q${x} ${y - 17} ${x + 11} ${y}Q${x} ${y + 17} ${x - 11} ${y}Z`;
    }),
  ).fill("glint", disc(0, 44, 7) + disc(2, 70, 5));
};

const echo: Figure = (p) => {
  p.line(
    "light",
    5,
    times(6, (i) => arc(-58, 30, 26 + i * 24, -0.22, 0.06)),
  )
    .line(
      "mid",
      4,
      times(4, (i) => arc(66, 60, 18 + i * 20, -0.46, -0.2)),
    )
    .fill("accent", disc(-58, 30, 13) + disc(66, 60, 9));
  city(p, 84, [20, 50, 12, 34, 60, 24, 44]);
};

const turbine: Figure = (p) => {
  p.fill("light", disc(0, 0, 92)).fill("deep", disc(0, 0, 80));
  p.fill(
    "mid",
    times(10, (i) => {
      const [a, b, c] = [polar(i / 10, 78), polar(i / 10 + 0.07, 78), polar(i / 10 + 0.11, 28)];
      return area(...a, ...b, ...c);
    }),
  )
    .fill("accent", disc(0, 0, 30))
    .fill("glint", gon(0, 0, 19, 6))
    .line("light", 4, disc(0, 0, 36));
};

const tentacles: Figure = (p) => {
  const arms: Point[][] = [
    [
      [0, 30],
      [-50, 20],
      [-84, -20],
      [-58, -72],
    ],
    [
      [0, 30],
      [50, 20],
      [86, -14],
      [60, -66],
    ],
    [
      [0, 30],
      [-40, 60],
      [-86, 64],
      [-96, 22],
    ],
    [
      [0, 30],
      [40, 62],
      [84, 70],
      [98, 30],
    ],
  ];
  for (const [i, arm] of arms.entries()) {
    p.fill(i < 2 ? "light" : "mid", ribbon(arm, 15, 12));
    const [x, y] = arm[3] as Point;
    p.fill(
      "accent",
      area(x - 13, y + 4, x - 20, y - 22, x - 4, y - 8) +
        area(x + 13, y + 4, x + 20, y - 22, x + 4, y - 8) +
        disc(x, y, 9),
    );
  }
  p.fill("deep", disc(0, 32, 27))
    .fill("glint", disc(0, 32, 15))
    .fill("accent", disc(0, 32, 8));
};

const prism: Figure = (p) => {
  p.fill("glint", area(-110, 44, -28, 4, -24, 12, -110, 56))
    .fill("accent", area(26, -2, 110, -62, 110, -38), 0.95)
    .fill("light", area(28, 4, 110, -34, 110, -10))
    .fill("mid", area(28, 9, 110, -6, 110, 18));
  p.fill("light", area(0, -92, 54, 0, 0, 10, -54, 0))
    .fill("mid", area(0, 92, 54, 0, 0, 10, -54, 0))
    .fill("glint", area(0, -92, 0, 10, -54, 0), 0.8)
    .fill("deep", area(0, 92, 0, 10, 54, 0), 0.45);
};

const glider: Figure = (p) => {
  p.fill("light", both("M0 -30L40 -58L104 -66Q84 -30 88 12Q62 -6 44 20Q24 4 0 34Z")).fill(
    "mid",
    both("M0 -8L36 -30L80 -44Q66 -20 66 -6Q50 -16 36 6Q20 -4 0 14Z"),
  );
  for (const [x, y, r] of [
    [-46, 70, 17],
    [4, 84, 13],
    [54, 66, 20],
  ] as const)
    p.fill("accent", disc(x, y, r)).fill(
      "deep",
      bar(x, y - r, x + 5, y - r - 9, 5) +
        area(x - r * 0.5, y - 3, x - r * 0.1, y - 3, x - r * 0.3, y - r * 0.5) +
        area(x + r * 0.5, y - 3, x + r * 0.1, y - 3, x + r * 0.3, y - r * 0.5),
    );
};

const crater: Figure = (p) => {
  p.fill("mid", area(-104, 60, -70, 20, -40, 34, -16, 8, 20, 30, 50, 6, 78, 30, 106, 58, 60, 90, -60, 92))
    .fill("deep", disc(0, 56, 60, 20))
    .fill("accent", rays(12, 10, 106, 0.3, 0.51, 0, 50), 0.5);
  p.fill(
    "light",
    area(-34, -20, -8, -34, 20, -22, 16, 6, -22, 10) +
      area(-92, -30, -66, -46, -56, -20, -78, -6) +
      area(44, -50, 74, -56, 84, -30, 58, -18) +
      area(-30, -92, -6, -98, 4, -76, -20, -64) +
      area(66, -100, 86, -92, 76, -76),
  ).fill("glint", area(-34, -20, -8, -34, 0, -14, -22, 10) + area(44, -50, 74, -56, 62, -38));
};

const crossedKnives: Figure = (p) => {
  const knife = (s: number) =>
    path`M${s * 60} 84L${s * 30} 34Q${s * -10} -20 ${s * -76} -92Q${s * -66} -20 ${s * 6} 44L${s * 40} 96Z`;
  p.fill("light", knife(1))
    .fill("mid", knife(-1))
    .fill("accent", bar(36, 44, 66, 92, 17) + bar(-36, 44, -66, 92, 17))
    .line("glint", 3, "M-68 -76Q-40 -20 14 36M68 -76Q40 -20 -14 36")
    .line("accent", 5, "M-92 0Q-70 20 -92 44M92 0Q70 20 92 44");
};

const supernova: Figure = (p) => {
  p.fill("mid", rays(8, 16, 150, 0.34, 0.04))
    .fill("light", star(0, 0, 104, 26, 8, 0))
    .fill("accent", star(0, 0, 70, 24, 8, 0.0625))
    .fill("glint", star(0, 0, 46, 18, 8, 0) + disc(0, 0, 16))
    .line("glint", 3, disc(0, 0, 60));
};

const chain: Figure = (p) => {
  for (const [i, [x, y]] of (
    [
      [-74, 66],
      [-42, 36],
      [40, -38],
      [74, -70],
    ] as Point[]
  ).entries())
    p.line(i % 2 === 0 ? "light" : "mid", 13, arc(x, y, 23, 0, 0.999));
  p.line("light", 13, arc(-10, 8, 22, 0.24, 0.62) + arc(12, -14, 22, 0.74, 1.1))
    .fill("accent", star(2, -2, 44, 12, 9))
    .fill(
      "glint",
      star(2, -2, 22, 8, 9) +
        area(-60, -50, -44, -60, -46, -40) +
        area(56, 44, 70, 36, 68, 56) +
        area(-20, -84, -8, -80, -18, -68),
    );
};

const spiderThread: Figure = (p) => {
  p.fill("light", disc(0, 4, 72))
    .fill("glint", disc(-10, -6, 50), 0.6)
    .line("accent", 3, "M0 -120V-40");
  spider(p, 0, 6, 1.05, Math.PI);
  p.fill("accent", area(-6, -14, 6, -14, 0, -6) + area(-6, 2, 6, 2, 0, -6));
};

const dragon: Figure = (p) => {
  p.line("mid", 5, disc(0, 0, 92)).fill(
    "light",
    ribbon(
      [
        [-10, 4],
        [18, -8],
        [22, 26],
        [-18, 34],
        [-42, 0],
        [-24, -46],
        [30, -54],
        [66, -10],
        [50, 50],
        [-2, 78],
        [-60, 62],
      ],
      30,
      4,
    ),
  );
  p.fill(
    "accent",
    times(9, (i) => flame(...polar(0.52 + i * 0.085, 62), 9, 27)),
  )
    .fill("glint", area(-34, -10, 8, -22, 14, 10, -22, 16))
    .fill("deep", disc(-6, -4, 4) + area(-34, -10, -12, 2, -22, 16))
    .line("accent", 4, "M4 -20Q10 -36 24 -38M-6 -20Q-6 -34 4 -42");
};

const ants: Figure = (p) => {
  for (let i = 0; i < 5; i += 1) p.line(i % 2 === 0 ? "light" : "mid", 7 - i, disc(-10 + i * 9, i * 9, 92 - i * 19));
  for (const [x, y, s] of [
    [-40, -50, 1.5],
    [28, 14, 1],
    [46, 58, 0.55],
  ] as const)
    p.line(
      "glint",
      2.6 * s,
      path`M${x - 8 * s} ${y}l${-10 * s} ${-14 * s}M${x} ${y}l${-2 * s} ${-17 * s}M${x + 6 * s} ${y}l${8 * s} ${-15 * s}M${x - 8 * s} ${y}l${-10 * s} ${14 * s}M${x} ${y}l${-2 * s} ${17 * s}M${x + 6 * s} ${y}l${8 * s} ${15 * s}`,
    ).fill("accent", disc(x - 17 * s, y, 11 * s, 8 * s) + disc(x, y, 6 * s, 5 * s) + disc(x + 14 * s, y, 8 * s, 7 * s));
};

const ringedPlanet: Figure = (p) => {
  p.fill("light", disc(0, 4, 56))
    .fill("mid", "M-52 24A56 56 0 0 0 52 24Q0 40 -52 24ZM-56 0Q0 16 56 0Q56 8 54 14Q0 30 -54 14Q-56 8 -56 0Z")
    .fill("glint", blade(-88, 92, 86, -86, 13))
    .fill(
      "accent",
      bar(-78, 60, -52, 86, 8) +
        "M-98 24Q-110 36 -70 34Q10 22 84 -16Q112 -34 90 -36Q118 -46 112 -22Q80 16 -40 48Q-124 60 -98 24Z",
    );
};

const storm: Figure = (p) => {
  p.fill("accent", lightning(-46, -20, -70, 106, 36) + lightning(52, -24, 78, 96, 32))
    .fill("glint", lightning(4, -30, -8, 112, 52))
    .fill("light", "M-104 -20Q-112 -60 -70 -62Q-60 -96 -20 -86Q6 -112 40 -88Q78 -94 82 -60Q112 -56 104 -20Z")
    .fill("mid", "M-104 -20Q-106 -36 -88 -38Q-60 -52 -36 -36Q-6 -60 24 -38Q60 -54 80 -36Q108 -40 104 -20Z");
};

const comet: Figure = (p) => {
  for (const [i, t] of [-2, -1, 0, 1, 2].entries())
    p.fill(
      (["mid", "accent", "glint", "light", "mid"] as const)[i] ?? "mid",
      area(-24 + t * 12, 22 - t * -13, 112, -112 + t * 26, -24 + t * 12 + 13, 22 + t * 13 + 13),
    );
  p.fill("light", disc(-34, 34, 42))
    .fill("mid", disc(-40, 40, 33))
    .fill("dark", disc(-46, 46, 21))
    .fill("glint", star(-20, 18, 20, 6, 4));
};

const serpent: Figure = (p) => {
  const body: Point[] = [
    [70, 96],
    [-30, 78],
    [-62, 44],
    [10, 20],
    [58, -14],
    [10, -46],
    [-44, -62],
  ];
  p.fill("light", ribbon(body, 8, 34))
    .fill(
      "mid",
      times(6, (i) => {
        const [x, y] = body[i] as Point;
        return gon(x, y, 9 + i, 4);
      }),
    )
    .fill("glint", area(-36, -84, -84, -78, -96, -58, -70, -46, -38, -42))
    .fill("deep", disc(-66, -66, 5))
    .line("accent", 4, "M-94 -58L-110 -54M-94 -58L-108 -66")
    .fill("accent", both("M40 -96Q70 -92 74 -60Q66 -78 40 -80Z"));
};

const shield: Figure = (p) => {
  for (const [ink, r] of [
    ["light", 94],
    ["mid", 78],
    ["glint", 60],
    ["accent", 42],
  ] as const)
    p.fill(ink, disc(0, 0, r));
  p.fill("deep", disc(0, 0, 24))
    .fill("glint", disc(0, 0, 13))
    .fill("glint", "M-66 -66A94 94 0 0 1 0 -94L0 -24A24 24 0 0 0 -17 -17Z", 0.28)
    .fill("glint", "M66 66A94 94 0 0 1 0 94L0 24A24 24 0 0 0 17 17Z", 0.28)
    .line("accent", 5, "M-110 70Q-60 108 0 106M110 -70Q60 -108 0 -106");
};

const soundwave: Figure = (p) => {
  p.fill("glint", disc(-78, 0, 12));
  for (let i = 0; i < 6; i += 1)
    p.line((["light", "mid", "accent"] as const)[i % 3] ?? "mid", 12 - i, arc(-84, 0, 34 + i * 29, -0.13, 0.13));
  p.fill("deep", area(30, -60, 56, -40, 42, -30) + area(60, 40, 84, 54, 66, 62) + area(70, -8, 92, 2, 72, 12));
};

const pulse: Figure = (p) => {
  p.line("mid", 5, disc(0, 0, 92) + disc(0, 0, 70));
  p.fill(
    "light",
    times(5, (i) => {
      const x = -56 + i * 28;
      return path`M${x - 9} ${-70 + Math.abs(i - 2) * 12}Q${x} ${-94 + Math.abs(i - 2) * 12} ${x + 9} ${-70 + Math.abs(i - 2) * 12}Q${x + 3} 20 ${x - 4} ${70 - Math.abs(i - 2) * 16}Q${x - 7} 10 ${x - 9} ${-70 + Math.abs(i - 2) * 12}Z`;
    }),
  )
    .line("accent", 4, "M-96 30H-50L-36 8L-14 58L10 0L28 40L44 24H96")
    .fill("glint", disc(10, 0, 6));
};

const webGreat: Figure = (p) => {
  web(p, -20, -30, 14, 8, 0, 1, 200);
  city(p, 88, [40, 66, 24, 54, 30, 72, 20, 48]);
  p.fill("accent", disc(-20, -30, 26)).fill("glint", disc(-28, -38, 9));
};

/** The idea of each character, by hand. */
export const FIGURES = {
  thruster,
  saber,
  board,
  circuit,
  slashes,
  acorn,
  webGlider,
  wings,
  scales,
  mane,
  horn,
  shockwave,
  spikes,
  snowflake,
  starPortal,
  sting,
  webCity,
  webGrid,
  webStar,
  webThreads,
  webPetals,
  webCorner,
  webBolt,
  webGreat,
  moonDunes,
  paw,
  tridents,
  darts,
  insectWings,
  wingedSpear,
  arsenal,
  boltStar,
  orbMist,
  fin,
  elements,
  mandalaLamp,
  mandalaGreat,
  elastic,
  seismograph,
  vortex,
  towers,
  pow,
  crescentBlade,
  volley,
  bow,
  loopArrow,
  radar,
  hexCircuit,
  vitrines,
  maze,
  fracture,
  cube,
  columns,
  spears,
  maul,
  girders,
  tendrils,
  blinds,
  missiles,
  speed,
  catEyes,
  galaxy,
  hexChaos,
  stormHammer,
  fangs,
  fireWheel,
  hair,
  swordFan,
  lens,
  bird,
  crosshair,
  cassette,
  branches,
  echo,
  turbine,
  tentacles,
  prism,
  glider,
  crater,
  crossedKnives,
  supernova,
  chain,
  spiderThread,
  dragon,
  ants,
  ringedPlanet,
  storm,
  comet,
  serpent,
  shield,
  soundwave,
  pulse,
} as const;
export type FigureName = keyof typeof FIGURES;

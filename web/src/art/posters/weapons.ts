import { path } from "../geometry";
import { box, feathers, type Figure } from "./parts";
import { arc, area, arrow, bar, blade, disc, gon, lightning, polar, ribbon, star, times } from "./print";

export const saber: Figure = (p) => {
  p.fill("light", blade(-66, 70, 70, -88, 20))
    .fill("glint", bar(-62, 66, 54, -70, 3))
    .fill("accent", bar(-78, 40, -36, 84, 11) + bar(-66, 70, -90, 98, 13))
    .fill("mid", blade(66, 70, -70, -88, 20), 0.5);
};

export const slashes: Figure = (p) => {
  for (const [i, x] of [-46, -8, 30].entries()) {
    p.fill("deep", path`M${x + 44} -92Q${x + 16} -10 ${x - 26} 82Q${x + 30} 14 ${x + 62} -88Z`, 0.8);
    p.fill(i === 1 ? "glint" : "light", path`M${x + 40} -92Q${x + 10} -10 ${x - 30} 78Q${x + 22} 10 ${x + 54} -90Z`);
  }
};

export const tridents: Figure = (p) => {
  const draw = (side: number) =>
    blade(side * 66, 84, side * -46, -92, 13) +
    path`M${side * 52} 24Q${side * 70} -20 ${side * 34} -46Q${side * 56} -16 ${side * 30} 10ZM${side * 2} 42Q${side * -34} 20 ${side * -20} -28Q${side * -20} 14 ${side * 14} 24Z`;
  p.fill("light", draw(1))
    .fill("mid", draw(-1))
    .fill("accent", bar(42, 46, 66, 84, 13) + bar(-42, 46, -66, 84, 13))
    .fill("glint", disc(0, -6, 8));
};

export const darts: Figure = (p) => {
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

export const arsenal: Figure = (p) => {
  p.fill("mid", disc(0, 0, 62))
    .fill("deep", disc(0, 0, 48))
    .fill("light", disc(0, 0, 34))
    .line("accent", 6, arc(-70, 0, 104, -0.13, 0.13))
    .fill("glint", arrow(-92, 40, 92, -44, 7))
    .fill("light", blade(-62, -80, 66, 84, 15))
    .fill("accent", bar(-40, -74, -64, -50, 8));
};

export const crescentBlade: Figure = (p) => {
  p.fill("light", "M30 -92A92 92 0 1 0 70 66A74 74 0 1 1 30 -92Z")
    .fill("mid", "M70 66A92 92 0 0 1 -40 76A84 84 0 0 0 70 66Z")
    .fill("glint", blade(-80, 84, 84, -64, 15))
    .fill("accent", bar(-92, 96, -66, 70, 15) + bar(-74, 54, -50, 80, 7));
};

export const volley: Figure = (p) => {
  for (const [i, y] of [-62, -30, 2, 34, 66].entries())
    p.fill(
      i === 2 ? "glint" : i % 2 === 0 ? "light" : "accent",
      arrow(-104 + i * 6, y + 34, 62 + (i % 3) * 14, y - 22, i === 2 ? 10 : 7),
    );
};

export const bow: Figure = (p) => {
  p.fill("light", "M-30 -98Q84 -60 74 0Q84 60 -30 98Q56 50 54 0Q56 -50 -30 -98Z")
    .line("glint", 2.4, "M-30 -98L-72 0L-30 98")
    .fill("accent", arrow(-78, 0, 104, 0, 10))
    .fill("mid", area(...box(56, -18, 16, 36)));
};

export const loopArrow: Figure = (p) => {
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

export const spears: Figure = (p) => {
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

export const maul: Figure = (p) => {
  p.fill("mid", bar(-64, 96, 22, -40, 13))
    .fill("light", area(-34, -62, 30, -100, 92, -26, 28, 14))
    .fill("glint", area(-34, -62, -12, -75, 50, 0, 28, 14))
    .fill("accent", area(30, -100, 44, -92, 104, -20, 92, -26))
    .line("deep", 4, "M-46 68L-32 76M-36 52L-22 60M-26 36L-12 44");
};

export const swordFan: Figure = (p) => {
  for (let i = 0; i < 9; i += 1) {
    const a = -0.25 + (i - 4) * 0.065;
    p.fill(
      i % 2 === 0 ? "light" : "mid",
      blade(...polar(a, 30, 0, 60), ...polar(a, 168 - Math.abs(i - 4) * 12, 0, 60), 17),
    );
  }
  p.fill("deep", star(0, 60, 44, 26, 9)).fill("accent", gon(0, 60, 17, 4));
};

export const crosshair: Figure = (p) => {
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

export const crossedKnives: Figure = (p) => {
  const knife = (s: number) =>
    path`M${s * 60} 84L${s * 30} 34Q${s * -10} -20 ${s * -76} -92Q${s * -66} -20 ${s * 6} 44L${s * 40} 96Z`;
  p.fill("light", knife(1))
    .fill("mid", knife(-1))
    .fill("accent", bar(36, 44, 66, 92, 17) + bar(-36, 44, -66, 92, 17))
    .line("glint", 3, "M-68 -76Q-40 -20 14 36M68 -76Q40 -20 -14 36")
    .line("accent", 5, "M-92 0Q-70 20 -92 44M92 0Q70 20 92 44");
};

export const wingedSpear: Figure = (p) => {
  feathers(p, 4, 10, 5, 100, -0.02, -0.17, 16);
  p.fill("accent", bar(0, -40, 0, 98, 8))
    .fill("glint", area(0, -104, 18, -50, 0, -32, -18, -50))
    .fill("light", area(0, -104, 0, -32, -18, -50));
};

export const missiles: Figure = (p) => {
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

export const girders: Figure = (p) => {
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

export const stormHammer: Figure = (p) => {
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

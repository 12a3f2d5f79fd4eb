import { path, type Point } from "../geometry";
import { box, flame, type Figure } from "./parts";
import { arc, area, bar, blade, both, disc, gon, polar, rays, star, times } from "./print";

export const thruster: Figure = (p) => {
  p.fill("mid", flame(0, 0, 40, -96))
    .fill("light", flame(0, 0, 26, -66))
    .fill("glint", flame(0, 0, 13, -40));
  p.fill("light", "M0 -92Q34 -60 28 4H-28Q-34 -60 0 -92Z")
    .fill("mid", "M0 -92Q34 -60 28 4H6Q14 -50 0 -92Z")
    .fill("accent", both("M-26 -22L-56 10L-52 26L-27 4Z") + disc(0, -44, 11));
};

export const board: Figure = (p) => {
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

export const circuit: Figure = (p) => {
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

export const radar: Figure = (p) => {
  p.fill("dark", disc(0, 0, 90)).line(
    "light",
    3,
    disc(0, 0, 90) + disc(0, 0, 60) + disc(0, 0, 30) + "M-90 0H90M0 -90V90",
  );
  p.fill("accent", "M0 0L64 -64A90 90 0 0 1 90 0Z", 0.9)
    .fill("light", "M0 0L0 -90A90 90 0 0 1 64 -64Z", 0.35)
    .fill("glint", disc(-40, -30, 7) + disc(22, 54, 6) + disc(-58, 34, 5) + disc(34, -52, 8));
};

export const hexCircuit: Figure = (p) => {
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

export const vitrines: Figure = (p) => {
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

export const maze: Figure = (p) => {
  p.line("light", 8, [86, 66, 46, 26].map((r, i) => arc(0, 0, r, 0.06 + i * 0.27, 0.98 + i * 0.27)).join(""))
    .line("mid", 6, "M56 0H76M0 36V56M-56 0H-36M0 -76V-56")
    .fill("accent", star(0, 0, 20, 9, 6))
    .fill("glint", disc(0, 0, 5));
};

export const cube: Figure = (p) => {
  p.fill("accent", rays(14, 30, 116, 0.35, 0.02), 0.75)
    .fill("glint", area(0, -62, 54, -34, 0, -6, -54, -34))
    .fill("light", area(-54, -34, 0, -6, 0, 56, -54, 28))
    .fill("mid", area(54, -34, 0, -6, 0, 56, 54, 28))
    .line("deep", 2.4, "M-54 -34L0 -6L54 -34M0 -6V56");
};

export const lens: Figure = (p) => {
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

export const cassette: Figure = (p) => {
  p.fill("light", "M-86 -56H86Q96 -56 96 -46V52Q96 62 86 62H-86Q-96 62 -96 52V-46Q-96 -56 -86 -56Z")
    .fill("accent", area(...box(-80, -42, 160, 66)))
    .fill("deep", area(...box(-54, -20, 108, 34)) + area(-60, 62, -50, 38, 50, 38, 60, 62))
    .fill("glint", gon(-32, -3, 13, 6) + gon(32, -3, 13, 6) + area(...box(-66, -36, 132, 5)));
  p.line("glint", 3, "M-19 -3H19")
    .fill("deep", disc(-32, -3, 5) + disc(32, -3, 5))
    .fill("glint", star(-74, -84, 13, 4, 4) + star(70, 86, 15, 5, 4) + star(20, -88, 8, 3, 4));
};

export const turbine: Figure = (p) => {
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

export const glider: Figure = (p) => {
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

export const chain: Figure = (p) => {
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

export const shield: Figure = (p) => {
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

export const fireWheel: Figure = (p) => {
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

import { path, type Point } from "../geometry";
import { eye, feathers, flame, type Figure } from "./parts";
import { area, bar, both, disc, gon, polar, ribbon, star, times } from "./print";

export const wings: Figure = (p) => {
  feathers(p, 10, 36, 8, 122, -0.07, -0.24, 15);
  p.fill("accent", area(0, -40, 13, 14, 0, 62, -13, 14));
};

export const scales: Figure = (p) => {
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

export const mane: Figure = (p) => {
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

export const horn: Figure = (p) => {
  p.fill("mid", area(-100, 84, -90, 30, -50, 0, 20, -4, 70, 30, 100, 84))
    .fill("light", "M-40 20Q10 0 34 -96Q64 0 44 48Q0 70 -40 20Z")
    .fill("glint", "M-10 18Q22 -10 34 -96Q32 -20 16 30Z")
    .fill("accent", "M44 40Q66 10 78 -30Q92 14 76 60Z");
  p.line("deep", 5, "M-88 -80L-60 -52L-70 -30L-44 -12M84 -90L76 -62L94 -44M-20 -96L-12 -70L-28 -56");
};

export const sting: Figure = (p) => {
  const points = Array.from({ length: 8 }, (_, i) => polar(0.3 + i * 0.085, 74 - i * 2, 0, 6));
  points.forEach(([x, y], i) => p.fill(i % 2 === 0 ? "light" : "mid", disc(x, y, 22 - i * 1.6)));
  p.fill("accent", "M44 28Q70 44 56 74Q34 88 4 82Q36 74 38 56Q34 44 26 40Z")
    .fill("glint", disc(48, 42, 5))
    .fill("deep", disc(-4, 12, 16));
};

export const paw: Figure = (p) => {
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

export const insectWings: Figure = (p) => {
  p.fill("light", both("M4 0Q60 -96 98 -64Q104 -10 4 4Z"), 0.9).fill("mid", both("M4 6Q72 6 88 44Q60 74 4 12Z"), 0.95);
  p.line("deep", 2, both("M6 0Q56 -40 92 -62M8 2Q56 -22 94 -38M8 10Q50 20 82 44M24 -20Q40 -30 60 -72"), 0.7);
  for (let i = 0; i < 5; i += 1) p.fill(i % 2 === 0 ? "accent" : "deep", disc(0, -14 + i * 18, 12 - i * 1.4, 11));
  p.line("accent", 3, both("M3 -24Q14 -50 30 -56"));
};

export const fin: Figure = (p) => {
  p.fill("light", "M-50 50Q-30 -60 58 -92Q34 -30 62 50Z")
    .fill("mid", "M0 50Q2 -40 58 -92Q34 -30 62 50Z")
    .line("deep", 2.4, "M-30 40Q-10 -20 44 -74M-6 44Q8 -10 48 -58M20 46Q24 10 48 -30", 0.6);
  for (const [i, ink] of (["mid", "light", "accent"] as const).entries()) {
    const y = 44 + i * 18;
    p.fill(ink, path`M-110 ${y}Q-82 ${y - 26} -55 ${y}T0 ${y}T55 ${y}T110 ${y}V120H-110Z`);
  }
};

export const catEyes: Figure = (p) => {
  p.fill("mid", both("M20 -96L76 -60L70 -8L8 -40Z") + "M-72 -20Q0 -70 72 -20Q70 60 0 84Q-70 60 -72 -20Z", 0.75);
  for (const side of [-1, 1])
    p.fill("glint", path`M${side * 8} 14Q${side * 20} -24 ${side * 68} -26Q${side * 62} 18 ${side * 8} 14Z`)
      .fill("accent", path`M${side * 18} 8Q${side * 28} -18 ${side * 58} -20Q${side * 54} 12 ${side * 18} 8Z`)
      .fill("deep", disc(side * 36, -5, 4.4, 14));
};

export const fangs: Figure = (p) => {
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

export const hair: Figure = (p) => {
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

export const bird: Figure = (p) => {
  p.fill("light", area(-8, 34, -60, 20, -110, -40, -76, -34, -98, -72, -60, -54, -66, -90, -22, -46, 0, -24));
  p.fill("mid", area(8, 34, 56, 34, 112, -6, 78, -10, 104, -48, 62, -36, 66, -74, 22, -40, 0, -24));
  p.fill("glint", area(0, -46, 17, 0, 0, 62, -17, 0)).fill(
    "accent",
    area(0, 42, 26, 90, 0, 76, -26, 90) + area(0, -64, 10, -38, 0, -30, -10, -38),
  );
};

export const branches: Figure = (p) => {
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

export const tentacles: Figure = (p) => {
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

export const dragon: Figure = (p) => {
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

export const ants: Figure = (p) => {
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

export const serpent: Figure = (p) => {
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

export const acorn: Figure = (p) => {
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

export const tendrils: Figure = (p) => {
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

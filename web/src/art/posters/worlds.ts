import { box, city, type Figure } from "./parts";
import { area, bar, blade, disc, polar, ribbon, star, times } from "./print";

function galaxyArm(turn: number, from: number, to: number, reach = 92, bend = 0.55): string {
  return ribbon(
    Array.from({ length: 9 }, (_, i) => polar(turn + (bend * i) / 8, 8 + (reach - 8) * (i / 8))),
    from,
    to,
  );
}

export const moonDunes: Figure = (p) => {
  p.fill("light", disc(6, -20, 68))
    .fill("glint", disc(-4, -28, 52), 0.7)
    .fill("mid", disc(30, -44, 11) + disc(-20, 2, 8) + disc(22, 4, 14), 0.55);
  p.fill("dark", "M-110 60Q-50 26 0 56Q60 84 110 40V120H-110Z")
    .fill("accent", area(-64, 62, -24, 0, 16, 62))
    .fill("deep", area(-24, 0, 16, 62, -10, 62))
    .fill("deep", "M-110 76Q-40 52 20 78Q70 96 110 70V120H-110Z");
};

export const galaxy: Figure = (p) => {
  p.fill("mid", galaxyArm(0.1, 6, 30) + galaxyArm(0.6, 6, 30), 0.9)
    .fill("light", galaxyArm(0.16, 5, 17) + galaxyArm(0.66, 5, 17))
    .fill("accent", galaxyArm(0.36, 4, 12, 80) + galaxyArm(0.86, 4, 12, 80))
    .fill("glint", disc(0, 0, 17) + times(14, (i) => star(...polar(i * 0.618, 30 + i * 5), 5, 2, 4)));
};

export const ringedPlanet: Figure = (p) => {
  p.fill("light", disc(0, 4, 56))
    .fill("mid", "M-52 24A56 56 0 0 0 52 24Q0 40 -52 24ZM-56 0Q0 16 56 0Q56 8 54 14Q0 30 -54 14Q-56 8 -56 0Z")
    .fill("glint", blade(-88, 92, 86, -86, 13))
    .fill(
      "accent",
      bar(-78, 60, -52, 86, 8) +
        "M-98 24Q-110 36 -70 34Q10 22 84 -16Q112 -34 90 -36Q118 -46 112 -22Q80 16 -40 48Q-124 60 -98 24Z",
    );
};

export const comet: Figure = (p) => {
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

export const starPortal: Figure = (p) => {
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

export const orbMist: Figure = (p) => {
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

export const towers: Figure = (p) => {
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

export const blinds: Figure = (p) => {
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

export const columns: Figure = (p) => {
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

export const pow: Figure = (p) => {
  p.fill("accent", star(0, 0, 98, 58, 12, 0.01))
    .fill("light", star(0, 0, 80, 52, 12, 0.03))
    .fill("glint", star(0, 0, 62, 46, 12, 0.01));
  p.line("mid", 13, "M-34 26Q-52 -26 -8 -36Q36 -38 32 4Q26 32 -2 26Q-22 16 -10 -4Q6 -14 12 2");
};

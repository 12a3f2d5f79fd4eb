import { path } from "../geometry";
import { city, flame, type Figure } from "./parts";
import { arc, area, disc, gon, lightning, polar, rays, ribbon, star, times, type Print } from "./print";

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

export const shockwave: Figure = (p) => {
  for (let i = 4; i > 0; i -= 1) p.line(i % 2 === 0 ? "light" : "mid", 9, disc(0, 46, i * 27, i * 11));
  p.fill("deep", area(-8, 46, -50, 100, -36, 62, -96, 76, -40, 52) + area(8, 46, 60, 100, 40, 64, 100, 74, 44, 50))
    .fill("glint", area(-20, -96, 20, -96, 8, -30, 20, -34, 0, 48, -12, -16, -24, -12))
    .fill("accent", area(-20, -96, 0, -96, -4, -20, 0, 48, -12, -16, -24, -12));
};

export const spikes: Figure = (p) => {
  p.fill("mid", star(0, 10, 96, 44, 11, 0.02)).fill("light", star(0, 10, 78, 40, 11, 0.045));
  p.fill("dark", gon(0, 10, 46, 9))
    .fill("accent", gon(0, 10, 30, 7, 0.1))
    .line("deep", 5, "M-44 0L-14 8L-22 30L0 20L12 52M0 20L16 -2L6 -34M16 -2L44 12");
};

export const snowflake: Figure = (p) => {
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

export const boltStar: Figure = (p) => {
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

export const elements: Figure = (p) => {
  p.fill("light", "M0 -4V-90A86 86 0 0 0 -86 -4Z")
    .fill("mid", "M4 -4V-90A86 86 0 0 1 90 -4Z")
    .fill("accent", "M-86 0A86 86 0 0 0 0 86V0Z")
    .fill("dark", "M90 0A86 86 0 0 1 4 86V0Z");
  p.fill("deep", flame(-32, -16, 20, 48))
    .line("deep", 6, "M20 -50Q34 -62 48 -50T76 -50M16 -28Q32 -40 46 -28T78 -28")
    .fill("deep", area(-62, 16, -34, 8, -12, 28, -20, 60, -44, 50))
    .line("light", 5, "M18 22H54A10 10 0 1 0 44 12M18 36H66M18 50H46A9 9 0 1 1 38 60");
};

export const elastic: Figure = (p) => {
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

export const seismograph: Figure = (p) => {
  p.fill("mid", disc(0, 0, 88), 0.35)
    .line("mid", 4, disc(0, 0, 66) + disc(0, 0, 88))
    .line("light", 7, "M-108 6H-70L-58 -14L-46 26L-34 -44L-18 70L0 -92L18 76L34 -50L46 30L58 -16L68 6H108")
    .line("glint", 2, "M-108 6H-70L-58 -14L-46 26L-34 -44L-18 70L0 -92L18 76L34 -50L46 30L58 -16L68 6H108")
    .fill("accent", disc(0, -92, 8) + disc(18, 76, 6));
};

export const vortex: Figure = (p) => {
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

export const fracture: Figure = (p) => {
  p.fill("light", area(-70, -80, 10, -88, -6, -20, -30, 10, -78, -6))
    .fill("mid", area(22, -84, 84, -60, 76, 14, 20, 4, 8, -24))
    .fill("mid", area(-80, 8, -30, 24, -14, 84, -66, 76))
    .fill("light", area(-14, 20, 20, 20, 74, 30, 62, 84, 0, 86))
    .fill("accent", area(-2, -14, 12, 8, -10, 12, -20, 12))
    .line("glint", 3, "M14 -96L0 -10L-24 18L-8 96M-96 0L-24 18L96 20");
};

export const speed: Figure = (p) => {
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

export const hexChaos: Figure = (p) => {
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

export const echo: Figure = (p) => {
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

export const crater: Figure = (p) => {
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

export const supernova: Figure = (p) => {
  p.fill("mid", rays(8, 16, 150, 0.34, 0.04))
    .fill("light", star(0, 0, 104, 26, 8, 0))
    .fill("accent", star(0, 0, 70, 24, 8, 0.0625))
    .fill("glint", star(0, 0, 46, 18, 8, 0) + disc(0, 0, 16))
    .line("glint", 3, disc(0, 0, 60));
};

export const storm: Figure = (p) => {
  p.fill("accent", lightning(-46, -20, -70, 106, 36) + lightning(52, -24, 78, 96, 32))
    .fill("glint", lightning(4, -30, -8, 112, 52))
    .fill("light", "M-104 -20Q-112 -60 -70 -62Q-60 -96 -20 -86Q6 -112 40 -88Q78 -94 82 -60Q112 -56 104 -20Z")
    .fill("mid", "M-104 -20Q-106 -36 -88 -38Q-60 -52 -36 -36Q-6 -60 24 -38Q60 -54 80 -36Q108 -40 104 -20Z");
};

export const soundwave: Figure = (p) => {
  p.fill("glint", disc(-78, 0, 12));
  for (let i = 0; i < 6; i += 1)
    p.line((["light", "mid", "accent"] as const)[i % 3] ?? "mid", 12 - i, arc(-84, 0, 34 + i * 29, -0.13, 0.13));
  p.fill("deep", area(30, -60, 56, -40, 42, -30) + area(60, 40, 84, 54, 66, 62) + area(70, -8, 92, 2, 72, 12));
};

export const pulse: Figure = (p) => {
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

export const prism: Figure = (p) => {
  p.fill("glint", area(-110, 44, -28, 4, -24, 12, -110, 56))
    .fill("accent", area(26, -2, 110, -62, 110, -38), 0.95)
    .fill("light", area(28, 4, 110, -34, 110, -10))
    .fill("mid", area(28, 9, 110, -6, 110, 18));
  p.fill("light", area(0, -92, 54, 0, 0, 10, -54, 0))
    .fill("mid", area(0, 92, 54, 0, 0, 10, -54, 0))
    .fill("glint", area(0, -92, 0, 10, -54, 0), 0.8)
    .fill("deep", area(0, 92, 0, 10, 54, 0), 0.45);
};

export const mandalaLamp: Figure = (p) => {
  mandala(p, 4, false);
  p.fill("accent", flame(0, 6, 16, 46)).fill("glint", flame(0, 6, 8, 26));
};

export const mandalaGreat: Figure = (p) => {
  p.line("mid", 2, disc(0, 0, 98) + disc(0, 0, 92));
  mandala(p, 6, true);
  p.fill(
    "glint",
    times(12, (i) => star(...polar(i / 12 + 1 / 24, 95), 7, 3, 4)),
  );
};

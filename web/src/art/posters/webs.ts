import { path, type Point } from "../geometry";
import { city, type Figure } from "./parts";
import { area, bar, both, disc, gon, lightning, polar, star, type Print } from "./print";

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

export const webGlider: Figure = (p) => {
  web(p, 0, -90, 10, 5, 0.02, 0.48, 190);
  p.fill("accent", both("M0 -40L96 -64Q70 -20 58 44Q30 12 0 18Z"))
    .fill("deep", both("M0 -20L62 -40Q46 -10 40 18Q20 2 0 4Z"), 0.55)
    .fill("glint", area(0, -58, 10, -10, 0, 50, -10, -10));
};

export const webCity: Figure = (p) => {
  web(p, 92, -96, 9, 6, 0.24, 0.52, 230);
  city(p, 66, [18, 44, 30, 70, 52, 26, 60, 38]);
  p.fill("accent", bar(92, -96, -34, 20, 4)).fill("glint", disc(-36, 22, 9));
};

export const webGrid: Figure = (p) => {
  web(p, 0, -6, 12, 5, 0, 1, 112);
  p.line("accent", 4, gon(0, -6, 86, 4) + gon(0, -6, 56, 4) + gon(0, -6, 28, 4)).fill("glint", gon(0, -6, 11, 4));
};

export const webStar: Figure = (p) => {
  web(p, 0, 0, 16, 6, 0, 1, 118);
  spider(p, 0, 0, 1.15);
};

export const webThreads: Figure = (p) => {
  p.line("light", 2.4, "M-76 -130V10M-46 -130V-40M-12 -130V30M26 -130V-16M60 -130V44");
  p.fill("light", gon(-46, -28, 19, 6))
    .fill("mid", gon(26, -2, 23, 6))
    .fill("accent", disc(-12, 44, 21) + disc(60, 58, 15))
    .fill("glint", star(-76, 22, 22, 7, 4));
  web(p, -12, 44, 8, 2, 0, 1, 66);
};

export const webPetals: Figure = (p) => {
  for (let i = 0; i < 8; i += 1) {
    const [x, y] = polar(i / 8, 48);
    p.fill(i % 2 === 0 ? "light" : "mid", disc(x, y, 36), 0.85);
  }
  p.fill("deep", disc(0, 0, 40));
  web(p, 0, 0, 10, 3, 0, 1, 44);
  p.fill("accent", disc(0, 0, 7));
};

export const webCorner: Figure = (p) => {
  web(p, -104, -104, 8, 7, 0, 0.25, 250);
  p.fill("accent", "M20 -8Q56 -36 88 -4Q70 34 20 -8Z")
    .fill("accent", "M14 12Q30 56 70 62Q70 16 14 12Z")
    .fill("glint", disc(20, 4, 8));
};

export const webBolt: Figure = (p) => {
  web(p, -92, 92, 8, 6, 0.73, 1.02, 220);
  p.fill("accent", lightning(-70, 70, 84, -86, 38)).fill("glint", lightning(-58, 56, 66, -68, 15));
};

export const webGreat: Figure = (p) => {
  web(p, -20, -30, 14, 8, 0, 1, 200);
  city(p, 88, [40, 66, 24, 54, 30, 72, 20, 48]);
  p.fill("accent", disc(-20, -30, 26)).fill("glint", disc(-28, -38, 9));
};

export const spiderThread: Figure = (p) => {
  p.fill("light", disc(0, 4, 72))
    .fill("glint", disc(-10, -6, 50), 0.6)
    .line("accent", 3, "M0 -120V-40");
  spider(p, 0, 6, 1.05, Math.PI);
  p.fill("accent", area(-6, -14, 6, -14, 0, -6) + area(-6, 2, 6, 2, 0, -6));
};

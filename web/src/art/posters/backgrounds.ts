import { area, disc, type Print, rays, star, times } from "./print";

/** What lies behind a figure; it covers the whole card, 200 by 270. */
export type Background = (print: Print) => void;

const burst: Background = (p) =>
  p.fill("dark", rays(p.random.whole(10, 16), 0, 320, 0.5, p.random.next(), 92, 104), 0.85);

const stripes: Background = (p) => {
  const slope = p.random.pick([-1, 1]) * p.random.between(90, 300);
  const width = p.random.between(10, 24);
  p.fill(
    "dark",
    times(Math.ceil(800 / (2 * width)), (i) => {
      const x = -320 + i * width * 2;
      return area(x, 0, x + width, 0, x + width + slope, 270, x + slope, 270);
    }),
    0.75,
  );
};

const rings: Background = (p) => {
  for (let i = 8; i > 0; i -= 1) p.fill(i % 2 === 0 ? "dark" : "deep", disc(92, 104, i * 22));
};

const halftone: Background = (p) => {
  const [ax, ay] = [p.random.between(-1, 1), p.random.between(-1, 1)];
  let d = "";
  for (let row = 0; row < 17; row += 1) {
    for (let column = 0; column < 13; column += 1) {
      const [x, y] = [(column + (row % 2) / 2) * 16, row * 16];
      const r = 9 * Math.min(1, Math.max(0, 0.5 + (ax * (x - 100)) / 200 + (ay * (y - 110)) / 240));
      if (r > 1.4) d += area(x - r, y, x, y - r, x + r, y, x, y + r);
    }
  }
  p.fill("dark", d, 0.9);
};

const split: Background = (p) => {
  const a = p.random.between(-40, 240);
  p.fill("dark", area(a, 0, 220, 0, 220, 270, 200 - a, 270));
  p.fill("mid", area(-10, p.random.between(60, 120), 210, p.random.between(30, 150), 210, 190, -10, 220), 0.28);
};

const floor: Background = (p) => {
  p.fill("mid", disc(100, 132, 130, 60), 0.22).fill("dark", area(0, 132, 200, 132, 200, 270, 0, 270));
  p.line(
    "mid",
    1.6,
    times(13, (i) => `M100 132L${-260 + i * 60} 270`) + "M0 138H200M0 148H200M0 164H200M0 190H200M0 230H200",
    0.7,
  );
};

const night: Background = (p) => {
  p.fill("dark", area(0, 150, 60, 128, 130, 140, 200, 118, 200, 270, 0, 270), 0.8);
  p.fill(
    "glint",
    times(26, () => {
      const [x, y, r] = [p.random.between(4, 196), p.random.between(4, 150), p.random.between(0.8, 2.2)];
      return star(x, y, r * 1.8, r * 0.5, 4);
    }),
    0.9,
  );
};

const bands: Background = (p) => {
  const tilt = p.random.pick([-40, 0, 40]);
  (["dark", "mid", "dark", "mid"] as const).forEach((ink, i) => {
    const y = 30 + i * 44;
    p.fill(ink, area(0, y + tilt, 200, y - tilt, 200, y + 22 - tilt, 0, y + 22 + tilt), 0.22 + i * 0.1);
  });
};

const dusk: Background = (p) => {
  for (let i = 0; i < 5; i += 1) p.fill(i === 0 ? "mid" : "dark", disc(92, 108, 126 - i * 22), i === 0 ? 0.35 : 0.3);
};

const tiles: Background = (p) => {
  const size = 34;
  p.fill(
    "dark",
    times(70, (i) => {
      const [x, y] = [(i % 7) * size + (Math.floor(i / 7) % 2) * (size / 2), Math.floor(i / 7) * size * 0.86];
      const r = size * 0.52;
      return area(
        x,
        y - r,
        x + r * 0.87,
        y - r / 2,
        x + r * 0.87,
        y + r / 2,
        x,
        y + r,
        x - r * 0.87,
        y + r / 2,
        x - r * 0.87,
        y - r / 2,
      );
    }),
    0.75,
  );
};

export const BACKGROUNDS = { burst, stripes, rings, halftone, split, floor, night, bands, dusk, tiles } as const;
export type BackgroundName = keyof typeof BACKGROUNDS;

/** How colours look, with each kind of colour vision, and how different two of them look. */

export type Vision = "normal" | "protanopia" | "deuteranopia" | "tritanopia";

type Triple = readonly [number, number, number];
type Matrix = readonly [Triple, Triple, Triple];

/** In linear sRGB, at full severity (Machado, Oliveira and Fernandes 2009). */
const SEEN: Record<Vision, Matrix> = {
  normal: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

export const VISIONS = Object.keys(SEEN) as Vision[];

/** A colour like "#1f9d60" in linear RGB. */
function linear(hex: string): Triple {
  const parts = /^#(..)(..)(..)$/.exec(hex);
  if (parts === null) throw new Error(`expected a colour like #1f9d60, got "${hex}"`);
  const [red = 0, green = 0, blue = 0] = parts.slice(1).map((part) => {
    const value = parseInt(part, 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return [red, green, blue];
}

function times(matrix: Matrix, [x, y, z]: Triple): Triple {
  const row = (r: Triple) => r[0] * x + r[1] * y + r[2] * z;
  return [row(matrix[0]), row(matrix[1]), row(matrix[2])];
}

const TO_XYZ: Matrix = [
  [0.4124564, 0.3575761, 0.1804375],
  [0.2126729, 0.7151522, 0.072175],
  [0.0193339, 0.119192, 0.9503041],
];
const WHITE: Triple = [0.95047, 1, 1.08883];

/** A colour as it is seen, in linear RGB. */
function seen(hex: string, vision: Vision): Triple {
  const [r, g, b] = times(SEEN[vision], linear(hex));
  const clip = (v: number) => Math.min(1, Math.max(0, v));
  return [clip(r), clip(g), clip(b)];
}

/** A colour as it is seen, in CIELAB. */
function labOf(hex: string, vision: Vision): Triple {
  const xyz = times(TO_XYZ, seen(hex, vision));
  const f = (i: 0 | 1 | 2) => {
    const t = xyz[i] / WHITE[i];
    return t > 216 / 24389 ? Math.cbrt(t) : ((24389 / 27) * t + 16) / 116;
  };
  return [116 * f(1) - 16, 500 * (f(0) - f(1)), 200 * (f(1) - f(2))];
}

const RADIANS = Math.PI / 180;

/** How different two colours look (CIEDE2000): about 1 is just noticeable, black and white are 100 apart. */
export function difference(first: string, second: string, vision: Vision = "normal"): number {
  const [l1, a1, b1] = labOf(first, vision);
  const [l2, a2, b2] = labOf(second, vision);
  const meanC = (Math.hypot(a1, b1) + Math.hypot(a2, b2)) / 2;
  const g = 0.5 * (1 - Math.sqrt(meanC ** 7 / (meanC ** 7 + 25 ** 7)));
  const [x1, x2] = [a1 * (1 + g), a2 * (1 + g)];
  const [c1, c2] = [Math.hypot(x1, b1), Math.hypot(x2, b2)];
  const hueOf = (x: number, b: number) => (x === 0 && b === 0 ? 0 : (Math.atan2(b, x) / RADIANS + 360) % 360);
  const [h1, h2] = [hueOf(x1, b1), hueOf(x2, b2)];
  let turn = h2 - h1;
  if (c1 * c2 === 0) turn = 0;
  else if (turn > 180) turn -= 360;
  else if (turn < -180) turn += 360;
  let meanH = h1 + h2;
  if (c1 * c2 !== 0) {
    meanH = Math.abs(h1 - h2) <= 180 ? meanH / 2 : meanH < 360 ? (meanH + 360) / 2 : (meanH - 360) / 2;
  }
  const cos = (degrees: number) => Math.cos(degrees * RADIANS);
  const t = 1 - 0.17 * cos(meanH - 30) + 0.24 * cos(2 * meanH) + 0.32 * cos(3 * meanH + 6) - 0.2 * cos(4 * meanH - 63);
  const meanL = (l1 + l2) / 2;
  const c = (c1 + c2) / 2;
  const sl = 1 + (0.015 * (meanL - 50) ** 2) / Math.sqrt(20 + (meanL - 50) ** 2);
  const dl = (l2 - l1) / sl;
  const dc = (c2 - c1) / (1 + 0.045 * c);
  const dh = (2 * Math.sqrt(c1 * c2) * Math.sin((turn / 2) * RADIANS)) / (1 + 0.015 * c * t);
  const rotation =
    -Math.sin(60 * RADIANS * Math.exp(-(((meanH - 275) / 25) ** 2))) * 2 * Math.sqrt(c ** 7 / (c ** 7 + 25 ** 7));
  return Math.sqrt(dl ** 2 + dc ** 2 + dh ** 2 + rotation * dc * dh);
}

const TO_CONES: Matrix = [
  [0.4122214708, 0.5363325363, 0.0514459929],
  [0.2119034982, 0.6806995451, 0.1073969566],
  [0.0883024619, 0.2817188376, 0.6299787005],
];
const TO_OKLAB: Matrix = [
  [0.2104542553, 0.793617785, -0.0040720468],
  [1.9779984951, -2.428592205, 0.4505937099],
  [0.0259040371, 0.7827717662, -0.808675766],
];

function oklabOf(hex: string, vision: Vision): Triple {
  const [l, m, s] = times(TO_CONES, seen(hex, vision));
  return times(TO_OKLAB, [Math.cbrt(l), Math.cbrt(m), Math.cbrt(s)]);
}

/** How far apart two saturated colours are in OKLab: 100 is black and white, below 2 nobody sees it. */
export function distance(first: string, second: string, vision: Vision): number {
  const [one, other] = [oklabOf(first, vision), oklabOf(second, vision)];
  return 100 * Math.hypot(one[0] - other[0], one[1] - other[1], one[2] - other[2]);
}

/** The contrast of two colours by WCAG 2, 1 to 21. */
export function contrast(first: string, second: string): number {
  const [high = 0, low = 0] = [first, second].map((hex) => times(TO_XYZ, linear(hex))[1]).sort((a, b) => b - a);
  return (high + 0.05) / (low + 0.05);
}

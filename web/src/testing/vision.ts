/** Colours as people see them, for the tests: contrast, and how far two colours are apart for each kind of vision. */

type Triple = readonly [number, number, number];

/** Normal vision and the three kinds of colour blindness: matrices over linear RGB (Machado et al. 2009, severity 1). */
export const VISIONS = {
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
} as const satisfies Record<string, readonly Triple[]>;

export type Vision = keyof typeof VISIONS;

function dot(row: Triple, colour: Triple): number {
  return row[0] * colour[0] + row[1] * colour[1] + row[2] * colour[2];
}

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

/** Linear RGB in OKLab, where distances are as large as they look. */
function oklab(colour: Triple): Triple {
  const cones = [
    dot([0.4122214708, 0.5363325363, 0.0514459929], colour),
    dot([0.2119034982, 0.6806995451, 0.1073969566], colour),
    dot([0.0883024619, 0.2817188376, 0.6299787005], colour),
  ].map((value) => Math.cbrt(value)) as unknown as Triple;
  return [
    dot([0.2104542553, 0.793617785, -0.0040720468], cones),
    dot([1.9779984951, -2.428592205, 0.4505937099], cones),
    dot([0.0259040371, 0.7827717662, -0.808675766], cones),
  ];
}

/** How far apart two colours are for this vision; 0 is the same, 100 is black and white, below 2 nobody sees it. */
export function distance(one: string, other: string, vision: Vision): number {
  const [a, b] = [one, other].map((hex) => {
    const colour = linear(hex);
    const seen = VISIONS[vision].map((row) => Math.min(1, Math.max(0, dot(row, colour))));
    return oklab(seen as unknown as Triple);
  }) as [Triple, Triple];
  return 100 * Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

/** The contrast of two colours by WCAG 2, 1 to 21. */
export function contrast(one: string, other: string): number {
  const [high = 0, low = 0] = [one, other]
    .map((hex) => dot([0.2126, 0.7152, 0.0722], linear(hex)))
    .sort((a, b) => b - a);
  return (high + 0.05) / (low + 0.05);
}

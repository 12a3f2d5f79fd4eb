import { ellipse, path } from "../geometry";
import { mix } from "../gems";
import { arch, arches, type Canvas, polygon, rectangle } from "./canvas";
import { person } from "./figures";
import type { Motif } from "./motif";
import { tree } from "./nature";

/** People on a square, small before the buildings. */
function passers(canvas: Canvas, count: number, y = 12): void {
  const { random } = canvas;
  canvas.row(() => {
    for (let i = 0; i < count; i += 1)
      person(
        canvas,
        -80 + ((i + 0.5) * 160) / count + random.between(-10, 10),
        y + random.between(0, 5),
        22,
        random.pick(["red", "blue", "straw"]),
      );
  });
}

/** A dome on its drum, with a lantern. */
function dome(canvas: Canvas, x: number, y: number, r: number, fill: string, isOnion = false): void {
  const top = isOnion
    ? path`M${x - r * 0.85} ${y}Q${x - r * 1.3} ${y - r * 0.8} ${x - r * 0.4} ${y - r * 1.2}Q${x - r * 0.1} ${y - r * 1.4} ${x} ${y - r * 1.9}`
    : path`M${x - r} ${y}A${r} ${r * 1.1} 0 0 1 ${x} ${y - r * 1.1}`;
  const right = isOnion
    ? path`Q${x + r * 0.1} ${y - r * 1.4} ${x + r * 0.4} ${y - r * 1.2}Q${x + r * 1.3} ${y - r * 0.8} ${x + r * 0.85} ${y}Z`
    : path`A${r} ${r * 1.1} 0 0 1 ${x + r} ${y}Z`;
  canvas.fill(fill, top + right);
  canvas.fill(
    canvas.light.shadow,
    isOnion
      ? path`M${x} ${y - r * 1.9}Q${x + r * 0.1} ${y - r * 1.4} ${x + r * 0.4} ${y - r * 1.2}Q${x + r * 1.3} ${y - r * 0.8} ${x + r * 0.85} ${y}H${x + r * 0.25}Q${x + r * 0.6} ${y - r * 0.8} ${x} ${y - r * 1.9}Z`
      : path`M${x} ${y - r * 1.1}A${r} ${r * 1.1} 0 0 1 ${x + r} ${y}H${x + r * 0.35}Q${x + r * 0.4} ${y - r * 0.8} ${x} ${y - r * 1.1}Z`,
    0.35,
  );
  const tip = isOnion ? y - r * 1.9 : y - r * 1.1;
  canvas.fill(canvas.of("gold"), rectangle(x - 1.2, tip - r * 0.4, 2.4, r * 0.45) + ellipse(x, tip - r * 0.42, 2.6));
}

/** A cathedral with two towers and a rose. */
const cathedral: Motif = (canvas, gem) => {
  canvas
    .block("stone", -46, -64, 92, 70, 0.2)
    .fill(canvas.of("stone", 0.1), "M-28 -62L0 -98L28 -62Z")
    .fill(canvas.of("stone", 0.4), "M0 -98L28 -62H4Z");
  for (const x of [-62, 30])
    canvas
      .block("stone", x, -104, 32, 110, 0.35)
      .fill(canvas.of("slate"), polygon([x - 2, -104], [x + 16, -146], [x + 34, -104]))
      .fill(canvas.of("slate", 0.4), polygon([x + 16, -146], [x + 34, -104], [x + 16, -104]));
  canvas.openings(
    arches(-62, -30, 2, -66, 8, 26, true) +
      arches(30, 62, 2, -66, 8, 26, true) +
      arches(-62, -30, 2, -20, 8, 26, true) +
      arches(30, 62, 2, -20, 8, 26, true),
  );
  canvas
    .fill(gem.dark, ellipse(0, -56, 17))
    .fill(
      gem.light,
      ellipse(0, -56, 4) +
        Array.from({ length: 8 }, (_, i) => ellipse(11 * Math.cos(i * 0.785), -56 + 11 * Math.sin(i * 0.785), 3)).join(
          "",
        ),
    );
  canvas.fill(
    canvas.of("iron", 0.6),
    arch(0, 6, 24, 30, true) + arch(-26, 6, 13, 22, true) + arch(22, 6, 13, 22, true),
  );
  canvas.engrave("M-46 -32H46M-62 -40H-30M30 -40H62M-62 -98H-30M30 -98H62M-46 -64H46");
  passers(canvas, 4);
};

/** A palace with arcades. */
const palazzo: Motif = (canvas, gem) => {
  const n = canvas.random.whole(5, 7);
  canvas.block("plaster", -96, -100, 192, 106, 0.16);
  canvas.fill(
    canvas.of("marble"),
    rectangle(-98, -104, 196, 7) + rectangle(-96, -70, 192, 4) + rectangle(-96, -36, 192, 4),
  );
  canvas.fill(canvas.of("marble", 0.15), arches(-94, 94, n, -70, 20, 26) + arches(-94, 94, n, -36, 20, 28));
  canvas.openings(arches(-94, 94, n, -70, 12, 21) + arches(-94, 94, n, -36, 12, 22, true));
  canvas.fill(canvas.of("iron", 0.6), arches(-94, 94, n, 6, 20, 34));
  canvas
    .fill(gem.mid, "M-14 -70H14V-48L0 -40L-14 -48Z")
    .fill(gem.light, ellipse(0, -58, 5))
    .fill(
      canvas.of("gold"),
      Array.from({ length: 9 }, (_, i) => path`M${-92 + i * 22} -104L${-87 + i * 22} -114L${-82 + i * 22} -104Z`).join(
        "",
      ),
    );
  passers(canvas, 5);
};

/** Domes and minarets behind a court. */
const domes: Motif = (canvas, gem) => {
  const onion = canvas.random.chance(0.5);
  for (const x of [-92, 82])
    canvas
      .block("marble", x, -112, 10, 116, 0.4)
      .fill(canvas.of("gold"), polygon([x - 2, -112], [x + 5, -134], [x + 12, -112]))
      .fill(canvas.of("marble", 0.2), rectangle(x - 3, -84, 16, 4));
  dome(canvas, -48, -50, 20, mix(gem.mid, canvas.light.ambient, 0.25), onion);
  dome(canvas, 48, -50, 20, mix(gem.mid, canvas.light.ambient, 0.25), onion);
  canvas.block("marble", -74, -52, 148, 58, 0.2).block("marble", -34, -68, 68, 74, 0.25);
  dome(canvas, 0, -68, 31, mix(gem.mid, canvas.light.ambient, 0.12), onion);
  canvas
    .fill(canvas.of("plaster", 0.1), arch(0, 6, 40, 60, true))
    .openings(arch(0, 6, 26, 44, true) + arches(-72, -36, 2, -8, 11, 28, true) + arches(36, 72, 2, -8, 11, 28, true));
  canvas.engrave("M-74 -46H-34M34 -46H74M-34 -62H34M-72 -4H-36M36 -4H72");
  canvas
    .fill(canvas.light.water, polygon([-18, 10], [18, 10], [34, 40], [-34, 40]))
    .fill(mix(canvas.light.water, "#ffffff", 0.5), "M-6 16H8L10 22H-8ZM-10 28H4L6 34H-14Z", 0.7);
  passers(canvas, 3, 8);
};

/** A bell tower over a square. */
const campanile: Motif = (canvas, gem) => {
  canvas
    .block("plaster", -100, -60, 70, 66, 0.25)
    .roof("brick", -100, -60, 70, 18)
    .block("plaster", 30, -52, 72, 58, 0.25)
    .roof("brick", 30, -52, 72, 16);
  canvas.openings(arches(-98, -32, 4, -36, 8, 16) + arches(32, 100, 4, -30, 8, 16));
  canvas.fill(canvas.of("iron", 0.55), arches(-98, -32, 3, 6, 14, 24) + arches(32, 100, 3, 6, 14, 22));
  canvas
    .block("brick", -18, -112, 36, 118, 0.35)
    .fill(canvas.of("marble"), rectangle(-21, -116, 42, 5) + rectangle(-20, -84, 40, 4))
    .openings(arches(-16, 16, 2, -88, 11, 22));
  canvas
    .fill(mix(gem.mid, canvas.light.ambient, 0.15), "M-20 -116L0 -152L20 -116Z")
    .fill(gem.dark, "M0 -152L20 -116H3Z", 0.8);
  canvas
    .fill(canvas.of("marble"), ellipse(0, -62, 12))
    .line(canvas.light.ink, 1.6, "M0 -62V-70M0 -62L6 -58")
    .engrave("M-18 -40H18M-18 -20H18M-10 -30V-20M8 -50V-40");
  canvas
    .fill(canvas.of("marble"), ellipse(48, 16, 18, 5) + rectangle(45, 2, 6, 12))
    .fill(mix(canvas.light.water, "#ffffff", 0.5), "M48 -6Q36 0 36 12H40Q42 2 48 0Q54 2 56 12H60Q60 0 48 -6Z", 0.85);
  passers(canvas, 4);
};

/** A city along a river, behind its bridge. */
const bridgeCity: Motif = (canvas, gem) => {
  const { random } = canvas;
  canvas.row(() => {
    for (let x = -104; x < 100;) {
      const [w, h] = [random.whole(26, 36), random.whole(44, 84)];
      canvas
        .block(random.pick(["plaster", "brick", "stone"] as const), x, -h, w, h, 0.3)
        .roof(random.pick(["brick", "slate"] as const), x, -h, w, 12, 1);
      canvas.openings(
        rectangle(x + w * 0.2, -h + 8, 4, 6) +
          rectangle(x + w * 0.55, -h + 8, 4, 6) +
          rectangle(x + w * 0.2, -h + 22, 4, 6) +
          rectangle(x + w * 0.55, -h + 22, 4, 6),
      );
      x += w + 1;
    }
  });
  canvas
    .block("stone", -12, -104, 22, 70, 0.4)
    .fill(mix(gem.mid, canvas.light.ambient, 0.1), "M-15 -104L-1 -138L13 -104Z");
  canvas.fill(canvas.light.water, "M-130 -14H130V60H-130Z");
  canvas
    .fill(
      canvas.of("stone"),
      "M-110 -24Q0 -40 110 -24V12H96A22 20 0 0 0 54 12H48A24 22 0 0 0 2 12H-4A24 22 0 0 0 -50 12H-56A22 20 0 0 0 -98 12H-110Z",
    )
    .fill(canvas.of("stone", 0.4), "M-110 -16Q0 -32 110 -16V-11Q0 -27 -110 -11Z");
  canvas.fill(
    mix(canvas.light.water, "#ffffff", 0.5),
    "M-60 26Q-40 22 -20 26Q-40 30 -60 26ZM10 34Q36 30 60 34Q36 38 10 34ZM-90 40Q-60 36 -40 40Q-60 44 -90 40Z",
    0.7,
  );
  for (const x of [-52, 30]) person(canvas, x, -28, 18, random.pick(["red", "blue", "straw"]));
};

/** A castle on its hill. */
const castle: Motif = (canvas, gem) => {
  const merlons = (x: number, y: number, w: number) =>
    Array.from({ length: Math.floor(w / 8) }, (_, i) => rectangle(x + i * 8, y - 5, 5, 6)).join("");
  canvas
    .fill(canvas.of("rock"), "M-104 8L-80 -20L-50 -34H52L82 -22L104 8Z")
    .fill(canvas.of("rock", 0.42), "M20 -34H52L82 -22L104 8H40Z");
  canvas.block("stone", -54, -74, 108, 42, 0.2).fill(canvas.of("stone"), merlons(-54, -74, 108));
  canvas.row(() => {
    for (const [x, w, h] of [
      [-70, 24, 92],
      [48, 24, 86],
      [-16, 30, 116],
    ] as const) {
      canvas.block("stone", x, -h, w, h - 30, 0.4).fill(canvas.of("stone"), merlons(x - 1, -h, w + 3));
      canvas.fill(
        mix(gem.mid, canvas.light.ambient, 0.1),
        polygon([x + w * 0.1, -h - 2], [x + w / 2, -h - w * 1.2], [x + w * 0.9, -h - 2]),
      );
      canvas.fill(gem.dark, polygon([x + w / 2, -h - w * 1.2], [x + w * 0.9, -h - 2], [x + w * 0.5, -h - 2]), 0.7);
    }
  });
  canvas
    .openings(
      arch(-58, -64, 6, 14) +
        arch(60, -60, 6, 14) +
        arch(-1, -84, 8, 18) +
        arch(-36, -46, 6, 12) +
        arch(30, -46, 6, 12),
    )
    .fill(canvas.of("iron", 0.6), arch(0, -32, 18, 24));
  canvas.line(canvas.of("sand"), 7, "M0 -32Q-8 -20 20 -12T-30 12");
  tree(canvas, -84, 6, 34);
  tree(canvas, 88, 8, 30);
};

/** A gate of triumph on an avenue. */
const gate: Motif = (canvas, gem) => {
  canvas.row(() => {
    for (const [x, h] of [
      [-104, 62],
      [-86, 74],
      [72, 74],
      [90, 62],
    ] as const)
      canvas
        .block("plaster", x, -h, 18, h + 4, 0.3)
        .openings(
          rectangle(x + 4, -h + 10, 4, 7) +
            rectangle(x + 11, -h + 10, 4, 7) +
            rectangle(x + 4, -h + 26, 4, 7) +
            rectangle(x + 11, -h + 26, 4, 7),
        );
  });
  canvas
    .fill(canvas.of("marble"), `M-62 6V-92H62V6H24V-30A24 24 0 0 0 -24 -30V6Z`)
    .fill(canvas.of("marble", 0.4), "M62 -92H44V6H62ZM24 6V-30A24 24 0 0 0 -24 -30L-18 -30A18 20 0 0 1 18 -30V6Z");
  canvas
    .fill(canvas.of("marble", 0.15), rectangle(-68, -98, 136, 8) + rectangle(-66, -72, 132, 5))
    .fill(canvas.of("iron", 0.5), arch(-44, 6, 14, 34) + arch(44, 6, 14, 34));
  canvas.line(canvas.of("marble", 0.25), 4, "M-56 4V-66M-30 4V-66M30 4V-66M56 4V-66");
  canvas
    .fill(gem.mid, "M-16 -90H16V-76H-16Z")
    .fill(canvas.of("gold"), "M-20 -98L-14 -112L-4 -106L0 -120L6 -106L14 -112L20 -98Z");
  canvas.engrave("M-62 -60H-26M26 -60H62M-50 -86H-24M24 -86H50");
  passers(canvas, 5);
};

/** Terraces of a garden below a palace. */
const terraces: Motif = (canvas, gem) => {
  const { light } = canvas;
  canvas
    .block("marble", -44, -104, 88, 44, 0.25)
    .fill(canvas.of("marble", 0.1), "M-50 -104L0 -126L50 -104Z")
    .openings(arches(-40, 40, 5, -60, 8, 28));
  dome(canvas, 0, -116, 13, mix(gem.mid, light.ambient, 0.1));
  for (const [i, w] of [56, 76, 98].entries()) {
    const y = -60 + i * 22;
    canvas
      .fill(mix(light.grass, light.ambient, 0.2), rectangle(-w, y, w * 2, 8))
      .fill(canvas.of("stone", 0.12), rectangle(-w, y + 8, w * 2, 14))
      .fill(canvas.of("iron", 0.4), arches(-w + 4, -14, 3, y + 22, 8, 11) + arches(14, w - 4, 3, y + 22, 8, 11));
  }
  canvas
    .fill(canvas.of("marble"), "M-7 -60H7L14 8H-14Z")
    .line(canvas.of("stone", 0.4), 1, "M-8 -50H8M-9 -40H9M-10 -30H10M-11 -20H11M-12 -10H12M-13 0H13");
  canvas.fill(
    mix(light.water, "#ffffff", 0.4),
    "M-64 -30Q-60 -12 -62 8H-54Q-52 -14 -58 -30ZM58 -30Q52 -14 54 8H62Q60 -12 64 -30Z",
    0.9,
  );
  for (const [x, y, h] of [
    [-88, 6, 40],
    [88, 6, 40],
    [-66, -38, 30],
    [66, -38, 30],
  ] as const)
    canvas.fill(
      mix(light.tree, light.shadow, 0.2),
      path`M${x} ${y - h}Q${x + 7} ${y - h * 0.4} ${x + 4} ${y}H${x - 4}Q${x - 7} ${y - h * 0.4} ${x} ${y - h}Z`,
    );
  passers(canvas, 3, 14);
};

/** A theatre of arches, partly in ruins. */
const amphitheatre: Motif = (canvas, gem) => {
  canvas.fill(canvas.of("stone"), "M-98 6V-66Q-60 -104 0 -106Q46 -106 62 -88V-52Q84 -46 98 -30V6Z");
  canvas.fill(canvas.of("stone", 0.38), "M40 -102Q56 -98 62 -88V-52Q84 -46 98 -30V6H60Z");
  canvas.fill(canvas.of("marble"), "M-98 -66Q-60 -104 0 -106Q46 -106 62 -88V-80Q40 -98 0 -98Q-56 -96 -98 -58Z");
  canvas
    .openings(arches(-88, 58, 6, -58, 13, 24) + arches(-94, 90, 8, -28, 13, 20))
    .fill(canvas.of("iron", 0.6), arches(-94, 94, 7, 6, 16, 26));
  canvas.engrave("M-98 -54H64M-98 -24H96M-76 -76V-62M-44 -88V-70M0 -94V-76");
  canvas
    .fill(gem.mid, "M-62 -96V-122L-40 -116L-60 -110ZM-2 -106V-132L20 -126L0 -120Z")
    .fill(gem.dark, "M-2 -132L20 -126L10 -123Z");
  passers(canvas, 5);
};

/** An obelisk in a square with colonnades. */
const obelisk: Motif = (canvas, gem) => {
  for (const side of [-1, 1]) {
    canvas.fill(
      canvas.of("marble", side < 0 ? 0 : 0.25),
      polygon([side * 110, -66], [side * 30, -46], [side * 30, -38], [side * 110, -54]) +
        polygon([side * 110, 4], [side * 30, -6], [side * 30, -2], [side * 110, 10]),
    );
    canvas.line(
      canvas.of("marble", side < 0 ? 0.12 : 0.35),
      5,
      path`M${side * 100} -52V4M${side * 84} -50V2M${side * 70} -47V0M${side * 57} -45V-2M${side * 46} -42V-4M${side * 36} -40V-5`,
    );
  }
  dome(canvas, 0, -50, 24, mix(gem.mid, canvas.light.ambient, 0.15));
  canvas.block("marble", -30, -52, 60, 50, 0.25).openings(arches(-28, 28, 3, -6, 10, 28));
  canvas
    .fill(canvas.of("stone"), polygon([-9, 8], [-6, -112], [0, -124], [6, -112], [9, 8]))
    .fill(canvas.of("stone", 0.42), polygon([2, 8], [0, -124], [6, -112], [9, 8]))
    .fill(gem.mid, polygon([-5, -112], [0, -124], [5, -112]));
  canvas
    .fill(canvas.of("marble"), rectangle(-18, 4, 36, 8))
    .fill(canvas.of("marble", 0.35), rectangle(-24, 12, 48, 7))
    .engrave("M-4 -90H4M-4 -70H4M-5 -50H5M-5 -30H5M-6 -10H6");
  passers(canvas, 5, 20);
};

export const CITIES: readonly Motif[] = [
  cathedral,
  palazzo,
  domes,
  campanile,
  bridgeCity,
  castle,
  gate,
  terraces,
  amphitheatre,
  obelisk,
];

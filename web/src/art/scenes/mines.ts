import { ellipse, path } from "../geometry";
import { mix } from "../gems";
import { arch, polygon, rectangle } from "./canvas";
import { camel, cart, heap, mule, person, wheel } from "./figures";
import { palm, pine, rocks, tree } from "./nature";
import type { Motif } from "./motif";

/** An adit with its timbers, and a cart on the rails. */
const adit: Motif = (canvas, gem) => {
  const { random } = canvas;
  canvas.fill(
    canvas.of("rock"),
    polygon([-96, 4], [-84, -44], [-58, -62], [-44, -92], [-12, -104], [18, -98], [44, -78], [70, -60], [96, 4]),
  );
  canvas.fill(canvas.of("rock", 0.4), polygon([18, -98], [44, -78], [70, -60], [96, 4], [44, 4], [34, -50], [24, -60]));
  canvas.fill(canvas.of("rock", 0.22), polygon([-58, -62], [-44, -92], [-30, -60], [-40, -30], [-60, 4], [-78, 4]));
  canvas.engrave("M-70 -40L-62 -22M-50 -80L-42 -60M50 -66L58 -40M64 -40L70 -20M-8 -98L-4 -82M24 -88L30 -74");
  canvas.fill("#120d14", arch(0, 2, 56, 60));
  canvas.fill(mix("#120d14", "#ffb84d", 0.5), ellipse(6, -22, 12), 0.5).fill("#ffe09a", ellipse(6, -24, 3));
  canvas.fill(
    canvas.of("wood"),
    rectangle(-34, -58, 8, 60) + rectangle(26, -58, 8, 60) + polygon([-40, -66], [40, -68], [40, -58], [-40, -56]),
  );
  canvas.fill(canvas.of("wood", 0.45), rectangle(-29, -56, 3, 58) + rectangle(31, -56, 3, 58));
  canvas.line(canvas.of("iron", 0.3), 2, "M-12 2L-46 22M12 2L2 22");
  cart(canvas, -30, 14, 1.35, gem.mid);
  person(canvas, 46, 6, 40, random.pick(["red", "blue", "straw"]), [10, -16]);
  canvas.line(canvas.of("wood", 0.3), 2.4, "M64 -34L54 -6").line(canvas.of("iron"), 3, "M56 -38Q66 -38 72 -30");
};

/** A headframe over a shaft, and its shed. */
const headframe: Motif = (canvas, gem) => {
  canvas.block("brick", 34, -38, 54, 40).roof("slate", 34, -38, 54, 20);
  canvas.block("brick", 70, -74, 10, 40, 0.4);
  canvas.fill(
    mix(canvas.light.haze, "#ffffff", 0.4),
    path`M75 -76Q62 -88 74 -96Q70 -112 92 -110Q88 -98 82 -94Q90 -84 75 -76Z`,
    0.7,
  );
  canvas.openings(rectangle(42, -26, 9, 12) + rectangle(58, -26, 9, 12));
  const beam = canvas.of("wood", 0.15);
  canvas.line(beam, 5, "M-46 2L-24 -92M2 2L-16 -92");
  canvas.line(
    beam,
    3,
    "M-42 -14L0 -8M-38 -34L-4 -30M-34 -54L-8 -52M-30 -72L-12 -72M-42 -14L-4 -30M0 -8L-38 -34M-38 -34L-8 -52M-4 -30L-34 -54",
  );
  canvas.line(canvas.of("wood", 0.4), 5, "M-8 -84L44 -22");
  wheel(canvas, -20, -94, 13, 6, 2.6);
  canvas.line(canvas.light.ink, 1.1, "M-8 -98L46 -30M-28 -84V0", 0.8);
  heap(canvas, -72, 4, 20, [gem.light, gem.mid, gem.dark]);
  cart(canvas, -2, 6, 0.9, gem.mid);
};

/** Camels on their way. */
const camels: Motif = (canvas, gem) => {
  const { random } = canvas;
  const count = random.whole(2, 4);
  const size = count === 2 ? 1.9 : count === 3 ? 1.5 : 1.15;
  const pitch = 172 / count;
  for (let i = 0; i < count; i += 1)
    camel(canvas, -84 + i * pitch, 2 - (i % 2) * 3, size, random.pick(["red", "blue", "canvas"]));
  canvas.line(
    canvas.light.ink,
    1,
    Array.from(
      { length: count - 1 },
      (_, i) =>
        path`M${-84 + i * pitch + 37 * size} ${-27 * size}Q${-84 + (i + 0.9) * pitch} ${-14 * size} ${-84 + (i + 1) * pitch + 5 * size} ${-19 * size}`,
    ).join(""),
  );
  person(canvas, 88, 2, 34, "blue");
  canvas.fill(
    gem.mid,
    path`M${-84 + 13 * size} ${-22 * size}L${-84 + 16 * size} ${-27 * size} ${-84 + 21 * size} ${-22 * size}Z`,
  );
};

/** Mules on a bridge over a gorge. */
const muleBridge: Motif = (canvas, gem) => {
  canvas.block("stone", -100, -34, 44, 70, 0.2).block("stone", 56, -34, 44, 70, 0.6);
  canvas.fill(canvas.of("stone"), "M-100 -40L0 -52L100 -40V-24H72A72 46 0 0 0 -72 -24H-100Z");
  canvas.fill(canvas.of("stone", 0.42), "M-72 -24A72 46 0 0 1 72 -24L78 -24A78 54 0 0 0 -78 -24Z");
  canvas.engrave(
    "M-84 -36L-80 -28M-56 -42L-50 -34M-28 -46L-24 -38M0 -50V-42M28 -46L24 -38M56 -42L50 -34M84 -36L80 -28M-96 -14H-62M-96 2H-66M96 -14H62M96 2H66",
  );
  canvas.line(canvas.light.water, 5, "M-30 30Q0 18 10 4Q16 -6 6 -12");
  mule(canvas, -64, -45, 1.05, "red");
  mule(canvas, -14, -51, 1.05, "straw");
  person(canvas, 42, -46, 30, "blue");
  canvas.fill(gem.mid, "M-54 -70L-49 -76 -44 -70ZM-4 -76L1 -82 6 -76Z");
};

/** A covered wagon and its horse. */
const wagon: Motif = (canvas, gem) => {
  const cover = canvas.random.pick(["canvas", "red", "blue", "straw"] as const);
  canvas.fill(canvas.of(cover), "M-82 -34Q-90 -82 -48 -82H-6Q18 -82 18 -34Z");
  canvas.fill(canvas.of(cover, 0.35), "M-6 -82Q18 -82 18 -34H-2Q2 -70 -6 -82Z");
  canvas.engrave("M-64 -34Q-70 -76 -44 -81M-42 -34Q-46 -76 -26 -82M-20 -34Q-22 -74 -8 -82");
  canvas.fill(canvas.of("wood"), "M-86 -36H24L18 -18H-80Z").fill(canvas.of("wood", 0.4), "M-84 -28H21L18 -18H-80Z");
  canvas.fill(gem.mid, "M8 -36L13 -45 20 -47 24 -36Z");
  wheel(canvas, -60, -12, 15, 8);
  wheel(canvas, 0, -12, 13, 8);
  canvas.line(canvas.of("wood", 0.5), 2.4, "M16 -24L46 -26");
  mule(canvas, 36, 2, 1.5);
  person(canvas, 26, -30, 26, "red", [10, -10]);
};

/** A quarry in steps, with a crane. */
const quarry: Motif = (canvas, gem) => {
  for (const [i, x] of [-96, -70, -40, -6].entries()) {
    canvas.block("stone", x, -96 + i * 24, 110 + i * 2, 102 - i * 24, 0.25);
    canvas.fill(canvas.of("stone", 0.15), rectangle(x, -96 + i * 24 + 18, 110, 3));
  }
  canvas.engrave("M-90 -70H-60M-84 -50H-66M-60 -60H-30M-58 -36H-36M-30 -36H0M-26 -14H-2M0 -14H30M10 -6H40M-90 -20H-72");
  canvas
    .line(canvas.of("wood", 0.2), 5, "M62 2V-86L14 -70")
    .line(canvas.of("wood", 0.3), 3, "M62 -40L34 -76M50 2L62 -30L74 2");
  canvas.line(canvas.light.ink, 1.1, "M16 -70V-40");
  canvas
    .fill(gem.mid, rectangle(6, -40, 20, 16))
    .fill(gem.dark, rectangle(20, -40, 6, 16))
    .fill(gem.light, rectangle(6, -40, 20, 4));
  canvas.line(
    canvas.of("wood", 0.1),
    2,
    "M-58 -24L-50 -72M-50 -24L-42 -72M-57 -34H-49M-55 -44H-47M-54 -54H-46M-52 -64H-44",
  );
  person(canvas, 34, 4, 30, "blue", [10, -14]);
  person(canvas, -16, -24, 24, "red");
};

/** A mill with its wheel at a stream. */
const mill: Motif = (canvas, gem) => {
  canvas.block("plaster", -10, -58, 74, 60).roof("brick", -10, -58, 74, 34, 7);
  canvas.block("stone", -10, -18, 74, 20);
  canvas.line(canvas.of("wood", 0.4), 2.4, "M-10 -40H64M26 -58V-18M-10 -18L26 -40M64 -18L26 -40");
  canvas.openings(rectangle(36, -54, 12, 12) + rectangle(4, -54, 12, 12) + arch(44, 2, 14, 18));
  canvas.fill(canvas.of("wood"), polygon([-100, -74], [-34, -70], [-34, -62], [-100, -66]));
  canvas.fill(canvas.light.water, polygon([-100, -78], [-36, -74], [-34, -70], [-100, -74]));
  canvas.line(canvas.of("wood", 0.4), 3, "M-88 -68V4M-66 -66V4");
  wheel(canvas, -38, -32, 30, 12, 3.4);
  canvas.fill(
    mix(canvas.light.water, "#ffffff", 0.55),
    "M-36 -70Q-10 -66 -12 -30Q-12 -2 -20 6H-6Q-2 -20 -4 -40Q-8 -72 -36 -74Z",
    0.8,
  );
  canvas.fill(canvas.light.water, "M-100 6Q-50 -2 0 6T100 4V26H-100Z");
  heap(canvas, 84, 4, 12, [gem.light, gem.mid, gem.dark]);
};

/** Tents round a fire. */
const camp: Motif = (canvas, gem) => {
  const tent = (x: number, w: number, h: number, cloth: "canvas" | "red" | "blue") => {
    canvas.fill(canvas.of(cloth), polygon([x - w, 2], [x, -h], [x + w * 0.35, 2]));
    canvas.fill(canvas.of(cloth, 0.38), polygon([x, -h], [x + w, -2], [x + w * 0.35, 2]));
    canvas.fill(canvas.of("iron", 0.6), polygon([x - w * 0.45, 2], [x - w * 0.12, -h * 0.62], [x + w * 0.05, 2]));
    canvas.engrave(path`M${x} ${-h - 5}V${-h}M${x - w * 0.7} 2L${x} ${-h}`);
  };
  tent(-52, 44, 70, "canvas");
  tent(58, 40, 58, "red");
  tent(4, 26, 40, "blue");
  canvas.fill("#ff8a2a", "M2 8Q-6 -4 4 -14Q4 -6 10 -10Q8 -2 16 8Z").fill("#ffe08a", "M5 8Q2 0 7 -6Q8 0 12 8Z");
  canvas.fill("#ffb347", ellipse(8, 0, 30), 0.22);
  canvas.line(canvas.of("wood", 0.5), 3, "M-6 10L22 6M-4 6L20 11");
  person(canvas, -16, 8, 28, "straw", [10, -10]);
  heap(canvas, 38, 10, 12, [gem.light, gem.mid, gem.dark]);
};

/** People who wash gravel in a stream. */
const washers: Motif = (canvas, gem) => {
  rocks(canvas, -70, 2, 30, 44);
  rocks(canvas, 74, 0, 30, 58);
  canvas.fill(canvas.light.water, "M-100 -6Q-40 -14 0 -4T100 -10V40H-100Z");
  canvas.fill(
    mix(canvas.light.water, "#ffffff", 0.5),
    "M-90 0Q-60 -5 -34 0Q-60 3 -90 0ZM10 8Q40 2 70 8Q40 12 10 8ZM-50 14Q-20 10 4 14Q-20 18 -50 14Z",
    0.8,
  );
  person(canvas, -30, 6, 52, "red", [22, -24]);
  canvas
    .fill(canvas.of("copper", 0.1), "M-22 -20Q-6 -8 10 -20Z")
    .fill(gem.mid, "M-14 -20L-8 -26 -2 -20ZM-4 -20L1 -24 6 -20Z");
  person(canvas, 40, 2, 44, "blue", [-20, -18]);
  canvas
    .line(canvas.of("wood"), 4, "M-2 -20L58 -34M6 -20V4M54 -32V0")
    .fill(canvas.of("wood", 0.3), polygon([-6, -26], [60, -42], [62, -34], [-4, -18]));
};

/** A cavern with crystals. */
const cavern: Motif = (canvas, gem) => {
  const { random } = canvas;
  canvas.fill(canvas.of("rock", 0.75), "M-120 40V-130H120V40Z");
  canvas.fill(
    canvas.of("rock", 0.5),
    "M-120 40V-110L-84 -96L-70 -118L-20 -100L6 -116L40 -94L66 -112L90 -90L120 -104V40Z",
  );
  canvas.fill(canvas.of("rock", 0.9), "M-92 4Q-90 -70 -40 -84Q0 -98 44 -82Q88 -66 92 4Z");
  canvas.fill(gem.mid, ellipse(0, -20, 70, 56), 0.3).fill(gem.light, ellipse(0, -20, 40, 34), 0.3);
  for (const [x, h, w, lean] of [
    [-58, 34, 9, -10],
    [-34, 54, 11, -8],
    [-6, 78, 14, 2],
    [26, 60, 12, 10],
    [50, 40, 10, 14],
    [8, 34, 8, 12],
  ] as const) {
    const top = -h * random.between(0.85, 1.1);
    canvas.fill(gem.light, polygon([x - w, 4], [x - w + lean, top + w], [x + lean, top], [x, 4]));
    canvas.fill(gem.dark, polygon([x, 4], [x + lean, top], [x + w + lean, top + w * 1.4], [x + w, 4]));
  }
  canvas.line("#ffffff", 1, "M-32 -2L-38 -40M-8 0L-5 -60M24 0L33 -44", 0.6);
  canvas.fill(canvas.of("rock", 0.6), "M-120 40V6Q-60 -6 0 6T120 4V40Z");
  person(canvas, -78, 6, 34, "straw", [12, -20]);
  canvas.fill("#ffe7a8", ellipse(-64, -18, 4)).fill("#ffd27a", ellipse(-64, -18, 14), 0.35);
};

/** An oasis: palms, a pool, and a camel that rests. */
const oasis: Motif = (canvas, gem) => {
  palm(canvas, -66, 2, 84);
  palm(canvas, -40, 4, 62);
  palm(canvas, 72, 0, 92);
  canvas
    .fill(canvas.light.water, ellipse(6, 12, 62, 11))
    .fill(mix(canvas.light.water, "#ffffff", 0.6), "M-30 10Q0 6 26 10Q0 13 -30 10ZM4 16Q24 13 44 16Q24 19 4 16Z", 0.8);
  camel(canvas, -30, 4, 1.5, "red");
  canvas.block("plaster", 34, -40, 34, 42, 0.4).openings(arch(48, 2, 12, 20));
  canvas.fill(canvas.of("plaster"), arch(51, -36, 34, 20)).fill(gem.mid, ellipse(51, -60, 4));
  person(canvas, 26, 6, 32, "blue");
};

/** A watchtower over the road of the miners. */
const watchtower: Motif = (canvas, gem) => {
  canvas
    .fill(canvas.of("rock"), "M-100 6L-60 -18L-20 -34L30 -36L66 -14L100 6Z")
    .fill(canvas.of("rock", 0.4), "M30 -36L66 -14L100 6H20Z");
  canvas.block("stone", -22, -104, 40, 72, 0.4);
  canvas
    .fill(canvas.of("stone"), "M-28 -104V-116H-18V-110H-8V-116H4V-110H14V-116H24V-104Z")
    .openings(arch(-2, -78, 9, 16) + arch(-2, -34, 13, 22) + rectangle(-14, -60, 4, 9));
  canvas.engrave("M-20 -92H-6M-20 -68H-8M2 -56H16M-20 -46H-10M4 -88H16");
  canvas.line(canvas.of("wood", 0.4), 2, "M-2 -116V-134").fill(gem.mid, "M-1 -134L20 -128L-1 -121Z");
  canvas.line(canvas.of("sand"), 7, "M-92 14Q-30 8 -10 -6Q4 -18 -2 -32");
  mule(canvas, -86, 12, 0.9, "red");
  mule(canvas, -52, 8, 0.8, "straw");
  pine(canvas, 62, -8, 44);
  pine(canvas, 80, 2, 34);
  tree(canvas, -76, -6, 34);
};

/** Charcoal burners and their kilns in a clearing. */
const kilns: Motif = (canvas, gem) => {
  for (const [x, w, h] of [
    [-56, 34, 62],
    [10, 40, 78],
    [70, 26, 48],
  ] as const) {
    canvas
      .fill(canvas.of("brick"), path`M${x - w} 4Q${x - w} ${-h} ${x} ${-h}Q${x + w} ${-h} ${x + w} 4Z`)
      .fill(
        canvas.of("brick", 0.42),
        path`M${x + w * 0.1} ${-h}Q${x + w} ${-h} ${x + w} 4H${x + w * 0.45}Q${x + w * 0.6} ${-h * 0.7} ${x + w * 0.1} ${-h}Z`,
      )
      .fill("#241014", arch(x - w * 0.2, 4, w * 0.6, h * 0.42))
      .fill("#ff9a3a", arch(x - w * 0.2, 4, w * 0.34, h * 0.26))
      .engrave(
        path`M${x - w * 0.9} ${-h * 0.35}H${x - w * 0.4}M${x - w * 0.7} ${-h * 0.65}H${x + w * 0.2}M${x} ${-h * 0.45}H${x + w * 0.5}`,
      );
    canvas.fill(
      mix(canvas.light.haze, "#ffffff", 0.4),
      path`M${x - 3} ${-h}Q${x - 16} ${-h - 16} ${x - 2} ${-h - 26}Q${x - 12} ${-h - 40} ${x + 10} ${-h - 46}Q${x + 4} ${-h - 30} ${x + 10} ${-h - 22}Q${x + 12} ${-h - 8} ${x + 3} ${-h}Z`,
      0.7,
    );
  }
  person(canvas, -16, 10, 38, "blue", [14, -14]);
  heap(canvas, 44, 12, 14, [gem.light, gem.mid, gem.dark]);
};

/** A raft with its load on a river between cliffs. */
const raft: Motif = (canvas, gem) => {
  canvas.fill(canvas.of("rock"), "M-120 8V-96L-92 -104L-74 -60L-60 -48L-52 8ZM120 8V-112L88 -98L76 -64L56 -40L50 8Z");
  canvas.fill(canvas.of("rock", 0.42), "M-74 -60L-60 -48L-52 8H-76L-82 -40ZM88 -98L76 -64L56 -40L50 8H70L82 -40Z");
  canvas.fill(canvas.light.water, "M-60 -22Q0 -28 60 -22L130 60H-130Z");
  canvas.fill(
    mix(canvas.light.water, "#ffffff", 0.5),
    "M-30 -14Q-6 -18 16 -14Q-6 -11 -30 -14ZM20 -6Q40 -10 56 -6Q40 -3 20 -6ZM-96 30Q-60 24 -30 30Q-60 35 -96 30ZM20 36Q56 30 90 36Q56 41 20 36Z",
    0.8,
  );
  canvas
    .fill(canvas.of("wood"), "M-62 6L-44 -6H52L66 6L56 14H-54Z")
    .fill(canvas.of("wood", 0.45), "M-62 6H66L56 14H-54Z")
    .engrave("M-40 -5L-52 6M-20 -6L-26 6M0 -6V6M20 -6L26 6M40 -6L52 6");
  heap(canvas, 0, -2, 22, [gem.light, gem.mid, gem.dark]);
  person(canvas, -34, 2, 46, "red", [-12, -16]);
  person(canvas, 40, 2, 44, "straw", [12, -18]);
  canvas.line(canvas.of("wood", 0.3), 3, "M-52 -46L-40 30M58 -48L46 28");
};

/** A village of miners on a slope. */
const village: Motif = (canvas, gem) => {
  canvas.row(() => {
    for (const [x, y, w, h] of [
      [-88, -34, 34, 26],
      [-44, -52, 32, 28],
      [8, -44, 36, 30],
      [56, -28, 34, 26],
    ] as const) {
      canvas
        .block("plaster", x, y - h, w, h + 14, 0.35)
        .roof("brick", x, y - h, w, 17)
        .openings(rectangle(x + 6, y - h + 8, 6, 8) + rectangle(x + w - 13, y - h + 8, 6, 8));
    }
  });
  canvas.fill(mix(canvas.light.grass, canvas.light.ground, 0.4), "M-110 -26Q-60 -44 0 -32T110 -18V12H-110Z");
  canvas
    .block("stone", -20, -62, 40, 66, 0.35)
    .roof("slate", -20, -62, 40, 30)
    .openings(arch(0, 4, 14, 24) + rectangle(-11, -50, 8, 10) + rectangle(5, -50, 8, 10));
  canvas.fill(gem.mid, "M-1 -92V-112L18 -106L1 -100Z");
  canvas.line(canvas.of("sand"), 8, "M0 8Q-30 0 -60 -12T-104 -16");
  cart(canvas, 40, 6, 1.1, gem.mid);
  person(canvas, 34, 8, 34, "red", [12, -16]);
  tree(canvas, -66, 6, 46);
  mule(canvas, -46, 10, 0.9, "straw");
};

export const MINES: readonly Motif[] = [
  adit,
  camels,
  headframe,
  wagon,
  quarry,
  camp,
  mill,
  muleBridge,
  washers,
  cavern,
  oasis,
  watchtower,
  kilns,
  raft,
  village,
];

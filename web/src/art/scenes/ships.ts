import { ellipse, path } from "../geometry";
import { mix } from "../gems";
import { arch, type Canvas, polygon, rectangle } from "./canvas";
import { heap, person, wheel } from "./figures";
import type { Motif } from "./motif";
import { rocks } from "./nature";

/** What a hull throws on the water. */
function reflection(canvas: Canvas, x: number, y: number, w: number): void {
  canvas.fill(
    canvas.light.shadow,
    path`M${x - w} ${y}Q${x} ${y - 3} ${x + w} ${y}Q${x + w * 0.6} ${y + 8} ${x} ${y + 9}Q${x - w * 0.7} ${y + 8} ${x - w} ${y}Z`,
    0.35,
  );
}

/** A sail that the wind fills, from its upper left corner. */
function sail(canvas: Canvas, x: number, y: number, w: number, h: number, fill: string): void {
  canvas.fill(
    fill,
    path`M${x} ${y}H${x + w}Q${x + w + 9} ${y + h * 0.5} ${x + w + 2} ${y + h}Q${x + w / 2} ${y + h - 7} ${x - 2} ${y + h}Q${x + 7} ${y + h * 0.5} ${x} ${y}Z`,
  );
}

/** A ship with three masts. */
const galleon: Motif = (canvas, gem) => {
  const { random } = canvas;
  const [cloth, shade] = [canvas.of("canvas"), canvas.of("canvas", 0.3)];
  reflection(canvas, 0, 2, 84);
  canvas.line(canvas.of("wood", 0.5), 3.4, "M-46 -18V-98M2 -18V-112M44 -18V-88M66 -24L96 -46");
  sail(canvas, -64, -86, 36, 26, shade);
  sail(canvas, -66, -58, 40, 32, cloth);
  sail(canvas, -18, -100, 38, 28, shade);
  sail(canvas, -22, -70, 46, 42, cloth);
  sail(canvas, 30, -76, 30, 22, shade);
  sail(canvas, 28, -52, 34, 28, cloth);
  canvas
    .fill(gem.mid, ellipse(2, -50, 8))
    .fill(gem.mid, "M-46 -98L-62 -94L-46 -90ZM2 -112L-16 -107L2 -102ZM44 -88L30 -84L44 -80Z");
  canvas.fill(canvas.of("wood", 0.1), "M-82 -40L-60 -38L-56 -22H44L52 -30L78 -32Q72 -6 54 4H-58Q-76 -8 -82 -40Z");
  canvas.fill(canvas.of("wood", 0.5), "M-76 -18Q-10 -8 74 -20Q68 -4 54 4H-58Q-70 -4 -76 -18Z");
  canvas.line(canvas.of("gold"), 1.8, "M-79 -26L-58 -24H46L76 -27");
  canvas.openings(
    rectangle(-74, -35, 5, 6) +
      rectangle(-66, -34, 5, 6) +
      "M-40 -16h5v5h-5ZM-20 -15h5v5h-5ZM0 -15h5v5h-5ZM20 -15h5v5h-5ZM40 -17h5v5h-5Z",
  );
  canvas.line(canvas.light.ink, 0.8, "M2 -110L-46 -40M2 -110L44 -40M-46 -96L-78 -38M44 -86L92 -44", 0.6);
  canvas.fill(
    mix(canvas.light.water, "#ffffff", 0.6),
    path`M52 4Q74 0 ${92 + random.between(0, 8)} 6Q70 10 40 8ZM-58 4Q-80 2 -92 7Q-70 10 -50 8Z`,
    0.85,
  );
};

/** Boats with slanting sails. */
const dhows: Motif = (canvas, gem) => {
  const boat = (x: number, y: number, s: number, main: string) => {
    reflection(canvas, x, y + 2 * s, 40 * s);
    canvas.line(canvas.of("wood", 0.4), 2.6 * s, path`M${x - 4 * s} ${y - 8 * s}L${x + 4 * s} ${y - 70 * s}`);
    canvas.fill(
      main,
      path`M${x - 34 * s} ${y - 18 * s}Q${x - 20 * s} ${y - 66 * s} ${x + 18 * s} ${y - 96 * s}Q${x + 40 * s} ${y - 44 * s} ${x + 30 * s} ${y - 14 * s}Q${x} ${y - 26 * s} ${x - 34 * s} ${y - 18 * s}Z`,
    );
    canvas.fill(
      canvas.light.shadow,
      path`M${x + 18 * s} ${y - 96 * s}Q${x + 40 * s} ${y - 44 * s} ${x + 30 * s} ${y - 14 * s}Q${x + 20 * s} ${y - 18 * s} ${x + 12 * s} ${y - 20 * s}Q${x + 24 * s} ${y - 56 * s} ${x + 18 * s} ${y - 96 * s}Z`,
      0.28,
    );
    canvas.fill(
      canvas.of("wood", 0.15),
      path`M${x - 48 * s} ${y - 16 * s}Q${x} ${y - 4 * s} ${x + 52 * s} ${y - 18 * s}Q${x + 38 * s} ${y + 4 * s} ${x + 14 * s} ${y + 4 * s}H${x - 22 * s}Q${x - 40 * s} ${y + 2 * s} ${x - 48 * s} ${y - 16 * s}Z`,
    );
    canvas.line(canvas.of("gold"), 1.4 * s, path`M${x - 46 * s} ${y - 12 * s}Q${x} ${y} ${x + 49 * s} ${y - 13 * s}`);
  };
  boat(54, -16, 0.62, canvas.of("canvas", 0.1));
  boat(-74, -12, 0.4, canvas.of("red"));
  boat(-16, 4, 1.08, mix(gem.mid, canvas.light.ambient, 0.15));
  person(canvas, -40, -6, 20, "straw");
  person(canvas, 14, -6, 20, "blue");
};

/** A light on its rock. */
const lighthouse: Motif = (canvas, gem) => {
  rocks(canvas, 12, 10, 74, 40);
  rocks(canvas, -54, 12, 34, 18);
  const stripe = canvas.of("red");
  canvas.fill(canvas.of("marble"), polygon([-14, -24], [-8, -100], [14, -100], [20, -24]));
  canvas.fill(
    stripe,
    polygon([-12.6, -42], [-11, -60], [17, -60], [18.6, -42]) +
      polygon([-9.6, -78], [-8.4, -94], [14.4, -94], [15.6, -78]),
  );
  canvas.fill(canvas.light.shadow, polygon([6, -100], [14, -100], [20, -24], [8, -24]), 0.3);
  canvas.fill(canvas.light.sun, polygon([3, -112], [120, -146], [120, -84]), canvas.light.isNight ? 0.5 : 0.22);
  canvas.fill(canvas.of("iron"), rectangle(-13, -104, 32, 5) + "M-6 -118L3 -130L12 -118Z");
  canvas
    .fill("#ffe9a6", rectangle(-5, -118, 16, 14))
    .line(canvas.of("iron"), 1.4, "M-5 -118V-104M3 -118V-104M11 -118V-104");
  canvas
    .block("plaster", 30, -40, 34, 22)
    .roof("slate", 30, -40, 34, 14)
    .openings(rectangle(38, -34, 6, 8) + rectangle(50, -34, 6, 8) + arch(3, -24, 9, 16));
  canvas
    .fill(gem.mid, ellipse(3, -52, 3.4))
    .fill(mix(canvas.light.water, "#ffffff", 0.7), "M-92 10Q-60 0 -30 10T40 12T96 8V16Q40 22 0 16T-92 18Z", 0.8);
};

/** A quay with a crane and a ship that is unloaded. */
const quay: Motif = (canvas, gem) => {
  canvas.block("brick", -98, -86, 40, 80, 0.3).roof("slate", -98, -86, 40, 22);
  canvas.block("plaster", -58, -70, 30, 64, 0.3).roof("brick", -58, -70, 30, 20);
  canvas.openings(
    rectangle(-90, -74, 7, 10) +
      rectangle(-76, -74, 7, 10) +
      rectangle(-90, -52, 7, 10) +
      rectangle(-76, -52, 7, 10) +
      rectangle(-50, -56, 6, 9) +
      rectangle(-40, -56, 6, 9) +
      arch(-80, -6, 16, 26) +
      arch(-43, -6, 12, 20),
  );
  canvas
    .line(canvas.of("wood", 0.4), 2.6, "M46 -10V-104M76 -10V-84")
    .line(canvas.of("wood", 0.5), 1.6, "M26 -84H66M30 -60H62M62 -66H90");
  sail(canvas, 28, -84, 36, 22, canvas.of("canvas"));
  canvas
    .fill(canvas.of("wood", 0.2), "M18 -22L96 -26V8H34Q22 0 18 -22Z")
    .line(canvas.of("gold"), 1.6, "M19 -16L96 -19");
  canvas.fill(canvas.of("stone"), "M-100 -8H10V30H-100Z").fill(canvas.of("stone", 0.4), "M-100 6H10V30H-100Z");
  canvas.engrave("M-80 -8V6M-50 -8V6M-20 -8V6M-66 6V18M-36 6V18M-6 6V18");
  canvas.line(canvas.of("wood", 0.2), 4, "M-16 -8V-62L22 -82M-16 -40L2 -70").line(canvas.light.ink, 1, "M22 -82V-52");
  canvas.fill(gem.dark, rectangle(14, -52, 16, 14)).fill(gem.light, rectangle(14, -52, 16, 4));
  heap(canvas, -36, -8, 11, [gem.light, gem.mid, gem.dark]);
  person(canvas, -2, -8, 30, "red", [12, -26]);
  person(canvas, -58, -8, 30, "blue");
};

/** A barge under a bridge of a town. */
const barge: Motif = (canvas, gem) => {
  canvas
    .block("plaster", -100, -92, 44, 90, 0.3)
    .roof("brick", -100, -92, 44, 22)
    .block("brick", 60, -104, 40, 104, 0.3)
    .roof("slate", 60, -104, 40, 20);
  canvas.openings(
    arch(-86, -60, 10, 20) +
      arch(-70, -60, 10, 20) +
      arch(-86, -28, 10, 20) +
      arch(72, -72, 9, 20) +
      arch(88, -72, 9, 20) +
      arch(72, -38, 9, 20),
  );
  canvas
    .fill(canvas.of("stone"), "M-60 -36Q0 -66 64 -36V2H48A50 34 0 0 0 -46 2H-60Z")
    .fill(canvas.of("stone", 0.5), "M-46 2A50 34 0 0 1 48 2L42 2A44 28 0 0 0 -40 2Z");
  canvas.engrave("M-50 -38L-46 -28M-26 -47L-23 -37M0 -50V-40M26 -47L23 -37M52 -38L48 -28");
  reflection(canvas, 6, 18, 62);
  canvas
    .fill(canvas.of("wood", 0.25), "M-60 0Q0 10 72 -4Q62 18 40 20H-34Q-54 16 -60 0Z")
    .fill(gem.mid, "M-30 2Q-24 -18 -6 -18H8Q24 -16 28 1Q0 6 -30 2Z")
    .fill(gem.dark, "M8 -18Q24 -16 28 1Q20 3 12 3Q16 -8 8 -18Z");
  person(canvas, 50, 2, 38, "straw", [16, -18]);
  canvas
    .line(canvas.of("wood", 0.4), 2, "M56 -46L86 30")
    .fill("#ffd98a", ellipse(-48, -8, 3.6))
    .fill("#ffd27a", ellipse(-48, -8, 12), 0.3);
};

/** A ship on the stocks. */
const shipyard: Motif = (canvas, gem) => {
  canvas.line(
    canvas.of("wood", 0.3),
    3,
    "M-88 6V-70M-52 6V-84M64 6V-80M92 6V-66M-92 -52H-44M58 -56H96M-88 -70L-52 -40M64 -40L92 -66",
  );
  canvas.fill(canvas.of("wood", 0.55), "M-70 -56Q-64 -10 -40 -2H44Q70 -14 84 -62Q40 -40 -10 -42T-70 -56Z");
  canvas.line(
    canvas.of("straw"),
    3,
    "M-60 -52Q-52 -12 -34 -2M-40 -46Q-34 -14 -20 -2M-18 -42Q-12 -14 -4 -2M6 -42Q10 -14 12 -2M30 -44Q30 -14 28 -2M54 -50Q50 -18 42 -2",
  );
  canvas
    .fill(canvas.of("wood"), "M-52 -16Q-46 -4 -38 0H46Q58 -4 68 -18Q30 -8 0 -10T-52 -16Z")
    .line(canvas.of("gold"), 2, "M-70 -56Q-40 -40 -10 -42T84 -62");
  canvas
    .fill(gem.mid, "M84 -62L94 -76L92 -58Z")
    .line(canvas.of("wood", 0.45), 4, "M-30 6L-36 -2M0 6V-2M30 6L36 -2M-60 8H70");
  person(canvas, -8, -44, 26, "red", [12, -8]);
  person(canvas, 76, 8, 34, "blue", [-14, -26]);
  person(canvas, -74, 8, 34, "straw");
};

/** A paddle wheel and a ferry that is pulled across. */
const ferry: Motif = (canvas, gem) => {
  canvas.line(canvas.light.ink, 1.2, "M-110 -70Q0 -48 110 -74");
  reflection(canvas, 0, 8, 78);
  canvas.fill(canvas.of("wood", 0.3), "M-76 -10H78L66 10H-64Z").line(canvas.of("gold"), 1.6, "M-74 -5H76");
  canvas
    .block("plaster", -30, -46, 56, 36, 0.4)
    .fill(gem.mid, "M-36 -46H32L24 -58H-28Z")
    .fill(gem.dark, "M4 -46H32L24 -58H4Z");
  canvas.openings(rectangle(-22, -38, 10, 12) + rectangle(-6, -38, 10, 12) + rectangle(10, -38, 10, 12));
  wheel(canvas, 48, -8, 20, 10, 3);
  canvas
    .block("iron", -2, -86, 9, 28, 0.4)
    .fill(
      mix(canvas.light.haze, "#ffffff", 0.4),
      "M2 -88Q-12 -98 0 -106Q-14 -122 12 -126Q6 -112 12 -106Q20 -96 2 -88Z",
      0.75,
    );
  person(canvas, -52, -10, 32, "red");
  person(canvas, -40, -10, 28, "blue");
  canvas.line(canvas.light.ink, 1, "M-66 -10V-59M68 -10V-61");
};

export const SHIPS: readonly Motif[] = [galleon, dhows, lighthouse, quay, barge, shipyard, ferry];

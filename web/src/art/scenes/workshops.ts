import { ellipse, path, placed } from "../geometry";
import { mix } from "../gems";
import { arch, type Canvas, polygon, rectangle } from "./canvas";
import { heap, person, wheel } from "./figures";
import type { Motif } from "./motif";
import { ANVIL } from "./patterns";

/** A room with a window to the sky, and a floor of boards. */
function room(
  canvas: Canvas,
  wall: "plaster" | "brick" | "stone",
  window: readonly [number, number, number, number] | null,
): void {
  const { light } = canvas;
  const face = mix(canvas.of(wall, 0.25), "#5a3a24", 0.3);
  const hole = window === null ? "" : arch(...window);
  canvas.pierce(face, `M-130 6V-140H130V6Z${hole}`);
  canvas.fill(mix(face, "#1c1014", 0.45), "M-130 -140H-96L-84 6H-130ZM130 -140H100L88 6H130Z", 0.6);
  if (window !== null) {
    const [x, y, w, h] = window;
    canvas
      .line(canvas.of("wood", 0.4), 4, hole)
      .line(canvas.of("wood", 0.4), 2, path`M${x} ${y}V${y - h}M${x - w / 2} ${y - h * 0.45}H${x + w / 2}`);
    canvas.fill(light.sun, polygon([x - w / 2, y], [x + w / 2, y], [x + w * 1.1, 30], [x - w * 0.1, 30]), 0.14);
  }
  canvas.fill(canvas.of("wood", 0.35), "M-130 4H130V120H-130Z");
  canvas.line(
    canvas.of("wood", 0.65),
    1.2,
    "M-130 16H130M-130 32H130M-130 52H130M-130 78H130M-60 4L-104 120M0 4V120M60 4L104 120",
  );
}

/** A smith at the forge. */
const forge: Motif = (canvas, gem) => {
  room(canvas, "stone", [64, -44, 30, 46]);
  canvas.block("brick", -92, -40, 70, 48, 0.3).fill(canvas.of("brick", 0.2), "M-98 -58H-16L-36 -140H-78Z");
  canvas
    .fill("#1b0f10", arch(-57, -4, 46, 36))
    .fill("#e8501f", "M-78 -4Q-80 -20 -68 -30Q-66 -20 -58 -36Q-52 -20 -46 -28Q-38 -16 -40 -4Z")
    .fill("#ffd36a", "M-68 -4Q-68 -14 -60 -22Q-56 -12 -50 -14Q-46 -8 -50 -4Z");
  canvas.fill("#ff9a3a", ellipse(-56, -16, 60, 44), 0.2);
  canvas.fill(canvas.of("wood", 0.3), "M0 -20H34L38 8H-4Z").fill(canvas.of("iron"), placed(ANVIL, -2, -20, 1.2));
  canvas.fill(gem.light, "M12 -39L18 -46 24 -39Z").fill("#ffd36a", "M8 -44L4 -54L14 -46ZM26 -44L34 -52L22 -48Z");
  person(canvas, 58, 8, 62, "red", [-22, -62]);
  canvas.line(canvas.of("wood", 0.1), 3.4, "M40 -52L22 -62").fill(canvas.of("iron", 0.2), rectangle(14, -68, 12, 9));
};

/** A jeweller at the bench. */
const bench: Motif = (canvas, gem) => {
  room(canvas, "plaster", [-6, -44, 76, 74]);
  canvas
    .fill(canvas.of("iron", 0.5), rectangle(70, -96, 34, 3) + rectangle(70, -70, 34, 3))
    .fill(gem.mid, ellipse(78, -101, 4) + ellipse(90, -101, 4))
    .fill(canvas.of("gold"), ellipse(80, -75, 4) + ellipse(94, -76, 5));
  person(canvas, -48, -2, 70, "blue", [26, -44]);
  canvas
    .fill(canvas.of("wood"), "M-84 -32H90V-22H-84Z")
    .fill(canvas.of("wood", 0.45), "M-78 -22H84V-16H-78ZM-74 -16H-64V20H-74ZM70 -16H80V20H70Z");
  canvas
    .fill(gem.dark, "M0 -32L-10 -46L0 -58H24L34 -46L24 -32Z")
    .fill(gem.mid, "M0 -58L-10 -46L12 -32L6 -46Z")
    .fill(gem.light, "M0 -58H24L18 -46H6Z")
    .fill(gem.glint, "M6 -46H18L12 -34Z");
  canvas
    .line(canvas.of("iron", 0.2), 2.6, "M54 -32V-54L34 -62M54 -54L66 -44")
    .fill("#fff0bd", ellipse(32, -63, 6))
    .fill("#ffe7a0", ellipse(32, -60, 22), 0.28);
  heap(canvas, -16, -32, 7, [gem.light, gem.mid, gem.dark]);
  canvas.line(canvas.of("iron", 0.3), 1.8, "M64 -32V-40M70 -32V-42M76 -32V-38");
};

/** Scales on a counter. */
const scales: Motif = (canvas, gem) => {
  const { random } = canvas;
  room(canvas, random.pick(["plaster", "stone"]), [58, -40, 44, 78]);
  canvas
    .fill(canvas.of("red", 0.2), "M-130 -140H-70Q-64 -80 -92 -40Q-104 -20 -100 4H-130Z")
    .fill(canvas.of("red", 0.5), "M-130 -140H-100Q-96 -70 -112 -30V4H-130Z");
  canvas.fill(canvas.of("wood", 0.15), "M-100 -12H100V6H-100Z").fill(canvas.of("wood", 0.5), "M-92 6H92V60H-92Z");
  const tilt = random.between(-9, 9);
  const gold = canvas.of("gold");
  canvas.line(gold, 4, "M0 -14V-100").fill(gold, "M-22 -12Q-18 -24 0 -24T22 -12Z" + ellipse(0, -104, 6));
  canvas.line(gold, 3.4, path`M-58 ${-90 + tilt}Q0 -100 58 ${-90 - tilt}`);
  for (const [x, y] of [
    [-58, -90 + tilt],
    [58, -90 - tilt],
  ] as const) {
    canvas.line(canvas.light.ink, 1, path`M${x} ${y}L${x - 22} ${y + 48}M${x} ${y}L${x + 22} ${y + 48}`);
    heap(
      canvas,
      x,
      y + 49,
      14,
      x < 0 ? [gem.light, gem.mid, gem.dark] : [canvas.of("gold"), canvas.of("gold", 0.25), canvas.of("gold", 0.5)],
    );
    canvas.fill(
      canvas.of("gold", 0.25),
      path`M${x - 26} ${y + 47}H${x + 26}Q${x + 18} ${y + 60} ${x} ${y + 60}T${x - 26} ${y + 47}Z`,
    );
  }
};

/** A glassmaker at the furnace. */
const furnace: Motif = (canvas, gem) => {
  room(canvas, "brick", null);
  canvas
    .fill(canvas.of("brick"), "M-70 8V-60Q-64 -120 0 -126Q40 -120 46 -60V8Z")
    .fill(canvas.of("brick", 0.4), "M6 -126Q40 -120 46 -60V8H22Q26 -90 6 -126Z");
  canvas.engrave(
    "M-68 -40H-34M10 -40H44M-68 -20H-34M10 -20H44M-66 -70H-40M14 -70H42M-56 -94H30M-50 -82V-70M30 -60V-40M-52 -60V-40M-60 -20V0M34 -20V0",
  );
  canvas
    .fill("#ffb03a", arch(-12, -22, 38, 42))
    .fill("#fff0b0", arch(-12, -22, 22, 28))
    .fill("#ff9a3a", ellipse(-8, -34, 70, 60), 0.22);
  person(canvas, 70, 10, 64, "canvas", [-24, -44]);
  canvas
    .line(canvas.of("iron", 0.3), 2.6, "M60 -40L18 -32")
    .fill(gem.light, ellipse(12, -31, 11))
    .fill("#ffffff", ellipse(8, -35, 3), 0.8);
  canvas.fill(canvas.of("wood", 0.2), rectangle(-104, -50, 34, 4) + rectangle(-104, -80, 34, 4));
  canvas
    .fill(gem.mid, "M-98 -50V-62L-95 -66V-72H-91V-66L-88 -62V-50ZM-98 -80V-90Q-94 -100 -90 -90V-80Z")
    .fill(gem.dark, "M-82 -50Q-88 -62 -80 -64V-70H-76V-64Q-68 -62 -74 -50ZM-84 -80V-94H-76V-80Z");
};

/** A stall of a market, with its awning. */
const stall: Motif = (canvas, gem) => {
  canvas
    .block("plaster", -100, -112, 60, 116, 0.2)
    .block("brick", 44, -96, 60, 100, 0.3)
    .roof("slate", 44, -96, 60, 20)
    .openings(arch(-84, -70, 12, 24) + arch(-60, -70, 12, 24) + arch(66, -58, 12, 24) + arch(88, -58, 12, 24));
  canvas.line(canvas.of("wood", 0.4), 4, "M-58 6V-62M58 6V-62");
  canvas.fill(canvas.of("canvas"), "M-70 -52L-52 -80H52L70 -52V-44H-70Z");
  canvas.fill(
    gem.mid,
    "M-70 -52L-52 -80H-34L-44 -52V-44Q-57 -36 -70 -44ZM-18 -52L-14 -80H14L18 -52V-44Q0 -36 -18 -44ZM44 -52L34 -80H52L70 -52V-44Q57 -36 44 -44Z",
  );
  person(canvas, -6, -6, 46, "straw", [16, -22]);
  canvas
    .fill(canvas.of("wood", 0.1), "M-64 -24H64V-16H-64Z")
    .fill(canvas.of("wood", 0.45), "M-60 -16H60V6H-60Z")
    .engrave("M-40 -16V6M-20 -16V6M0 -16V6M20 -16V6M40 -16V6");
  heap(canvas, -42, -24, 12, [gem.light, gem.mid, gem.dark]);
  heap(canvas, 40, -24, 12, [canvas.of("gold"), canvas.of("gold", 0.25), canvas.of("gold", 0.5)]);
  person(canvas, 76, 8, 44, "red", [-14, -26]);
  person(canvas, -80, 8, 44, "blue");
};

/** A windmill that drives the saws. */
const windmill: Motif = (canvas, gem) => {
  canvas
    .fill(canvas.of("plaster"), "M-28 4L-16 -74H24L36 4Z")
    .fill(canvas.of("plaster", 0.4), "M10 -74H24L36 4H12Z")
    .fill(canvas.of("brick"), "M-20 -72Q4 -110 28 -72Z")
    .fill(canvas.of("brick", 0.4), "M4 -91Q18 -88 28 -72H10Z");
  canvas.openings(arch(4, 4, 16, 26) + arch(4, -42, 9, 14));
  const turn = canvas.random.between(0, 0.8);
  for (let i = 0; i < 4; i += 1) {
    const a = turn + (i * Math.PI) / 2;
    const [c, s] = [Math.cos(a), Math.sin(a)];
    const at = (u: number, v: number) => [4 + u * c - v * s, -78 + u * s + v * c] as const;
    canvas.fill(
      i === 0 ? gem.mid : canvas.of("canvas", i * 0.1),
      polygon(at(14, 2), at(62, 2), at(62, 15), at(14, 13)),
    );
    canvas.line(
      canvas.of("wood", 0.5),
      2.4,
      `M4 -78L${at(64, 0)
        .map((v) => v.toFixed(1))
        .join(" ")}`,
    );
  }
  canvas.fill(canvas.of("iron"), ellipse(4, -78, 4));
  canvas
    .block("wood", 40, -30, 52, 34, 0.4)
    .roof("straw", 40, -30, 52, 22)
    .openings(arch(64, 4, 18, 22));
  wheel(canvas, -66, -8, 14, 8);
  person(canvas, -46, 6, 34, "red");
  heap(canvas, -84, 8, 12, [gem.light, gem.mid, gem.dark]);
};

/** A weaver of tapestries at the loom. */
const loom: Motif = (canvas, gem) => {
  room(canvas, "plaster", [-74, -50, 30, 60]);
  canvas.line(canvas.of("wood", 0.35), 6, "M-40 14V-100M58 14V-100M-48 -96H66M-44 -20H62");
  canvas
    .fill(gem.dark, rectangle(-34, -90, 86, 68))
    .fill(gem.mid, "M9 -86L48 -56L9 -26L-30 -56Z")
    .fill(gem.light, "M9 -76L32 -56L9 -36L-14 -56Z")
    .fill(canvas.of("gold"), ellipse(9, -56, 9));
  canvas.line(
    canvas.of("canvas"),
    0.9,
    "M-34 -20V2M-24 -20V2M-14 -20V2M-4 -20V2M6 -20V2M16 -20V2M26 -20V2M36 -20V2M46 -20V2",
    0.8,
  );
  person(canvas, 72, 12, 60, "blue", [-24, -40]);
  canvas
    .fill(canvas.of("red"), ellipse(-72, 8, 9))
    .fill(gem.mid, ellipse(-86, 10, 8))
    .fill(canvas.of("straw"), ellipse(-60, 12, 7));
};

/** The workshops that are seen from within. */
export const ROOMS: readonly Motif[] = [forge, bench, scales, furnace, loom];
export const WORKSHOPS: readonly Motif[] = [...ROOMS, stall, windmill];

import type { GameName } from "../generated/catalogue";
import { placed } from "./geometry";
import { remember } from "./remember";

/** A drawn sign in a box 100 high: what is stroked, what is filled, and how wide it is. */
interface Glyph {
  d: string;
  fill?: string;
  width: number;
}

/**
 * The figures of the atelier: a high-contrast serif, drawn as filled outlines (even-odd).
 * Thin hairlines, heavy stems and round terminals, as punch-cutters made them.
 */
const SERIF: Record<string, Glyph> = {
  "0": {
    d: "",
    fill: "M32 0C51 0 64 20 64 50S51 100 32 100 0 80 0 50 13 0 32 0ZM32 5C22 5 18 22 18 50S22 95 32 95 46 78 46 50 42 5 32 5Z",
    width: 64,
  },
  "1": { d: "", fill: "M31 0V89Q31 96 43 96V100H3V96Q15 96 15 89V19Q10 23 2 24V20Q17 15 24 0Z", width: 45 },
  "2": {
    d: "",
    fill: "M4 27C4 10 16 0 33 0C51 0 61 10 61 25C61 40 47 49 34 60C23 69 15 76 12 84H45C54 84 56 80 58 72H62L59 100H2V96C4 78 15 65 26 53C36 42 43 36 43 24C43 11 37 5 28 5C20 5 14 9 13 14C20 14 24 19 24 25C24 32 19 36 14 36C8 36 4 33 4 27Z",
    width: 63,
  },
  "3": {
    d: "",
    fill: "M6 21C6 8 17 0 32 0C48 0 59 9 59 23C59 36 50 44 37 47C53 49 63 58 63 73C63 90 49 100 31 100C14 100 2 92 2 79C2 72 6 67 13 67C19 67 23 71 23 78C23 83 19 87 14 87C16 92 21 95 29 95C39 95 45 88 45 73C45 57 39 50 27 50H21V45H26C36 45 42 38 42 24C42 11 37 5 29 5C22 5 17 8 15 12C21 13 24 16 24 21C24 27 20 31 15 31C9 31 6 27 6 21Z",
    width: 64,
  },
  "4": {
    d: "",
    fill: "M41 0H52V64H66V70H52V89Q52 96 62 96V100H26V96Q36 96 36 89V70H0V65ZM36 64V17L8 64Z",
    width: 67,
  },
  "5": {
    d: "",
    fill: "M10 2C24 6 39 5 54 1C52 15 43 20 31 20C23 20 17 18 14 16L13 44C18 39 25 36 34 36C51 36 63 49 63 67C63 87 49 100 30 100C14 100 2 92 2 79C2 72 6 67 13 67C19 67 23 71 23 77C23 83 19 87 14 86C17 92 21 95 28 95C39 95 45 86 45 67C45 50 39 42 29 42C21 42 16 46 13 52H8Z",
    width: 64,
  },
  "6": {
    d: "",
    fill: "M59 20C59 26 55 30 49 30C43 30 39 26 39 20C39 15 42 12 46 11C44 7 40 5 36 5C23 5 18 20 18 47C22 41 28 37 37 37C54 37 64 49 64 68C64 87 51 100 33 100C13 100 0 82 0 54C0 22 15 0 37 0C51 0 59 8 59 20ZM19 64C19 86 23 95 33 95C42 95 46 87 46 68C46 50 42 43 33 43C24 43 19 50 19 64Z",
    width: 64,
  },
  "7": {
    d: "",
    fill: "M4 0H7C9 4 12 5 19 5H62V9C46 32 36 56 34 87C34 95 30 100 24 100C17 100 14 96 14 89C14 66 31 41 50 20H21C11 20 8 23 6 33H2Z",
    width: 62,
  },
  "8": {
    d: "",
    fill: "M32 0C49 0 60 9 60 23C60 34 53 41 43 46C56 51 64 60 64 73C64 90 51 100 32 100S0 90 0 74C0 62 8 53 20 48C10 43 4 35 4 24C4 9 15 0 32 0ZM32 5C22 5 18 10 18 19C18 29 26 35 38 42C44 37 46 31 46 23C46 10 41 5 32 5ZM25 52C18 56 16 63 16 73C16 88 22 95 32 95C42 95 47 90 47 81C47 69 39 61 25 52Z",
    width: 64,
  },
  "9": {
    d: "",
    fill: "M5 80C5 74 9 70 15 70C21 70 25 74 25 80C25 85 22 88 18 89C20 93 24 95 28 95C41 95 46 80 46 53C42 59 36 63 27 63C10 63 0 51 0 32C0 13 13 0 31 0C51 0 64 18 64 46C64 78 49 100 27 100C13 100 5 92 5 80ZM45 36C45 14 41 5 31 5C22 5 18 13 18 32C18 50 22 57 31 57C40 57 45 50 45 36Z",
    width: 64,
  },
  "−": { d: "", fill: "M2 46H42V58H2Z", width: 44 },
  "+": { d: "", fill: "M18 30H26V48H44V56H26V74H18V56H0V48H18Z", width: 44 },
  "/": { d: "", fill: "M40 -6H48L12 106H4Z", width: 52 },
};

/**
 * The letters of the cosmos: a condensed grotesque, drawn as centre lines for a stroke 18 wide.
 * Capitals, figures and the signs that occur in names.
 */
const POSTER: Record<string, Glyph> = {
  A: { d: "M9 100V26Q9 9 25 9T41 26V100M9 64H41", width: 50 },
  B: { d: "M9 0V100M9 9H25Q39 9 39 22V36Q39 49 25 49H9M25 49Q41 49 41 63V77Q41 91 25 91H9", width: 49 },
  C: { d: "M41 35V25Q41 9 25 9T9 25V75Q9 91 25 91T41 75V65", width: 50 },
  D: { d: "M9 0V100M9 9H23Q41 9 41 27V73Q41 91 23 91H9", width: 50 },
  E: { d: "M42 9H9V91H42M9 50H37", width: 44 },
  F: { d: "M42 9H9V100M9 51H37", width: 43 },
  G: { d: "M41 33V25Q41 9 25 9T9 25V75Q9 91 25 91T41 75V54H25", width: 50 },
  H: { d: "M9 0V100M41 0V100M9 50H41", width: 50 },
  I: { d: "M9 0V100", width: 18 },
  J: { d: "M33 0V75Q33 91 18 91Q4 91 4 75V66", width: 42 },
  K: { d: "M9 0V100", fill: "M33 0H54L19 67V30ZM18 47L31 36L56 100H35Z", width: 55 },
  L: { d: "M9 0V91H40", width: 42 },
  M: { d: "M9 0V100M61 0V100", fill: "M0 0H19L35 54L51 0H70V12L42 86H28L0 12Z", width: 70 },
  N: { d: "M9 0V100M44 0V100", fill: "M0 0H20L53 78V100H33L0 22Z", width: 53 },
  O: { d: "M25 9Q41 9 41 25V75Q41 91 25 91T9 75V25Q9 9 25 9Z", width: 50 },
  P: { d: "M9 100V9H25Q41 9 41 25V41Q41 57 25 57H9", width: 49 },
  Q: { d: "M25 9Q41 9 41 25V75Q41 91 25 91T9 75V25Q9 9 25 9Z", fill: "M20 66H36L54 106H36Z", width: 52 },
  R: { d: "M9 100V9H25Q41 9 41 25V40Q41 56 25 56H9", fill: "M17 56H35L54 100H34Z", width: 54 },
  S: { d: "M41 33V25Q41 9 25 9T9 25V30Q9 41 20 46L31 52Q41 58 41 69V75Q41 91 25 91T9 75V66", width: 50 },
  T: { d: "M0 9H46M23 9V100", width: 46 },
  U: { d: "M9 0V75Q9 91 25 91T41 75V0", width: 50 },
  V: { d: "", fill: "M0 0H19L28 62L37 0H56L40 100H16Z", width: 56 },
  W: { d: "", fill: "M0 0H18L25 60L33 0H49L57 60L64 0H82L67 100H48L41 52L34 100H15Z", width: 82 },
  X: { d: "", fill: "M0 0H21L29 30L37 0H58L40 49L59 100H38L29 68L20 100H-1L18 49Z", width: 58 },
  Y: { d: "", fill: "M0 0H20L28 40L36 0H56L37 66V100H19V66Z", width: 56 },
  Z: { d: "M3 9H44M2 91H45", fill: "M25 9H45V18L22 91H2V82Z", width: 47 },
  И: { d: "M9 0V100M44 0V100", fill: "M33 0H53V22L20 100H0V78Z", width: 53 },
  П: { d: "M9 100V9H41V100", width: 50 },
  "0": { d: "M25 9Q41 9 41 25V75Q41 91 25 91T9 75V25Q9 9 25 9Z", width: 50 },
  "1": { d: "M24 0V100", fill: "M3 12Q14 10 17 0H26V26H3Z", width: 34 },
  "2": {
    d: "M9 33V25Q9 9 25 9T41 25V30M2 91H47",
    fill: "M32 28H50Q50 46 43 56L22 91H2V82L27 48Q32 40 32 28Z",
    width: 49,
  },
  "3": { d: "M9 31V25Q9 9 25 9T41 25V34Q41 48 27 48H19M27 48Q41 48 41 62V75Q41 91 25 91T9 75V69", width: 50 },
  "4": { d: "M38 0V100M0 73H55", fill: "M29 0H47L19 66V82H0V66Z", width: 56 },
  "5": { d: "M41 9H12L11 48Q15 40 25 40Q41 40 41 57V75Q41 91 25 91T9 75V68", width: 50 },
  "6": { d: "M41 31V25Q41 9 25 9T9 25V75Q9 91 25 91T41 75V60Q41 44 25 44T9 60", width: 50 },
  "7": { d: "M2 9H46", fill: "M27 9H46V18L27 100H7Z", width: 46 },
  "8": {
    d: "M25 9Q40 9 40 24V34Q40 48 25 48T10 34V24Q10 9 25 9ZM25 48Q41 48 41 63V76Q41 91 25 91T9 76V63Q9 48 25 48Z",
    width: 50,
  },
  "9": { d: "M9 69V75Q9 91 25 91T41 75V25Q41 9 25 9T9 25V40Q9 56 25 56T41 40", width: 50 },
  ".": { d: "M0 91H18", width: 18 },
  ",": { d: "M0 91H18", fill: "M4 91H18L9 116H0Z", width: 18 },
  "-": { d: "M0 54H26", width: 26 },
  "'": { d: "M9 0V30", width: 18 },
  "−": { d: "M0 52H34", width: 34 },
  "+": { d: "M0 52H40M20 32V72", width: 40 },
  "/": { d: "", fill: "M34 0H52L18 100H0Z", width: 52 },
  " ": { d: "", width: 22 },
};

/** Cyrillic capitals that look like Latin ones. */
const LOOK_ALIKES: Record<string, string> = {
  А: "A",
  В: "B",
  Е: "E",
  К: "K",
  М: "M",
  Н: "H",
  О: "O",
  Р: "P",
  С: "C",
  Т: "T",
  Х: "X",
};

const FACES: Record<GameName, { glyphs: Record<string, Glyph>; gap: number }> = {
  splendor: { glyphs: SERIF, gap: 5 },
  marvel: { glyphs: POSTER, gap: 9 },
};

/** How thick the strokes of the cosmos' letters are, in a box 100 high. */
export const POSTER_STROKE = 18;

/** A line of text set in a game's own drawn face, as outlines in a box 100 high. */
export interface Line {
  /** To be stroked, `POSTER_STROKE` wide. */
  strokes: string;
  /** To be filled, even-odd. */
  fills: string;
  width: number;
}

function signs(text: string): string[] {
  return [
    ...text
      .toUpperCase()
      .normalize("NFD")
      .replace(/[\u0300-\u036f]/g, ""),
  ].map((sign) => LOOK_ALIKES[sign] ?? sign);
}

/** Set a text in the drawn face of a game; an unknown sign becomes a space. */
export const setLine = remember(setNewLine, (game, text) => `${game} ${text}`);

function setNewLine(game: GameName, text: string): Line {
  const { glyphs, gap } = FACES[game];
  const line: Line = { strokes: "", fills: "", width: 0 };
  let x = 0;
  for (const sign of signs(text)) {
    const glyph = glyphs[sign] ?? { d: "", width: 22 };
    line.strokes += placed(glyph.d, x, 0);
    line.fills += placed(glyph.fill ?? "", x, 0);
    x += glyph.width + gap;
  }
  line.width = Math.max(0, x - gap);
  return line;
}

/** Whether every sign of a text can be drawn in the face of a game. */
export function canSet(game: GameName, text: string): boolean {
  const { glyphs } = FACES[game];
  return signs(text).every((sign) => sign in glyphs);
}

/** Lines of a name, and how high their capitals are, so that it is as large as the box allows. */
export interface Block {
  lines: Line[];
  height: number;
}

/** Break a name into one or two lines, whichever comes out larger in a box. */
export function setBlock(game: GameName, name: string, width: number, height: number, most: number): Block {
  const words = name.split(/\s+/);
  const breaks = words.map((_, i) =>
    [words.slice(0, i).join(" "), words.slice(i).join(" ")].filter((text) => text !== ""),
  );
  let best: Block | undefined;
  for (const texts of breaks) {
    const lines = texts.map((text) => setLine(game, text));
    const widest = Math.max(...lines.map((line) => line.width));
    const capital = Math.min(most, (100 * width) / widest, height / (texts.length + (texts.length - 1) * 0.22));
    if (best === undefined || capital > best.height * (texts.length > best.lines.length ? 1.12 : 1)) {
      best = { lines, height: capital };
    }
  }
  return best as Block;
}

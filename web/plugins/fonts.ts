/**
 * The fonts of the page. They come from npm under the SIL Open Font License, and are cut down to the characters that
 * the page needs: those of its texts, and letters for the names that people type.
 *
 * `import "virtual:fonts.css"` gives the `@font-face` rules. Each family also gets fallbacks: fonts that most systems
 * have, scaled to the same width and height, so that nothing moves when the real font arrives.
 */

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import subsetFont from "subset-font";
import type { Plugin } from "vite";

const WEB = fileURLToPath(new URL("..", import.meta.url));
const CACHE = join(WEB, "node_modules/.cache/fonts");
const VIRTUAL = "virtual:fonts.css";
/** Where the licences are in the built page. */
const LICENCES = "fonts/OFL.txt";

/** The letters of English and of Russian, and signs. */
const LATIN = [...range(0x20, 0x7e), ...range(0x2010, 0x2026), ...range(0x2190, 0x2193), 0xa0, 0xb7, 0xd7, 0x2212];
const RUSSIAN = [...range(0x410, 0x44f), 0x401, 0x451, 0x2116];

/**
 * Each file of a font covers a part of its characters, and is loaded only where one of them is shown. The letters that
 * none of our texts needs are for the names that people type.
 */
const PARTS: { name: string; source: string; characters: (inTexts: readonly number[]) => number[] }[] = [
  { name: "latin", source: "latin", characters: (inTexts) => [...LATIN, ...inTexts.filter((code) => code < 0x400)] },
  { name: "latin-more", source: "latin", characters: () => range(0xa0, 0xff) },
  { name: "latin-ext", source: "latin-ext", characters: () => range(0x100, 0x17f) },
  { name: "cyrillic", source: "cyrillic", characters: () => RUSSIAN },
  { name: "cyrillic-more", source: "cyrillic", characters: () => [...range(0x400, 0x45f), 0x490, 0x491] },
];

/** What the page uses of OpenType: kerning, ligatures and accents, figures that line up. */
const FEATURES = ["ccmp", "kern", "liga", "lnum", "locl", "mark", "mkmk", "tnum"];

/** A font that systems have, with its mean width of a letter in English, in em. */
interface Fallback {
  local: string[];
  width: number;
  boldWidth: number;
}

interface Family {
  name: string;
  package: string;
  /** The weights that the page uses. */
  weights: { min: number; max: number };
  /** In percent: fonts of the same size look larger or smaller. */
  size: number;
  /** In em; as are the widths of a letter, the mean of English text. */
  ascent: number;
  descent: number;
  width: number;
  boldWidth: number;
  fallbacks: Fallback[];
}

const ARIAL = { local: ["Arial", "ArialMT", "Liberation Sans", "Arimo"], width: 0.441, boldWidth: 0.478 };
const DEJAVU_SANS = {
  local: ["DejaVu Sans Condensed", "DejaVuSansCondensed", "DejaVu Sans Condensed Bold", "DejaVuSansCondensed-Bold"],
  width: 0.458,
  boldWidth: 0.518,
};

const FAMILIES: Family[] = [
  {
    name: "Alegreya",
    package: "alegreya",
    weights: { min: 400, max: 700 },
    size: 108,
    ascent: 1.016,
    descent: 0.345,
    width: 0.409,
    boldWidth: 0.415,
    fallbacks: [
      { local: ["Georgia"], width: 0.446, boldWidth: 0.503 },
      { local: ["Times New Roman", "TimesNewRomanPSMT", "Liberation Serif", "Tinos"], width: 0.406, boldWidth: 0.43 },
      {
        local: ["DejaVu Serif Condensed", "DejaVuSerifCondensed", "DejaVu Serif Condensed Bold"],
        width: 0.463,
        boldWidth: 0.512,
      },
    ],
  },
  {
    name: "Oswald",
    package: "oswald",
    weights: { min: 400, max: 700 },
    size: 94,
    ascent: 1.193,
    descent: 0.289,
    width: 0.363,
    boldWidth: 0.412,
    fallbacks: [ARIAL, DEJAVU_SANS],
  },
  {
    name: "Inter Tight",
    package: "inter-tight",
    weights: { min: 400, max: 700 },
    size: 100,
    ascent: 0.969,
    descent: 0.241,
    width: 0.43,
    boldWidth: 0.46,
    fallbacks: [ARIAL, DEJAVU_SANS],
  },
];

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

/** The characters of all texts of the page. */
function charactersOfTexts(): number[] {
  const folders = ["src/messages", "src/content", "src/generated"].map((folder) => join(WEB, folder));
  const files = folders.flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)));
  const texts = files.filter((file) => /(\.json|catalogue\.ts)$/.test(file)).map((file) => readFileSync(file, "utf8"));
  return [...new Set(texts.join(""))].map((character) => character.codePointAt(0) ?? 0).filter((code) => code >= 0x20);
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)}%`;
}

/** The rules for fonts that look like a family until it is there. */
function fallbackRules(family: Family): string[] {
  const scale = family.size / 100;
  return family.fallbacks.flatMap(({ local, width, boldWidth }, index) =>
    (
      [
        ["100 500", family.width / width],
        ["501 900", family.boldWidth / boldWidth],
      ] as const
    ).map(
      ([weights, ratio]) => `@font-face {
  font-family: "${family.name} Fallback ${index + 1}";
  font-weight: ${weights};
  src: ${local.map((name) => `local("${name}")`).join(", ")};
  size-adjust: ${percent(ratio * scale)};
  ascent-override: ${percent(family.ascent / ratio)};
  descent-override: ${percent(family.descent / ratio)};
  line-gap-override: 0%;
}`,
    ),
  );
}

/** The rules for a family, whose files are cut and kept in the cache. */
async function familyRules(family: Family, inTexts: readonly number[]): Promise<string[]> {
  const require = createRequire(import.meta.url);
  const folder = dirname(require.resolve(`@fontsource-variable/${family.package}/LICENSE`));
  const covered = new Set<number>();
  const parts = PARTS.map(({ name, source, characters }) => {
    const codes = [...new Set(characters(inTexts))].filter((code) => !covered.has(code));
    for (const code of codes) covered.add(code);
    return { name, source, codes };
  });
  const rules = parts.map(async ({ name, source, codes }) => {
    const original = readFileSync(join(folder, "files", `${family.package}-${source}-wght-normal.woff2`));
    const cut = await subsetFont(original, String.fromCodePoint(...codes), {
      targetFormat: "woff2",
      keepFeatures: FEATURES,
      variationAxes: { wght: family.weights },
    });
    const file = `${family.package}-${name}.woff2`;
    writeFileSync(join(CACHE, file), cut);
    return `@font-face {
  font-family: "${family.name}";
  font-weight: ${family.weights.min} ${family.weights.max};
  font-display: swap;
  src: url("./${file}") format("woff2");
  unicode-range: ${ranges(codes)};
  size-adjust: ${family.size}%;
}`;
  });
  return Promise.all(rules);
}

/** Characters as `unicode-range` lists them: "U+20-7E,U+A0". */
function ranges(codes: readonly number[]): string {
  const found: [number, number][] = [];
  for (const code of codes.toSorted((a, b) => a - b)) {
    const last = found.at(-1);
    if (last?.[1] === code - 1) last[1] = code;
    else found.push([code, code]);
  }
  const hex = (code: number): string => code.toString(16).toUpperCase();
  return found.map(([first, last]) => `U+${hex(first)}${first === last ? "" : `-${hex(last)}`}`).join(",");
}

async function writeFonts(): Promise<string> {
  mkdirSync(CACHE, { recursive: true });
  const inTexts = charactersOfTexts();
  const rules = await Promise.all(FAMILIES.map((family) => familyRules(family, inTexts)));
  const file = join(CACHE, "fonts.css");
  writeFileSync(file, [...rules.flat(), ...FAMILIES.flatMap(fallbackRules)].join("\n\n"));
  return file;
}

function licences(): string {
  const require = createRequire(import.meta.url);
  return FAMILIES.map((family) => {
    const text = readFileSync(require.resolve(`@fontsource-variable/${family.package}/LICENSE`), "utf8");
    return `${family.name}\n\n${text}`;
  }).join(`\n\n${"-".repeat(80)}\n\n`);
}

/** Provides `virtual:fonts.css`, and puts the licences beside the page. */
export function fonts(): Plugin {
  let file: Promise<string> | undefined;
  return {
    name: "fonts",
    resolveId(id) {
      if (id !== VIRTUAL) return null;
      file ??= writeFonts();
      return file;
    },
    generateBundle() {
      this.emitFile({ type: "asset", fileName: LICENCES, source: licences() });
    },
  };
}

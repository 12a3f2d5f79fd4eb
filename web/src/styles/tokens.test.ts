// @vitest-environment node
import { readFileSync } from "node:fs";

import { expect, test } from "vitest";

const css = readFileSync(new URL("./tokens.css", import.meta.url), "utf8");

/** The colours of one game in one mode, by the names of their properties. */
function colours(game: string, mode: "light" | "dark"): Map<string, string> {
  const block = css.match(new RegExp(`\\[data-game="${game}"\\] \\{([^}]*)\\}`))?.[1] ?? "";
  const found = new Map<string, string>();
  for (const [, name = "", value = ""] of block.matchAll(/--([\w-]+):\s*([^;]+);/g)) {
    const pair = value.match(/^light-dark\((#\w{6}), (#\w{6})\)$/);
    if (pair) found.set(name, (mode === "light" ? pair[1] : pair[2]) ?? "");
    else if (/^#\w{6}$/.test(value)) found.set(name, value);
  }
  return found;
}

/** The relative luminance of WCAG 2. */
function luminance(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((i) => {
    const value = parseInt(hex.slice(i, i + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(a: string, b: string): number {
  const [high = 0, low = 0] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (high + 0.05) / (low + 0.05);
}

const SURFACES = ["bg", "surface", "surface-raised", "surface-sunken"];
const TEXTS = ["text", "text-muted", "accent", "accent-strong", "good", "warn", "bad"];

test.each([
  ["splendor", "light"],
  ["splendor", "dark"],
  ["marvel", "light"],
  ["marvel", "dark"],
] as const)("all text of %s in %s is readable on every surface (WCAG AA)", (game, mode) => {
  const found = colours(game, mode);
  const inks = [...found.keys()].filter((name) => name.endsWith("-ink"));
  expect(inks.length).toBeGreaterThan(5);
  const pairs = [...TEXTS, ...inks].flatMap((text) => SURFACES.map((surface) => [text, surface]));
  pairs.push(["text-on-accent", "accent"], ["text-on-accent", "accent-strong"], ["plaque-text", "plaque"]);
  const poor = pairs.filter(
    ([text = "", surface = ""]) => contrast(found.get(text) ?? "", found.get(surface) ?? "") < 4.5,
  );
  expect(poor).toEqual([]);
  // What marks a place or a state must stand out too, though less (WCAG 1.4.11).
  const marks = ["focus", "fresh", "affordable", "line-strong"].flatMap((mark) =>
    SURFACES.map((surface) => [mark, surface]),
  );
  expect(
    marks.filter(([mark = "", surface = ""]) => contrast(found.get(mark) ?? "", found.get(surface) ?? "") < 3),
  ).toEqual([]);
});

// @vitest-environment node
import { readFileSync } from "node:fs";

import { expect, test } from "vitest";

import { contrast } from "../testing/vision";

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
  const marks = ["focus", "line-strong"].flatMap((mark) => SURFACES.map((surface) => [mark, surface]));
  expect(
    marks.filter(([mark = "", surface = ""]) => contrast(found.get(mark) ?? "", found.get(surface) ?? "") < 3),
  ).toEqual([]);
});

/** The colours of the marks, which lie on drawings of any colour: each has an edge or a sign in one of these. */
const ON_MARKS = { buy: "#0b0a12", chosen: "#0b0a12", new: "#ffffff", flag: "#ffffff" };

test.each(["splendor", "marvel"])("the marks of %s stand out from their edges and signs (WCAG 1.4.11)", (game) => {
  const source = readFileSync(new URL("../art/StateMarks.svelte", import.meta.url), "utf8");
  const [common = "", marvel = ""] = [...source.matchAll(/\.marks[.\w]* \{([^}]*)\}/g)].map(([, block]) => block);
  const block = game === "marvel" ? common + marvel : common;
  const found = new Map([...block.matchAll(/--(\w+): (#\w{6});/g)].map(([, name = "", value = ""]) => [name, value]));
  expect([...found.keys()].sort()).toEqual(Object.keys(ON_MARKS).sort());
  const poor = Object.entries(ON_MARKS).filter(([mark, edge]) => contrast(found.get(mark) ?? "", edge) < 3);
  expect(poor).toEqual([]);
});

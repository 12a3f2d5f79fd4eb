// @vitest-environment node
import { readFileSync } from "node:fs";

import { describe, expect, test } from "vitest";

import { HUES } from "../art/palette";
import { SEAT_FIGURES } from "../lib/seats";
import { contrast, distance, VISIONS } from "../testing/vision";

type Mode = "light" | "dark";

const MODES: Mode[] = ["light", "dark"];
const SEATS = SEAT_FIGURES.map((_, seat) => seat);
/** A distance at which colours next to each other are called different without a second look. */
const APART = 10;

/** The values of the properties of a file that are a colour, or one for light and one for dark. */
function colours(file: string, mode: Mode): [name: string, value: string][] {
  const css = readFileSync(new URL(file, import.meta.url), "utf8");
  return [...css.matchAll(/--([\w-]+):\s*(?:light-dark\((#\w{6}), (#\w{6})\)|(#\w{6}));/g)].map(
    ([, name = "", light, dark, both]) => [name, both ?? (mode === "light" ? light : dark) ?? ""],
  );
}

/** The surfaces of both games. */
function surfaces(mode: Mode): string[] {
  const found = colours("./tokens.css", mode).filter(([name]) =>
    /^(bg|surface|surface-raised|surface-sunken)$/.test(name),
  );
  expect(found).toHaveLength(8);
  return found.map(([, value]) => value);
}

describe.each(MODES)("the colours of the seats in %s", (mode) => {
  const found = new Map(colours("./seats.css", mode));
  const seatColours = SEATS.map((seat) => found.get(`seat-${seat}`) ?? "");

  test.each(VISIONS)("are told apart with %s", (vision) => {
    const pairs = seatColours.flatMap((one, seat) => seatColours.slice(seat + 1).map((other) => [one, other] as const));
    expect(pairs.filter(([one, other]) => distance(one, other, vision) < APART)).toEqual([]);
  });

  test("are not those of a gem or stone", () => {
    const gems = Object.values(HUES).flatMap((hues) => Object.values(hues).map(({ mid }) => mid));
    const pairs = seatColours.flatMap((one) => gems.map((gem) => [one, gem] as const));
    expect(pairs.filter(([one, gem]) => distance(one, gem, "normal") < APART)).toEqual([]);
  });

  test("stand out from every surface, their inks are readable on it, and the figures on them", () => {
    const on = (name: string, least: number): string[] =>
      SEATS.map((seat) => found.get(`seat-${seat}${name}`) ?? "").filter((colour) =>
        surfaces(mode).some((surface) => contrast(colour, surface) < least),
      );
    expect(on("", 3)).toEqual([]);
    expect(on("-ink", 4.5)).toEqual([]);
    expect(seatColours.filter((colour) => contrast(colour, found.get("seat-figure") ?? "") < 3)).toEqual([]);
  });
});

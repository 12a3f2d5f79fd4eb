import type { GameName } from "../generated/catalogue";

/** The hues of one token: from its brightest facet to its deepest, and the inks that go with it. */
export interface Hue {
  /** The brightest facet. */
  glint: string;
  light: string;
  mid: string;
  dark: string;
  /** The deepest facet and the outline. */
  deep: string;
  /** A pale ground. */
  wash: string;
}

export const HUES: Record<GameName, Record<string, Hue>> = {
  splendor: {
    white: {
      glint: "#ffffff",
      light: "#f1f6f8",
      mid: "#cfdce3",
      dark: "#93a9b7",
      deep: "#566f80",
      wash: "#e6e6df",
    },
    blue: {
      glint: "#d9ecff",
      light: "#7fb6f7",
      mid: "#2f74d6",
      dark: "#164a9e",
      deep: "#0a2a63",
      wash: "#d3dff0",
    },
    green: {
      glint: "#d6ffe4",
      light: "#7fe6ab",
      mid: "#2fb56c",
      dark: "#12794a",
      deep: "#063d24",
      wash: "#d3e6d3",
    },
    red: {
      glint: "#ffdcdc",
      light: "#ff8087",
      mid: "#cb2039",
      dark: "#860d24",
      deep: "#5a0716",
      wash: "#f3dad2",
    },
    black: {
      glint: "#d8d2e2",
      light: "#857d92",
      mid: "#4a4454",
      dark: "#2b2733",
      deep: "#0f0d14",
      wash: "#ddd6cf",
    },
    gold: {
      glint: "#fff6d0",
      light: "#ffdf84",
      mid: "#e3ae3c",
      dark: "#ad7a1c",
      deep: "#68460c",
      wash: "#f4e6bd",
    },
  },
  marvel: {
    yellow: {
      glint: "#fffbe0",
      light: "#ffe76a",
      mid: "#fccf1c",
      dark: "#c99504",
      deep: "#573b00",
      wash: "#f8e9a8",
    },
    purple: {
      glint: "#f6e3ff",
      light: "#c27cff",
      mid: "#7c26cc",
      dark: "#47127c",
      deep: "#2c0850",
      wash: "#e4cdf6",
    },
    blue: {
      glint: "#e0f6ff",
      light: "#74cbff",
      mid: "#2a9df6",
      dark: "#1463b6",
      deep: "#06265a",
      wash: "#c6e2fa",
    },
    red: {
      glint: "#ffe3df",
      light: "#ff7d76",
      mid: "#d41d2c",
      dark: "#820a1b",
      deep: "#4c0610",
      wash: "#f8cfcb",
    },
    orange: {
      glint: "#fff0dc",
      light: "#ffb765",
      mid: "#ec6f10",
      dark: "#ad4804",
      deep: "#5a2400",
      wash: "#fbdcbb",
    },
    shield: {
      glint: "#ffffff",
      light: "#dfe7ef",
      mid: "#9eabb9",
      dark: "#647282",
      deep: "#2b343f",
      wash: "#dbe2e9",
    },
    time: {
      glint: "#eaffef",
      light: "#8df5ae",
      mid: "#43d683",
      dark: "#139150",
      deep: "#043d1c",
      wash: "#c4f0d2",
    },
  },
};

/** The hues of a token, by the server's name of it. */
export function hueOf(game: GameName, token: string): Hue {
  const hue = HUES[game][token];
  if (hue === undefined) {
    throw new Error(`expected a token of ${game} (${Object.keys(HUES[game]).join(", ")}), got "${token}"`);
  }
  return hue;
}

/** Whether a colour is so light that what is written on it is dark. */
export function isPale(colour: string): boolean {
  return colour === "white" || colour === "yellow";
}

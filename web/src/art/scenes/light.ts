/** The light of a scene: the time of day, and the colours it gives to what it falls on. */
export interface Light {
  /** The sky from its top to the horizon. */
  sky: readonly [top: string, low: string];
  /** The sun or moon. */
  sun: string;
  /** What the distance turns to. */
  haze: string;
  /** What light there is, what shadows turn to, and how strongly it colours everything. */
  ambient: string;
  shadow: string;
  strength: number;
  ground: string;
  grass: string;
  tree: string;
  water: string;
  ink: string;
  isNight: boolean;
}

function light(
  sky: readonly [string, string],
  [sun, haze, ambient, shadow]: readonly [string, string, string, string],
  [ground, grass, tree, water]: readonly [string, string, string, string],
  strength: number,
  isNight = false,
): Light {
  return {
    sky,
    sun,
    haze,
    ambient,
    shadow,
    strength,
    ground,
    grass,
    tree,
    water,
    ink: isNight ? "#0a0814" : "#2c1a12",
    isNight,
  };
}

/** The times of day of each colour: its cards are told apart by their sky from afar. */
export const LIGHTS: Record<string, readonly Light[]> = {
  white: [
    // A clear winter morning.
    light(
      ["#a9c6dc", "#fbf3e4"],
      ["#fffdf0", "#dfe6ea", "#f4f1ea", "#5d7690"],
      ["#e9ecec", "#f6f6f1", "#7d95a0", "#a9c9d8"],
      0.2,
    ),
    // Mist over the valley.
    light(
      ["#d5d9d6", "#fdeccb"],
      ["#ffffff", "#efe7d8", "#fff4de", "#6f7782"],
      ["#e4d9c2", "#dfdcc4", "#93998a", "#c3d0d0"],
      0.18,
    ),
  ],
  blue: [
    // A bright day.
    light(
      ["#2f78d0", "#bfe4f8"],
      ["#fffbe0", "#9cc3e4", "#e8f2fb", "#1f4377"],
      ["#d9b98a", "#7fae8a", "#2c6d73", "#2f86c6"],
      0.16,
    ),
    // The blue hour.
    light(
      ["#12296b", "#6fa3e0"],
      ["#fff3cf", "#4a74b8", "#5f8fd8", "#0d1d4d"],
      ["#5f7fae", "#3f6f92", "#1c4a6e", "#2459a6"],
      0.42,
      true,
    ),
  ],
  green: [
    // Noon in spring.
    light(
      ["#6fc4b4", "#eef8d2"],
      ["#fffbd6", "#a9d4b0", "#f6f8d8", "#1f5642"],
      ["#c9bd78", "#7fbf5c", "#2f8049", "#5bb39c"],
      0.18,
    ),
    // Deep woods after rain.
    light(
      ["#2f8a72", "#d3ecb0"],
      ["#f7ffcf", "#6fb08c", "#cfe8b4", "#103f35"],
      ["#8f9a58", "#4f9a4f", "#1d6242", "#3a9484"],
      0.26,
    ),
  ],
  red: [
    // Sunset.
    light(
      ["#7a1f45", "#ffae57"],
      ["#fff0b0", "#d8645a", "#ffb27a", "#54173a"],
      ["#b9583c", "#a8643a", "#6b2740", "#c9564f"],
      0.3,
    ),
    // The desert in the evening.
    light(
      ["#c2412f", "#ffd486"],
      ["#fff6cf", "#dd7f56", "#ffcf94", "#7a2230"],
      ["#d98a4e", "#c2793f", "#8a3a34", "#d9744f"],
      0.28,
    ),
  ],
  black: [
    // Night with a moon.
    light(
      ["#0c0b1e", "#4d456b"],
      ["#f4ecd2", "#37324f", "#565070", "#0b0a18"],
      ["#35304a", "#2d3142", "#1a1a2c", "#2b2c4c"],
      0.46,
      true,
    ),
    // A storm at dusk.
    light(
      ["#1d1a22", "#8d7f78"],
      ["#e9dcc0", "#5a5258", "#7c7270", "#15121a"],
      ["#4a434a", "#47483f", "#24242a", "#3d3f48"],
      0.4,
      true,
    ),
  ],
};

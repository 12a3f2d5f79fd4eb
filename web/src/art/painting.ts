import { CATALOGUES, type Card } from "../generated/catalogue";
import { number } from "./geometry";
import { mix } from "./gems";
import { hueOf } from "./palette";
import { Random } from "./random";
import { remember } from "./remember";
import { Canvas, type Shape } from "./scenes/canvas";
import { CITIES } from "./scenes/cities";
import { type Light, LIGHTS } from "./scenes/light";
import { MINES } from "./scenes/mines";
import type { Motif } from "./scenes/motif";
import {
  birds,
  clouds,
  dunes,
  forest,
  ground,
  hills,
  mesas,
  palm,
  peaks,
  pine,
  rocks,
  sea,
  stars,
  sun,
  tree,
  type View,
} from "./scenes/nature";
import { SHIPS } from "./scenes/ships";
import { ROOMS, WORKSHOPS } from "./scenes/workshops";

type Backdrop = (canvas: Canvas, view: View) => void;

/** What is shown on the cards of each level; no colour has more cards of a level than it has motifs. */
const MOTIFS: readonly (readonly Motif[])[] = [
  MINES,
  SHIPS.flatMap((ship, i) => [ship, WORKSHOPS[i] as Motif]),
  CITIES,
];
const ASHORE: readonly Backdrop[] = [peaks, hills, mesas, forest, dunes];

/** A painted scene: what lies behind, the subject where it stands, and what is before it. */
export interface Scene {
  /** The gradient of its sky, among the shared definitions. */
  sky: string;
  /** Which of the subjects of its level it shows. */
  motif: string;
  back: Shape[];
  subject: Shape[];
  transform: string;
  front: Shape[];
}

/** The scene of a card: its level gives the subject, its colour the time of day, its number everything else. */
export const paint = remember(paintNew, ({ number }) => number);

function paintNew(card: Pick<Card, "number" | "level" | "bonus" | "cost">): Scene {
  const motifs = MOTIFS[card.level - 1];
  if (motifs === undefined) throw new Error(`expected a card of level 1, 2 or 3, got level ${card.level}`);
  const colour = CATALOGUES.splendor.colours.indexOf(card.bonus);
  const motif = motifs[(card.number + colour * 3) % motifs.length] as Motif;
  const lights = LIGHTS[card.bonus] ?? [];
  const time = card.number % lights.length;
  return compose(card, motif, lights[time] as Light, `sky-${card.bonus}-${time}`);
}

function compose(card: Pick<Card, "number" | "bonus" | "cost">, motif: Motif, light: Light, sky: string): Scene {
  const random = new Random(`scene ${card.number}`);
  // The costs cover the foot of the card: one row of them, or two.
  const rows = Math.ceil(card.cost.filter((cost) => cost > 0).length / 2);
  const floor = rows > 1 ? 162 : 204;
  // Seen from nearer or farther, and not always in the middle.
  const scale = (rows > 1 ? 0.92 : 1.16) * random.between(0.9, 1.12);
  const mirrored = random.chance(0.5);
  const isAfloat = SHIPS.includes(motif);
  const isIndoors = ROOMS.includes(motif);

  const back = new Canvas(random, light);
  const [sunX, sunY] = [random.between(40, 160), random.between(86, 112)];
  const view = { horizon: floor - random.between(26, 44), floor };
  if (light.isNight) stars(back, view.horizon - 10);
  sun(back, sunX, sunY, random.between(9, 15));
  clouds(back, 84, view.horizon - 22, random.whole(1, 2));
  if (isAfloat) {
    random.pick([peaks, hills, mesas])(back, { horizon: view.horizon + 2, floor });
    sea(back, view, sunX);
  } else if (!isIndoors) {
    const backdrop = ASHORE[(card.number * 2 + Math.floor(card.number / 5)) % ASHORE.length] as Backdrop;
    backdrop(back, view);
    const earth =
      backdrop === dunes || backdrop === mesas
        ? back.of("sand")
        : mix(light.ground, light.grass, random.between(0.2, 0.8));
    ground(back, floor - 8, earth);
  }

  if (!isIndoors && random.chance(0.7))
    birds(back, random.between(50, 150), random.between(80, 96), random.whole(2, 4));

  const subject = new Canvas(random, light);
  motif(subject, hueOf("splendor", card.bonus));

  const front = new Canvas(random, light);
  if (!isIndoors && !isAfloat) foreground(front, mirrored ? 186 : 14, floor);

  return {
    sky,
    motif: motif.name,
    back: back.shapes,
    subject: subject.shapes,
    transform: `translate(${number(100 + random.between(-16, 16))} ${floor}) scale(${(mirrored ? -scale : scale).toFixed(3)} ${scale.toFixed(3)})`,
    front: front.shapes,
  };
}

/** Something near at the edge, so that the scene has depth. */
function foreground(canvas: Canvas, x: number, floor: number): void {
  const y = floor + 26;
  const { random } = canvas;
  random.pick([
    () => pine(canvas, x, y, random.between(56, 84)),
    () => tree(canvas, x, y, random.between(60, 88)),
    () => palm(canvas, x, y, random.between(64, 90)),
    () => rocks(canvas, x, y, random.between(20, 30), random.between(20, 34)),
    () => undefined,
  ])();
}

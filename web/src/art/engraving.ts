import { CATALOGUES, type Card } from "../generated/catalogue";
import { number } from "./geometry";
import { Random } from "./random";
import { camels, camp, wagon } from "./scenes/caravans";
import { bridgeCity, campanile, cathedral, domes, palazzo } from "./scenes/facades";
import { headframe, mineMouth, muleBridge, quarry, sluice } from "./scenes/mines";
import { Plate, type Stroke } from "./scenes/plate";
import { dhows, galleon, lighthouse, quay } from "./scenes/ships";
import { balance, forge, lapidary } from "./scenes/workshops";

type Motif = (plate: Plate) => void;

/** What is shown on the cards of each level; no colour has more cards of a level than it has motifs. */
const MOTIFS: readonly (readonly Motif[])[] = [
  [mineMouth, camels, headframe, wagon, quarry, camp, sluice, muleBridge],
  [galleon, lapidary, lighthouse, forge, dhows, balance, quay],
  [palazzo, cathedral, bridgeCity, domes, campanile],
];

/** The engraved scene of a card of Splendor, and how it is laid under the card's face. */
export interface Scene {
  strokes: Stroke[];
  transform: string;
}

/** Scenes that were engraved before: a card is shown in many places, and at every move. */
const ENGRAVED = new Map<string, Scene>();

/** The scene of a card: its level gives the subject, its colour and number everything else. */
export function engrave(card: Pick<Card, "number" | "level" | "bonus">): Scene {
  const seed = `${card.level}/${card.bonus}/${card.number}`;
  const known = ENGRAVED.get(seed);
  if (known !== undefined) return known;
  const motifs = MOTIFS[card.level - 1];
  if (motifs === undefined) throw new Error(`expected a card of level 1, 2 or 3, got level ${card.level}`);
  const colour = CATALOGUES.splendor.colours.indexOf(card.bonus);
  const motif = motifs[(card.number + colour * 3) % motifs.length] as Motif;
  const scene = draw(motif, new Random(seed));
  ENGRAVED.set(seed, scene);
  return scene;
}

function draw(motif: Motif, random: Random): Scene {
  const plate = new Plate(random);
  // Seen from either side, from farther or nearer: the middle of the picture stays where it is.
  const zoom = random.between(1, 1.14);
  const stretch = random.chance(0.5) ? zoom : -zoom;
  const [x, y] = [number(100 - 100 * stretch), number(140 - 140 * zoom)];
  motif(plate);
  return {
    strokes: plate.finish(),
    transform: `translate(${x} ${y}) scale(${stretch.toFixed(3)} ${zoom.toFixed(3)})`,
  };
}

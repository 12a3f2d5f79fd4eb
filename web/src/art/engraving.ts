import type { Card } from "../generated/catalogue";
import { Random } from "./random";
import { camels, camp, wagon } from "./scenes/caravans";
import { headframe, mineMouth, muleBridge, quarry, sluice } from "./scenes/mines";
import { dhows, galleon, lighthouse, quay } from "./scenes/ships";
import { Plate, type Stroke } from "./scenes/plate";

type Motif = (plate: Plate) => void;

const MOTIFS: readonly (readonly Motif[])[] = [
  [mineMouth, camels, headframe, wagon, quarry, camp, sluice, muleBridge],
  [galleon, dhows, lighthouse, quay],
  [galleon],
];

/** The engraved scene of a card of Splendor. */
export interface Scene {
  strokes: Stroke[];
  mirrored: boolean;
}

/** Engrave the scene of a card: its level gives the subject, its colour and number everything else. */
export function engrave(card: Pick<Card, "number" | "level" | "bonus">): Scene {
  const motifs = MOTIFS[card.level - 1];
  if (motifs === undefined) throw new Error(`expected a card of level 1, 2 or 3, got level ${card.level}`);
  const random = new Random(`${card.level}/${card.bonus}/${card.number}`);
  const motif = motifs[card.number % motifs.length] as Motif;
  const plate = new Plate(random);
  const mirrored = random.chance(0.5);
  motif(plate);
  return { strokes: plate.finish(), mirrored };
}

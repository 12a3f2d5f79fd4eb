import type { Card } from "../generated/catalogue";
import { hueOf } from "./palette";
import { type BackgroundName, BACKGROUNDS } from "./posters/backgrounds";
import { type FigureName, FIGURES } from "./posters/figures";
import { type Flat, Print } from "./posters/print";
import { Random } from "./random";
import { remember } from "./remember";

/** What each character of Marvel is shown by: geometry for what they do, never a likeness, costume or emblem. */
const IDEAS: Record<string, readonly [FigureName, BackgroundName]> = {
  Rocket: ["thruster", "night"],
  "Baron Zemo": ["saber", "split"],
  Grandmaster: ["board", "burst"],
  "M.O.D.O.K.": ["circuit", "halftone"],
  Prowler: ["slashes", "night"],
  "Squirrel Girl": ["acorn", "burst"],
  "Spider-Woman": ["webGlider", "dusk"],
  Vulture: ["wings", "bands"],
  Lizard: ["scales", "stripes"],
  Kraven: ["mane", "burst"],
  Rhino: ["horn", "split"],
  Gorgon: ["shockwave", "floor"],
  Abomination: ["spikes", "halftone"],
  "Winter Soldier": ["snowflake", "night"],
  "America Chavez": ["starPortal", "rings"],
  Scorpion: ["sting", "stripes"],
  "Spider-Man 2099": ["webGrid", "floor"],
  "Moon Knight": ["moonDunes", "night"],
  Lockjaw: ["paw", "rings"],
  Elektra: ["tridents", "dusk"],
  Bullseye: ["darts", "stripes"],
  Wasp: ["insectWings", "tiles"],
  Valkyrie: ["wingedSpear", "burst"],
  Taskmaster: ["arsenal", "split"],
  Electro: ["boltStar", "dusk"],
  Mysterio: ["orbMist", "night"],
  Triton: ["fin", "bands"],
  Crystal: ["elements", "tiles"],
  Wong: ["mandalaLamp", "stripes"],
  "Ms. Marvel": ["elastic", "halftone"],
  Quake: ["seismograph", "split"],
  Sandman: ["vortex", "bands"],
  Kingpin: ["towers", "burst"],
  "Spider-Ham": ["pow", "halftone"],
  "Silver Sable": ["crescentBlade", "night"],
  "Spider-Girl": ["webCorner", "stripes"],
  "Scarlet Spider": ["webThreads", "dusk"],
  Hawkeye: ["volley", "stripes"],
  "Kate Bishop": ["bow", "rings"],
  Yondu: ["loopArrow", "night"],
  "Maria Hill": ["radar", "tiles"],
  Shuri: ["hexCircuit", "floor"],
  "The Collector": ["vitrines", "dusk"],
  Maximus: ["maze", "burst"],
  Karnak: ["fracture", "halftone"],
  "Red Skull": ["cube", "split"],
  "She-Hulk": ["columns", "dusk"],
  Okoye: ["spears", "tiles"],
  Ronan: ["maul", "stripes"],
  Crossbones: ["girders", "halftone"],
  Carnage: ["tendrils", "rings"],
  "Jessica Jones": ["blinds", "night"],
  "War Machine": ["missiles", "split"],
  Quicksilver: ["speed", "bands"],
  "Miles Morales": ["webBolt", "halftone"],
  "Ghost-Spider": ["webPetals", "stripes"],
  "Black Cat": ["catEyes", "night"],
  Nebula: ["galaxy", "night"],
  "Scarlet Witch": ["hexChaos", "dusk"],
  "Beta Ray Bill": ["stormHammer", "burst"],
  Venom: ["fangs", "tiles"],
  "Ghost Rider": ["fireWheel", "floor"],
  Medusa: ["hair", "rings"],
  Hela: ["swordFan", "dusk"],
  "Nick Fury": ["lens", "stripes"],
  Falcon: ["bird", "burst"],
  Punisher: ["crosshair", "split"],
  "Star-Lord": ["cassette", "night"],
  Groot: ["branches", "dusk"],
  Daredevil: ["echo", "stripes"],
  "Iron Man": ["turbine", "burst"],
  "Doctor Octopus": ["tentacles", "tiles"],
  Vision: ["prism", "rings"],
  "Green Goblin": ["glider", "dusk"],
  Hulk: ["crater", "burst"],
  Drax: ["crossedKnives", "split"],
  "Captain Marvel": ["supernova", "night"],
  "Luke Cage": ["chain", "halftone"],
  "Black Widow": ["spiderThread", "dusk"],
  "Iron Fist": ["dragon", "rings"],
  "Ant-Man": ["ants", "halftone"],
  Gamora: ["ringedPlanet", "night"],
  Thor: ["storm", "split"],
  "Doctor Strange": ["mandalaGreat", "dusk"],
  Nova: ["comet", "night"],
  Loki: ["serpent", "tiles"],
  "Captain America": ["shield", "stripes"],
  "Black Bolt": ["soundwave", "rings"],
  "Black Panther": ["pulse", "night"],
  "Spider-Man": ["webGreat", "dusk"],
};

/** The second colours that stand well beside each of the five. */
const ACCENTS: Record<string, readonly string[]> = {
  yellow: ["red", "purple", "blue"],
  purple: ["yellow", "blue", "orange"],
  blue: ["orange", "yellow", "red"],
  red: ["yellow", "blue", "orange"],
  orange: ["blue", "purple", "yellow"],
};

/** A poster of flat shapes: a ground, and a figure where the card leaves room for it. */
export interface Poster {
  figure: FigureName;
  ground: Flat[];
  shapes: Flat[];
  transform: string;
}

/** The poster of a character. */
export const compose = remember(composeNew, ({ number }) => number);

function composeNew(card: Pick<Card, "name" | "bonus" | "number" | "cost">): Poster {
  const idea = IDEAS[card.name ?? ""];
  if (idea === undefined) throw new Error(`expected a character with an idea for a poster, got "${card.name}"`);
  const random = new Random(`${card.name}/${card.bonus}`);
  const accents = ACCENTS[card.bonus] ?? ["blue"];
  const accent = hueOf("marvel", accents[card.number % accents.length] as string);
  const inks = { ...hueOf("marvel", card.bonus), accent: accent.mid };
  const [ground, figure] = [new Print(random, inks), new Print(random, inks)];
  BACKGROUNDS[idea[1]](ground);
  FIGURES[idea[0]](figure);
  // Two rows of costs and a name of two lines take the foot of the card: the figure is above them.
  const hasTwoRows = card.cost.filter((cost) => cost > 0).length > 2;
  const [x, y, scale] = hasTwoRows ? [88, 78, 0.74] : card.name?.includes(" ") ? [92, 88, 0.86] : [94, 102, 0.94];
  return {
    figure: idea[0],
    ground: ground.flats,
    shapes: figure.flats,
    transform: `translate(${x} ${y}) scale(${scale})`,
  };
}

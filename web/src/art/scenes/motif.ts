import type { Hue } from "../palette";
import type { Canvas } from "./canvas";

/** A subject, drawn round the point where it stands: about 200 wide and 120 high; `gem` is the hue of the card. */
export type Motif = (canvas: Canvas, gem: Hue) => void;

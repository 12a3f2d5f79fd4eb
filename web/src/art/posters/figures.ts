import * as creatures from "./creatures";
import * as forces from "./forces";
import * as machines from "./machines";
import * as weapons from "./weapons";
import * as webs from "./webs";
import * as worlds from "./worlds";

/** The ideas of all characters, by name. */
export const FIGURES = { ...creatures, ...forces, ...machines, ...weapons, ...webs, ...worlds };
export type FigureName = keyof typeof FIGURES;

/** The fonts that the first screen is set in. */

import type { Language } from "./messages.svelte";

/** Longer than this nobody shall wait for them, in milliseconds: until they come, others of the same width do. */
const PATIENCE = 400;
const FACES = ['400 1em "Alegreya"', '600 1em "Oswald"', '400 1em "Inter Tight"'];

/** Load the fonts for a language, so that no text changes its look once it is shown. */
export async function fontsFor(language: Language): Promise<void> {
  const letters = language === "ru" ? "Aя" : "A";
  const loading = Promise.allSettled(FACES.map((face) => document.fonts.load(face, letters)));
  await Promise.race([loading, new Promise((resolve) => setTimeout(resolve, PATIENCE))]);
}

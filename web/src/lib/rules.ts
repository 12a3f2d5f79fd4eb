/** The sentences of the rules, in the language of the page, loaded when first asked for. */

import { currentLanguage, type Language } from "./messages.svelte";

interface Book {
  rules: { id: string; text: string; ruling: string }[];
}

const BOOKS: Record<Language, () => Promise<{ default: Book }>> = {
  en: () => import("../generated/rules.en.json"),
  es: () => import("../generated/rules.es.json"),
  de: () => import("../generated/rules.de.json"),
  ru: () => import("../generated/rules.ru.json"),
  it: () => import("../generated/rules.it.json"),
};

/** The rule of this id in words, with our ruling where there is one; empty if there is no such rule. */
export async function ruleText(id: string): Promise<string> {
  const { rules } = (await BOOKS[currentLanguage()]()).default;
  const rule = rules.find((other) => other.id === id);
  return rule === undefined ? "" : `${rule.text} ${rule.ruling}`.trim();
}

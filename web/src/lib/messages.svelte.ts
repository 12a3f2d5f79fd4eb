/** The words of the page: message catalogues, plural forms, and lists and numbers by language. */

import { LOCAL_NAMES } from "../generated/catalogue";
import type english from "../messages/en.json";

type Catalogue = Record<string, string | Partial<Record<Intl.LDMLPluralRule, string>>>;
export type MessageKey = keyof typeof english;
export type Parameters = Record<string, string | number>;

export const LANGUAGES = { en: "English", es: "Español", de: "Deutsch", ru: "Русский", it: "Italiano" } as const;
export type Language = keyof typeof LANGUAGES;

const FILES: Record<Language, () => Promise<{ default: Catalogue }>> = {
  en: () => import("../messages/en.json"),
  es: () => import("../messages/es.json"),
  de: () => import("../messages/de.json"),
  ru: () => import("../messages/ru.json"),
  it: () => import("../messages/it.json"),
};

/** The texts of the languages that were needed. */
const catalogues: Partial<Record<Language, Catalogue>> = {};

/** The first of the wanted languages that there is; English if none is. */
export function bestLanguage(wanted: readonly string[]): Language {
  for (const tag of wanted) {
    const language = tag.toLowerCase().split("-")[0] ?? "";
    if (language in LANGUAGES) return language as Language;
  }
  return "en";
}

class Speech {
  language = $state<Language>("en");
  readonly plural = $derived(new Intl.PluralRules(this.language));
  readonly all = $derived(new Intl.ListFormat(this.language, { type: "conjunction" }));
  readonly number = $derived(new Intl.NumberFormat(this.language));
  readonly decimal = $derived(
    new Intl.NumberFormat(this.language, { minimumFractionDigits: 1, maximumFractionDigits: 1 }),
  );
  readonly percent = $derived(new Intl.NumberFormat(this.language, { style: "percent", maximumFractionDigits: 0 }));
  readonly finePercent = $derived(
    new Intl.NumberFormat(this.language, { style: "percent", minimumFractionDigits: 1, maximumFractionDigits: 1 }),
  );
  readonly moment = $derived(new Intl.DateTimeFormat(this.language, { dateStyle: "medium", timeStyle: "short" }));
}

const speech = new Speech();

/** The language that is spoken now. */
export function currentLanguage(): Language {
  return speech.language;
}

/** Load the texts of a language. */
export async function learn(language: Language): Promise<void> {
  catalogues[language] ??= (await FILES[language]()).default;
}

/** Speak this language from now on; it must have been learned. */
export function speak(language: Language): void {
  if (catalogues[language] === undefined) throw new Error(`expected the texts of ${language} to be loaded`);
  speech.language = language;
}

/** The text for a key in the current language; `count` chooses the plural form. */
export function t(key: MessageKey, parameters: Parameters = {}): string {
  const message = catalogues[speech.language]?.[key];
  if (message === undefined) throw new Error(`expected the message ${key} in ${speech.language}, found none`);
  let text: string | undefined;
  if (typeof message === "string") {
    text = message;
  } else {
    const forms: Partial<Record<Intl.LDMLPluralRule, string>> = message;
    text = forms[speech.plural.select(Number(parameters["count"]))] ?? forms.other;
  }
  if (text === undefined) throw new Error(`expected a text or plural forms for the message ${key}, found neither`);
  return filled(text, (name) => {
    const value = parameters[name];
    if (value === undefined) throw new Error(`expected the parameter ${name} for the message ${key}, got none`);
    return typeof value === "number" ? speech.number.format(value) : value;
  });
}

/** A text with its placeholders filled in; a value such as S.H.I.E.L.D. brings the full stop of its sentence with it. */
export function filled(text: string, valueOf: (name: string) => string): string {
  return text.replace(/\{(\w+)\}(\.?)/g, (_, name: string, stop: string) => {
    const value = valueOf(name);
    return /[.…!?]$/.test(value) ? value : value + stop;
  });
}

/** A character's name as the rulebook of the current language prints it. */
export function localName(name: string): string {
  return LOCAL_NAMES[speech.language]?.[name] ?? name;
}

/** A number with one digit after the point. */
export function decimal(value: number): string {
  return speech.decimal.format(value);
}

/** A share of 1 in whole percent. */
export function percent(share: number): string {
  return speech.percent.format(share);
}

/** A share of 1 in percent with one digit after the point. */
export function finePercent(share: number): string {
  return speech.finePercent.format(share);
}

/** A moment, as the server writes it, by the clock of this device. */
export function whenText(moment: string): string {
  return speech.moment.format(Date.parse(moment));
}

/** Several texts as one list in words: "a, b and c". */
export function listed(texts: Iterable<string>): string {
  return speech.all.format(texts);
}

/** What a person has chosen for this browser: kept in it, and nowhere else. */

import { LEVELS } from "../generated/catalogue";
import { bestLanguage, LANGUAGES, learn, speak, type Language } from "./messages.svelte";

export type Level = (typeof LEVELS)[number];

const CHOICES = {
  theme: ["auto", "light", "dark"],
  sound: ["on", "off"],
  motion: ["auto", "off"],
  speed: ["slow", "normal", "fast"],
  shortcuts: ["on", "off"],
  confirm: ["off", "on"],
  language: ["auto", ...(Object.keys(LANGUAGES) as Language[])],
  opponents: ["1", "2", "3"],
  level: LEVELS,
  guide: ["on", "off"],
  firstGame: ["open", "answered"], // the offer to play it with the guide
  log: ["on", "off"],
  words: ["on", "off"],
  notify: ["on", "off"],
} as const;

export type SettingName = keyof typeof CHOICES;
export type Settings = { [Name in SettingName]: (typeof CHOICES)[Name][number] };

const DEFAULTS: Settings = {
  theme: "auto",
  sound: "on",
  motion: "auto",
  speed: "normal",
  shortcuts: "on",
  confirm: "off",
  language: "auto",
  opponents: "1",
  level: "apprentice",
  guide: "off",
  firstGame: "open",
  log: "on",
  words: "on",
  notify: "off",
};

const STORED_AS = "cabochon.settings";

/** The settings that were kept, with the default in the place of what is missing or unknown. */
export function readSettings(stored: string | null): Settings {
  let kept: unknown;
  try {
    kept = JSON.parse(stored ?? "{}");
  } catch {
    kept = {};
  }
  const found = (typeof kept === "object" && kept !== null ? kept : {}) as Record<string, unknown>;
  const entries = Object.entries(CHOICES).map(([name, choices]) => {
    const value = found[name];
    const isKnown = (choices as readonly unknown[]).includes(value);
    return [name, isKnown ? value : DEFAULTS[name as SettingName]];
  });
  return Object.fromEntries(entries) as Settings;
}

function stored(): string | null {
  try {
    return localStorage.getItem(STORED_AS);
  } catch {
    return null; // the browser keeps nothing for this page
  }
}

/** The settings of this browser; a change is kept at once. */
export const settings: Settings = $state(readSettings(stored()));

/** What a setting can be. */
export function choicesOf<Name extends SettingName>(name: Name): readonly Settings[Name][] {
  const choices: { readonly [Each in SettingName]: readonly Settings[Each][] } = CHOICES;
  return choices[name];
}

/** Keep the settings and apply them to the page, now and after every change, in another tab too. Called once. */
export function followSettings(): void {
  $effect(() => {
    const follow = ({ key, newValue }: StorageEvent): void => {
      if (key === STORED_AS) Object.assign(settings, readSettings(newValue));
    };
    addEventListener("storage", follow);
    return () => removeEventListener("storage", follow);
  });
  $effect(() => {
    try {
      localStorage.setItem(STORED_AS, JSON.stringify(settings));
    } catch {
      return; // they hold until the page is closed
    }
  });
  $effect(() => {
    const root = document.documentElement;
    if (settings.theme === "auto") delete root.dataset["mode"];
    else root.dataset["mode"] = settings.theme;
    root.dataset["motion"] = settings.motion;
  });
  $effect(() => {
    const language = chosenLanguage();
    learn(language).then(
      () => {
        if (language === chosenLanguage()) speakEverywhere(language);
      },
      () => undefined, // without a line the page stays in the language that it has
    );
  });
}

/** The language that was chosen, or else the first of the browser's that there is. */
export function chosenLanguage(): Language {
  return settings.language === "auto" ? bestLanguage(navigator.languages) : settings.language;
}

/** Speak a language, and say so to the browser and to screen readers. */
export function speakEverywhere(language: Language): void {
  document.documentElement.lang = language;
  speak(language);
}

/** Whether things may move: neither the person nor the system asked for stillness. */
export function mayMove(): boolean {
  return settings.motion !== "off" && !matchMedia("(prefers-reduced-motion: reduce)").matches;
}

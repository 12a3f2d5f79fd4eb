/** The rules and introductions in words, by topic and by id, and how one finds something in them. */

import type { GameName } from "../generated/catalogue";
import type { Language } from "../lib/messages.svelte";

export interface Rule {
  id: string;
  game: GameName | "both";
  section: string;
  text: string;
  /** How we play where the rulebooks leave it open; often empty. */
  ruling: string;
}

/** A piece of the introduction to a game. */
export interface Topic {
  id: string;
  game: GameName;
  rules: string[];
  title: string;
  text: string[];
  /** Often empty. */
  example: string;
}

export interface Rulebook {
  language: Language;
  rules: Rule[];
  topics: Topic[];
}

/** A topic with its rules, or those of them that fit a search. */
export interface Chapter {
  topic: Topic;
  rules: Rule[];
}

const BOOKS: Record<Language, () => Promise<{ default: unknown }>> = {
  en: () => import("../generated/rules.en.json"),
  es: () => import("../generated/rules.es.json"),
  de: () => import("../generated/rules.de.json"),
  ru: () => import("../generated/rules.ru.json"),
  it: () => import("../generated/rules.it.json"),
};

/** The rulebook in a language, loaded when first asked for. */
export async function rulebook(language: Language): Promise<Rulebook> {
  const { default: book } = await BOOKS[language]();
  return { ...(book as Omit<Rulebook, "language">), language };
}

/** Everything about one game, topic by topic; a rule may belong to several topics. */
export function chapters(book: Rulebook, game: GameName): Chapter[] {
  const byId = new Map(book.rules.map((rule) => [rule.id, rule]));
  return book.topics
    .filter((topic) => topic.game === game)
    .map((topic) => ({ topic, rules: topic.rules.flatMap((id) => byId.get(id) ?? []) }));
}

/** The first topic of a game that has the rule: where a refusal that names it leads. */
export function topicOf(book: Rulebook, game: GameName, rule: string): Topic | undefined {
  return book.topics.find((topic) => topic.game === game && topic.rules.includes(rule));
}

/** Without capitals and accents, so that `anade` finds `añade`. */
function plain(text: string): string {
  return text
    .normalize("NFD")
    .replaceAll(/\p{Diacritic}/gu, "")
    .toLowerCase();
}

/**
 * The topics and rules that have all the words of the query, or the beginnings of them. A topic whose own text has
 * them comes with all its rules, another with those rules alone that have them.
 */
export function search(book: Rulebook, game: GameName, query: string): Chapter[] {
  const words = plain(query)
    .split(/\s+/)
    .filter((word) => word !== "");
  const has = (...texts: string[]) => {
    const text = ` ${plain(texts.join(" ")).replaceAll(/[^\p{L}\p{N}-]+/gu, " ")}`;
    return words.every((word) => text.includes(` ${word}`));
  };
  return chapters(book, game).flatMap(({ topic, rules }) => {
    if (has(topic.title, ...topic.text, topic.example)) return [{ topic, rules }];
    const found = rules.filter((rule) => has(rule.id, rule.text, rule.ruling));
    return found.length > 0 ? [{ topic, rules: found }] : [];
  });
}

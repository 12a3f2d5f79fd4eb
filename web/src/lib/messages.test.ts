import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { parse } from "svelte/compiler";
import { afterEach, expect, test } from "vitest";

import english from "../messages/en.json";
import { bestLanguage, decimal, listed, speak, t, whenText, type Language, type MessageKey } from "./messages.svelte";

const SOURCES = join(import.meta.dirname, "..");

interface Node {
  type: string;
  [field: string]: unknown;
}

/** The texts of our own sources: neither drawings nor what is generated, nor tests. */
const TEXTS = readdirSync(SOURCES, { recursive: true, encoding: "utf-8" })
  .filter((name) => /\.(svelte|ts)$/.test(name) && !/\.test\.ts$|^(art|generated|testing)\//.test(name))
  .map((name) => {
    const text = readFileSync(join(SOURCES, name), "utf-8");
    return name.endsWith(".svelte") ? text : `<script lang="ts">${text}</script>`;
  });

function* walk(value: unknown): Generator<Node> {
  if (Array.isArray(value)) for (const item of value) yield* walk(item);
  else if (typeof value === "object" && value !== null) {
    if ("type" in value && typeof value.type === "string") yield value as Node;
    for (const [name, inner] of Object.entries(value)) if (name !== "metadata") yield* walk(inner);
  }
}

const NODES = TEXTS.flatMap((text) => [...walk(parse(text, { modern: true }))]);

/** The texts that an expression can have, with `*` for what is only known when it runs. */
function textsOf(node: Node): string[] {
  if (node.type === "Literal") return typeof node["value"] === "string" ? [node["value"]] : [];
  if (node.type === "TSAsExpression") return textsOf(node["expression"] as Node);
  if (node.type === "ConditionalExpression") {
    return [...textsOf(node["consequent"] as Node), ...textsOf(node["alternate"] as Node)];
  }
  if (node.type !== "TemplateLiteral") return [];
  return [(node["quasis"] as { value: { raw: string } }[]).map((quasi) => quasi.value.raw).join("*")];
}

function matches(pattern: string, key: string): boolean {
  const parts = pattern.split("*").map((part) => part.replaceAll(/[^\w-]/g, "\\$&"));
  return new RegExp(`^${parts.join("[\\w-]+")}$`).test(key);
}

const USED = NODES.filter((node) => node.type === "Literal" || node.type === "TemplateLiteral")
  .flatMap(textsOf)
  .filter((text) => /^[\w.*-]+$/.test(text) && text !== "*");

test("every message is used", () => {
  expect(Object.keys(english).filter((key) => !USED.some((used) => matches(used, key)))).toEqual([]);
});

test("a parameter that is asked for is given, and one that is given is asked for", () => {
  let count = 0;
  for (const node of NODES) {
    if (node.type !== "CallExpression" || (node["callee"] as Node)["name"] !== "t") continue;
    const [first, second] = node["arguments"] as (Node | undefined)[];
    const properties = (second?.["properties"] ?? []) as { key?: { name: string } }[];
    if (first === undefined || properties.some((property) => property.key === undefined)) continue;
    const given = new Set(properties.map((property) => property.key?.name));
    const patterns = textsOf(first);
    for (const key of Object.keys(english).filter((key) => patterns.some((pattern) => matches(pattern, key)))) {
      const message = english[key as MessageKey];
      const texts = typeof message === "string" ? [message] : Object.values(message);
      const wanted = new Set(texts.flatMap((text) => [...text.matchAll(/\{(\w+)\}/g)].map((match) => match[1])));
      if (typeof message !== "string") wanted.add("count");
      expect(given, key).toEqual(wanted);
      count += 1;
    }
  }
  expect(count).toBeGreaterThan(100);
});

test("no component has words of its own", () => {
  const spoken = NODES.filter(
    (node) =>
      node.type === "Fragment" ||
      (node.type === "Attribute" && /^(title|alt|label|placeholder|aria-label)$/.test(String(node["name"]))),
  ).flatMap((node) => (node["nodes"] ?? node["value"]) as Node | Node[] | true);
  const words = spoken.map((node) =>
    typeof node === "object" && node.type === "Text" ? String(node["data"]).trim() : "",
  );
  expect(words.filter((word) => /[a-z]{2}/i.test(word) && word !== "Cabochon")).toEqual([]);
});

test("plural forms follow the number", () => {
  expect(t("token.splendor.red", { count: 1 })).toBe("1 ruby");
  expect(t("token.splendor.red", { count: 0 })).toBe("0 rubies");
});

test("a missing parameter is an error, not a hole in the text", () => {
  expect(() => t("round")).toThrow("expected the parameter round");
});

test("a sentence ends with one full stop, also after a word that has its own", () => {
  expect(t("news", { name: "Ada", what: "took 1 S.H.I.E.L.D." })).toBe("Ada took 1 S.H.I.E.L.D.");
  expect(t("news", { name: "Ada", what: "passed" })).toBe("Ada passed.");
});

test("lists are joined as the language does", () => {
  expect(listed(["a", "b", "c"])).toBe("a, b, and c");
});

test("the language is the first of those wanted that there is", () => {
  expect(bestLanguage(["fr-CA", "en-GB"])).toBe("en");
  expect(bestLanguage(["fr"])).toBe("en");
});

afterEach(() => speak("en"));

test.each<[Language, string, string, string]>([
  ["en", "Feb 3, 2026, 2:05 PM", "Round 1,234", "0.5"],
  ["es", "3 feb 2026, 14:05", "Ronda 1234", "0,5"],
  ["de", "03.02.2026, 14:05", "Runde 1.234", "0,5"],
  ["ru", "3 февр. 2026 г., 14:05", "Раунд 1 234", "0,5"],
  ["it", "3 feb 2026, 14:05", "Round 1234", "0,5"],
])("dates and numbers in %s are written as is usual there", (language, moment, round, half) => {
  const plain = (text: string): string => text.replaceAll(/[\u00a0\u202f]/g, " ");
  speak(language);
  expect(plain(whenText("2026-02-03T14:05:00"))).toBe(moment);
  expect(plain(t("round", { round: 1234 }))).toBe(round);
  expect(decimal(0.5)).toBe(half);
});

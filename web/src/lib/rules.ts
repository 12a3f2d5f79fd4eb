/** The sentences of the rules, in the language of the page, loaded when first asked for. */

import { rulebook, type Rule } from "../content/rulebook";
import { currentLanguage } from "./messages.svelte";

async function ruleOf(id: string): Promise<Rule | undefined> {
  const { rules } = await rulebook(currentLanguage());
  return rules.find((rule) => rule.id === id);
}

/** The rule of this id in words, with our ruling where there is one; empty if there is no such rule. */
export async function ruleText(id: string): Promise<string> {
  const rule = await ruleOf(id);
  return rule === undefined ? "" : `${rule.text} ${rule.ruling}`.trim();
}

/** The same without our ruling. */
export async function ruleSentence(id: string): Promise<string> {
  return (await ruleOf(id))?.text ?? "";
}

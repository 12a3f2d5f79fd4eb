/** The sentences of the rules, in the language of the page, loaded when first asked for. */

import { rulebook } from "../content/rulebook";
import { currentLanguage } from "./messages.svelte";

/** The rule of this id in words, with our ruling where there is one; empty if there is no such rule. */
export async function ruleText(id: string): Promise<string> {
  const { rules } = await rulebook(currentLanguage());
  const rule = rules.find((other) => other.id === id);
  return rule === undefined ? "" : `${rule.text} ${rule.ruling}`.trim();
}

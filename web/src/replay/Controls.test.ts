import { cleanup, render } from "@testing-library/svelte";
import { tick } from "svelte";
import { afterEach, expect, test } from "vitest";

import { Study } from "../lib/analysis.svelte";
import { PastTable } from "../lib/replay.svelte";
import { position, step } from "../testing/positions";
import Controls from "./Controls.svelte";

afterEach(cleanup);

test("at both ends of a game, the buttons that lead no further say why", async () => {
  const positions = [0, 1, 2].map((seq) => position({ seq, view: { viewer: null } }));
  const past = new PastTable({ viewer: null, positions, steps: [step(1, 0), step(2, 1)], record: "" }, null);
  render(Controls, { past, study: new Study(() => Promise.reject(new Error())) });
  const caption = (): string | undefined => document.querySelector(".caption")?.textContent.trim();
  async function press(name: string): Promise<string | null | undefined> {
    const button = document.querySelector(`[aria-label="${name}"]`)?.closest("button");
    button?.click();
    await tick();
    return button?.getAttribute("aria-disabled");
  }

  expect(await press("Previous move")).toBe("true");
  expect(caption()).toBe("The game starts here.");
  expect(await press("Go to the end")).toBe("true");
  expect(caption()).toMatch(/^The record ends here/);
  await press("Next move");
  expect([past.moment, caption()]).toEqual([2, "There are no more moves."]);
  expect(await press("Previous move")).toBe("false");
  expect(past.moment).toBe(1);
});

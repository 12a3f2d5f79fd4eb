import { cleanup, render, screen } from "@testing-library/svelte";
import { tick } from "svelte";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { settings } from "../lib/settings.svelte";
import FirstGame from "./FirstGame.svelte";

beforeEach(() => Object.assign(settings, { firstGame: "open", guide: "off" }));
afterEach(cleanup);

test("the first game is played with the guide", async () => {
  const play = vi.fn();
  render(FirstGame, { play });
  screen.getByText("Play Splendor: Marvel").click();
  await tick();
  expect(play).toHaveBeenCalledExactlyOnceWith("marvel");
  expect(settings.guide).toBe("on");
});

test("who declines is not asked again", async () => {
  const play = vi.fn();
  const { unmount } = render(FirstGame, { play });
  screen.getByText("No, thanks").click();
  await tick();
  expect(screen.queryByText("No, thanks")).toBeNull();
  unmount();
  render(FirstGame, { play });
  expect(screen.queryByText("No, thanks")).toBeNull();
  expect([play.mock.calls.length, settings.guide]).toEqual([0, "off"]);
});

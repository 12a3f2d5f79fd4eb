import { render, screen } from "@testing-library/svelte";
import { beforeEach, expect, test, vi } from "vitest";

import App from "./App.svelte";

beforeEach(() => {
  vi.stubGlobal("matchMedia", () => ({ matches: false }));
  vi.stubGlobal("fetch", async (path: string) =>
    Response.json(path === "/api/me" ? { guest: { id: "1", nickname: "Ada" } } : { tables: [] }),
  );
});

test("the page names itself, and offers both games and the name one has", async () => {
  render(App);
  expect((await screen.findByRole("heading", { level: 1 })).textContent).toBe("Cabochon");
  expect(await screen.findByRole("button", { name: /^Splendor: Marvel/ })).toBeTruthy();
  expect(await screen.findByDisplayValue("Ada")).toBeTruthy();
});

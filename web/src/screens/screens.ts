/** The screens, each loaded when it is first shown. */

import type { Component } from "svelte";

import type { Route } from "../lib/router.svelte";

/** What a screen needs is in its route. */
export type Screen = Component<Omit<Route, "name">>;

const FILES: Record<Route["name"], () => Promise<{ default: unknown }>> = {
  start: () => import("./StartScreen.svelte"),
  table: () => import("../table/TablePlace.svelte"),
  replay: () => import("../replay/ReplayScreen.svelte"),
  history: () => import("./HistoryScreen.svelte"),
  new: () => import("./NewTableScreen.svelte"),
  lobby: () => import("./LobbyScreen.svelte"),
  rules: () => import("./RulesScreen.svelte"),
  claim: () => import("./ClaimScreen.svelte"),
  unknown: () => import("./UnknownScreen.svelte"),
};

/** The component of a screen. */
export async function loadScreen(name: Route["name"]): Promise<Screen> {
  return (await FILES[name]()).default as Screen;
}

import { expect, test } from "vitest";

import { routeOf } from "./router.svelte";

test.each([
  ["/", "", { name: "start" }],
  ["/t/Ab_3-x", "", { name: "table", id: "Ab_3-x" }],
  ["/t/Ab_3-x/", "", { name: "table", id: "Ab_3-x" }],
  ["/claim", "#secret", { name: "claim", key: "secret" }],
  ["/replay", "", { name: "replay", id: null }],
  ["/replay/Ab_3-x", "#move=7", { name: "replay", id: "Ab_3-x" }],
  ["/history", "", { name: "history" }],
  ["/new", "", { name: "new" }],
  ["/lobby", "", { name: "lobby" }],
  ["/rules", "", { name: "rules", game: "splendor", rule: "" }],
  ["/rules/marvel", "#TIM-2", { name: "rules", game: "marvel", rule: "TIM-2" }],
  ["/t/", "", { name: "unknown" }],
  ["/elsewhere", "", { name: "unknown" }],
])("%s%s is a screen", (path, hash, route) => {
  expect(routeOf(path, hash)).toEqual(route);
});

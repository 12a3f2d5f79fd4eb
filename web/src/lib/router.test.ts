import { expect, test } from "vitest";

import { routeOf } from "./router.svelte";

test.each([
  ["/", "", { name: "start" }],
  ["/t/Ab_3-x", "", { name: "table", id: "Ab_3-x" }],
  ["/t/Ab_3-x/", "", { name: "table", id: "Ab_3-x" }],
  ["/claim", "#secret", { name: "claim", key: "secret" }],
  ["/t/", "", { name: "unknown" }],
  ["/elsewhere", "", { name: "unknown" }],
])("%s%s is a screen", (path, hash, route) => {
  expect(routeOf(path, hash)).toEqual(route);
});

import { mount } from "svelte";
import "virtual:fonts.css";

import { learn } from "../src/lib/messages.svelte";
import Gallery from "./Gallery.svelte";
import "../src/styles/index.css";

const target = document.getElementById("app");
if (target === null) throw new Error('expected an element with the id "app" in gallery.html, found none');

const query = new URLSearchParams(location.search);
const game = query.get("game") === "marvel" ? "marvel" : "splendor";
document.documentElement.dataset.game = game;
document.documentElement.dataset.mode = query.get("mode") === "light" ? "light" : "dark";

await learn("en");

mount(Gallery, {
  target,
  props: {
    game,
    show: query.get("show") ?? "pieces",
    width: Number(query.get("width") ?? 150),
    first: Number(query.get("first") ?? 1),
    last: Number(query.get("last") ?? 90),
  },
});

import { mount } from "svelte";

import Gallery from "./Gallery.svelte";
import Scenes from "./Scenes.svelte";
import "../src/styles/index.css";

const target = document.getElementById("app");
if (target === null) throw new Error('expected an element with the id "app" in gallery.html, found none');

mount(location.search.includes("cards") ? Scenes : Gallery, { target });

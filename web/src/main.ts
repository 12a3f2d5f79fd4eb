import { mount } from "svelte";

import App from "./App.svelte";
import "./styles/index.css";

const target = document.getElementById("app");
if (target === null) throw new Error('expected an element with the id "app" in index.html, found none');

mount(App, { target });

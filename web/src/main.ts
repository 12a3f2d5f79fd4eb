import { mount } from "svelte";

import App from "./App.svelte";
import { tellWhere } from "./lib/notify";
import "./styles/index.css";

const target = document.getElementById("app");
if (target === null) throw new Error('expected an element with the id "app" in index.html, found none');

mount(App, { target });

// Kept on the device, the page opens without a line too. Where the browser does not let it, it needs one.
if (import.meta.env.PROD && "serviceWorker" in navigator) {
  tellWhere();
  void navigator.serviceWorker.register("/sw.js").catch(() => undefined);
}

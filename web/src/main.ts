import { mount } from "svelte";
import "virtual:fonts.css";

import { fontsFor } from "./lib/fonts";
import { learn } from "./lib/messages.svelte";
import { keepLoaded, tellWhere } from "./lib/notify";
import { router } from "./lib/router.svelte";
import { chosenLanguage, speakEverywhere } from "./lib/settings.svelte";
import { loadScreen } from "./screens/screens";
import "./styles/index.css";

const target = document.getElementById("app");
if (target === null) throw new Error('expected an element with the id "app" in index.html, found none');

const language = chosenLanguage();
const [{ default: App }] = await Promise.all([
  import("./App.svelte"),
  learn(language),
  fontsFor(language),
  loadScreen(router.route.name),
]);
speakEverywhere(language);
mount(App, { target });

// Kept on the device, the page opens without a line too. Where the browser does not let it, it needs one.
if (import.meta.env.PROD && "serviceWorker" in navigator) {
  tellWhere();
  navigator.serviceWorker.register("/sw.js").then(keepLoaded, () => undefined);
}

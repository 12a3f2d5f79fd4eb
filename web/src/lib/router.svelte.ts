/** Which screen the address stands for. */

import type { GameName } from "../generated/catalogue";

export type Route =
  | { name: "start" }
  | { name: "table"; id: string }
  | { name: "replay"; id: string | null }
  | { name: "history" }
  | { name: "new" }
  | { name: "lobby" }
  | { name: "rules"; game: GameName; rule: string }
  | { name: "claim"; key: string }
  | { name: "unknown" };

/** The screen for a path and what follows its `#`. */
export function routeOf(path: string, hash: string): Route {
  if (path === "/") return { name: "start" };
  const table = /^\/t\/([\w-]+)\/?$/.exec(path);
  if (table?.[1] !== undefined) return { name: "table", id: table[1] };
  const replay = /^\/replay(?:\/([\w-]+))?\/?$/.exec(path);
  if (replay !== null) return { name: "replay", id: replay[1] ?? null };
  if (path === "/new") return { name: "new" };
  if (path === "/lobby") return { name: "lobby" };
  if (path === "/history") return { name: "history" };
  const rules = /^\/rules(?:\/(splendor|marvel))?\/?$/.exec(path);
  if (rules !== null)
    return { name: "rules", game: (rules[1] ?? "splendor") as GameName, rule: hash.replace(/^#/, "") };
  if (path === "/claim") return { name: "claim", key: hash.replace(/^#/, "") };
  return { name: "unknown" };
}

class Router {
  route = $state.raw(routeOf(location.pathname, location.hash));

  constructor() {
    addEventListener("popstate", () => this.#read());
  }

  /** Go to a path of the page; `replace` leaves no trace of the present one. */
  go(path: string, replace = false): void {
    if (replace) history.replaceState(null, "", path);
    else history.pushState(null, "", path);
    this.#read();
  }

  #read(): void {
    this.route = routeOf(location.pathname, location.hash);
  }
}

export const router = new Router();

/** An attachment for links within the page: they change the screen and do not load the page anew. */
export function inside(link: HTMLAnchorElement): () => void {
  const follow = (event: MouseEvent): void => {
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    router.go(link.pathname + link.hash);
  };
  link.addEventListener("click", follow);
  return () => link.removeEventListener("click", follow);
}

/**
 * The service worker: it keeps the shell of the page on the device, so that the page opens without a line too, and
 * leads from a notification to the table that it is about.
 *
 * What comes from `/api` is never kept, and with a line every page comes from the server: only files whose names
 * change with their content are taken from the device first.
 */

declare const self: ServiceWorkerGlobalScope;

/**
 * Put here when the page is built: the files that are kept at once, those that are kept when they are first needed
 * (the texts of the languages, fonts), and a version that changes with any of them.
 */
declare const SHELL: { version: string; files: string[]; lazy: string[] };

const CACHE = `shell ${SHELL.version}`;
const INDEX = "/";
/** How long a tab has to say where it is, in milliseconds. */
const PATIENCE = 500;

self.addEventListener("install", (event) => {
  event.waitUntil(keepShell());
});

self.addEventListener("activate", (event) => {
  event.waitUntil(forgetOthers().then(() => self.clients.claim()));
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== "GET" || origin !== self.location.origin || pathname.startsWith("/api/")) return;
  if (request.mode === "navigate") event.respondWith(fetch(request).catch(shellWithoutLine));
  else if (SHELL.files.includes(pathname) || SHELL.lazy.includes(pathname)) event.respondWith(kept(pathname));
});

// The page tells what it had loaded before the worker was there.
self.addEventListener("message", (event) => {
  const { keep = [] } = event.data as { keep?: string[] };
  event.waitUntil(Promise.all(keep.filter((file) => SHELL.lazy.includes(file)).map(kept)));
});

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(showTable(String(event.notification.data ?? INDEX))); // an older version told no path
});

/** Bring the tab of a table to the front, or open one. */
async function showTable(path: string): Promise<void> {
  const tabs = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  const paths = await Promise.all(tabs.map(pathOf));
  const open = tabs[paths.indexOf(path)];
  await (open === undefined ? self.clients.openWindow(path) : open.focus());
}

/** Where a tab is. Its `url` is where it began, so the page is asked; one that does not answer is asleep. */
function pathOf(tab: WindowClient): Promise<string> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = (answer) => resolve(String(answer.data));
    setTimeout(() => resolve(new URL(tab.url).pathname), PATIENCE);
    tab.postMessage("where", [port2]);
  });
}

async function keepShell(): Promise<void> {
  const cache = await caches.open(CACHE);
  // What is in `assets` changes its name with its content: what the page has loaded is not loaded again.
  const requests = SHELL.files.map((file) =>
    file.startsWith("/assets/") ? new Request(file) : new Request(file, { cache: "reload" }),
  );
  await cache.addAll(requests);
  await self.skipWaiting();
}

async function forgetOthers(): Promise<void> {
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name !== CACHE).map((name) => caches.delete(name)));
}

/** A file of the shell; from the server, and kept from then on, if it was not needed yet or was thrown away. */
async function kept(file: string): Promise<Response> {
  const cache = await caches.open(CACHE);
  const found = await cache.match(file);
  if (found !== undefined) return found;
  const answer = await fetch(file);
  if (answer.ok) await cache.put(file, answer.clone());
  return answer;
}

/** The page as it is kept, told that there is no line. */
async function shellWithoutLine(): Promise<Response> {
  const page = await kept(INDEX);
  const headers = new Headers(page.headers);
  headers.delete("Content-Encoding");
  headers.delete("Content-Length");
  return new Response((await page.text()).replace("<html ", '<html data-line="none" '), { headers });
}

export {};

/** Notifications of the browser, for one who looks elsewhere. */

/** Whether the browser lets the page notify; asked for by a click. */
export async function mayNotify(): Promise<boolean> {
  if (!("Notification" in globalThis)) return false;
  return (await Notification.requestPermission()) === "granted";
}

/** Tell the service worker where this tab is, when it asks: it looks for the tab of a table. */
export function tellWhere(): void {
  navigator.serviceWorker.addEventListener("message", (question) => {
    question.ports[0]?.postMessage(location.pathname);
  });
  navigator.serviceWorker.startMessages();
}

/** Let the service worker keep what the page has loaded before it was there: the texts of a language, and fonts. */
export async function keepLoaded(): Promise<void> {
  const { active } = await navigator.serviceWorker.ready;
  const loaded = performance.getEntriesByType("resource").map(({ name }) => new URL(name).pathname);
  active?.postMessage({ keep: loaded });
}

/** Notify one who does not look at the page; a click leads to this path. A later one for the path takes its place. */
export async function notify(title: string, body: string, path: string): Promise<void> {
  if (!document.hidden || !("Notification" in globalThis) || Notification.permission !== "granted") return;
  const options = { body, tag: path, data: path, icon: "/icons/icon-192.png" };
  // By the service worker a click finds its way when the page was closed too, and on some phones there is no other.
  if ("serviceWorker" in navigator && (await navigator.serviceWorker.getRegistration()) !== undefined) {
    const registration = await navigator.serviceWorker.ready; // at the first visit it is still being installed
    await registration.showNotification(title, options);
    return;
  }
  let notification: Notification;
  try {
    notification = new Notification(title, options);
  } catch (error) {
    if (error instanceof TypeError) return; // such a phone, without a worker
    throw error;
  }
  notification.onclick = () => {
    window.focus();
    notification.close();
  };
}

/** Notifications of the browser, for one who looks elsewhere. */

/** Whether the browser lets the page notify; asked for by a click. */
export async function mayNotify(): Promise<boolean> {
  if (!("Notification" in globalThis)) return false;
  return (await Notification.requestPermission()) === "granted";
}

/** Notify one who does not look at the page; a later one of the same tag takes its place. */
export function notify(title: string, body: string, tag: string): void {
  if (!document.hidden || !("Notification" in globalThis) || Notification.permission !== "granted") return;
  const options = { body, tag, icon: "/icons/icon-192.png" };
  try {
    const notification = new Notification(title, options);
    notification.onclick = () => {
      window.focus();
      notification.close();
    };
  } catch {
    // Some phones notify by the service worker alone.
    void navigator.serviceWorker.ready.then((worker) => worker.showNotification(title, options));
  }
}

/** Moving the focus with the arrow keys among things that lie side by side. */

/** Where the focus goes from a group of which nothing is left. */
const FALLBACK = ".market [data-place]";

const DIRECTIONS: Record<string, [number, number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

function centre(element: Element): [number, number] {
  const { left, top, width, height } = element.getBoundingClientRect();
  return [left + width / 2, top + height / 2];
}

/** The nearest of the elements in the direction of an arrow key; what lies straight ahead is nearer. */
export function neighbour(elements: readonly HTMLElement[], from: HTMLElement, key: string): HTMLElement | undefined {
  const direction = DIRECTIONS[key];
  if (direction === undefined) return undefined;
  const [x, y] = centre(from);
  let best: HTMLElement | undefined;
  let shortest = Infinity;
  for (const element of elements) {
    const [otherX, otherY] = centre(element);
    const ahead = (otherX - x) * direction[0] + (otherY - y) * direction[1];
    const aside = Math.abs((otherX - x) * direction[1]) + Math.abs((otherY - y) * direction[0]);
    if (element === from || ahead < 4) continue;
    const distance = ahead + 3 * aside;
    if (distance < shortest) [best, shortest] = [element, distance];
  }
  return best;
}

/**
 * Watch a group of elements: when the one that has the focus goes, the focus goes to the one that `heir` finds.
 * Browsers would leave it on nothing, and the next Tab would begin at the top of the page.
 */
function bequeath(group: HTMLElement, heir: (gone: HTMLElement) => HTMLElement | undefined): () => void {
  let last: HTMLElement | null = null;
  const onFocus = ({ target }: FocusEvent): void => {
    last = target instanceof HTMLElement && group.contains(target) ? target : null;
  };
  const onChange = (): void => {
    if (last === null || (last.isConnected && !last.matches(":disabled"))) return;
    const gone = last;
    if (document.activeElement === document.body || document.activeElement === gone) heir(gone)?.focus();
  };
  const observer = new MutationObserver(onChange);
  observer.observe(group, { childList: true, subtree: true, attributes: true, attributeFilter: ["disabled"] });
  document.addEventListener("focusin", onFocus);
  return () => {
    observer.disconnect();
    document.removeEventListener("focusin", onFocus);
  };
}

/** An attachment: the focus stays in this element when the button that has it goes. */
export function keepFocus(group: HTMLElement): () => void {
  group.tabIndex = -1;
  return bequeath(group, () => group);
}

/** An attachment: the buttons of this element are one stop of the Tab key, and the arrows go between them. */
export function oneStop(group: HTMLElement): () => void {
  let order: HTMLElement[] = [];
  const buttons = (): HTMLElement[] => [...group.querySelectorAll<HTMLElement>("button:not(:disabled)")];
  const settle = (current?: HTMLElement): void => {
    const all = buttons();
    const stop = current ?? all.find((button) => button.tabIndex === 0) ?? all[0];
    for (const button of all) {
      const tabIndex = button === stop ? 0 : -1;
      if (button.tabIndex !== tabIndex) button.tabIndex = tabIndex; // setting it makes the browser lay out the page
    }
    order = all;
  };
  /** The button after the one that is gone, or before it; in another group if this one is empty. */
  const heir = (gone: HTMLElement): HTMLElement | undefined => {
    const index = order.indexOf(gone);
    const near = [...order.slice(index + 1), ...order.slice(0, Math.max(0, index)).reverse()];
    return near.find((button) => button.isConnected) ?? document.querySelector<HTMLElement>(FALLBACK) ?? undefined;
  };
  const end = bequeath(group, heir);
  const onFocus = (event: FocusEvent): void => {
    if (event.target instanceof HTMLElement && event.target.matches("button")) settle(event.target);
  };
  const onKey = (event: KeyboardEvent): void => {
    if (!(event.target instanceof HTMLElement) || event.altKey || event.ctrlKey || event.metaKey) return;
    const next = neighbour(buttons(), event.target, event.key);
    if (next === undefined) return;
    event.preventDefault();
    next.focus();
  };
  const observer = new MutationObserver(() => settle());
  observer.observe(group, { childList: true, subtree: true, attributes: true, attributeFilter: ["disabled"] });
  group.addEventListener("focusin", onFocus);
  group.addEventListener("keydown", onKey);
  settle();
  return () => {
    end();
    observer.disconnect();
    group.removeEventListener("focusin", onFocus);
    group.removeEventListener("keydown", onKey);
  };
}

/** An attachment: the focus comes here when the element appears, as in a dialog that has just opened. */
export function focusHere(element: HTMLElement): void {
  element.autofocus = true; // for a dialog that opens after its contents are there
  element.focus();
}

/** An attachment: the keyboard reaches this element, because it scrolls. */
export function reachable(element: HTMLElement): void {
  element.tabIndex = 0;
}

/** Moving the focus with the arrow keys among things that lie side by side. */

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

/** An attachment: the buttons of this element are one stop of the Tab key, and the arrows go between them. */
export function oneStop(group: HTMLElement): () => void {
  const buttons = (): HTMLElement[] => [...group.querySelectorAll<HTMLElement>("button:not(:disabled)")];
  const settle = (current?: HTMLElement): void => {
    const all = buttons();
    const stop = current ?? all.find((button) => button.tabIndex === 0) ?? all[0];
    for (const button of all) button.tabIndex = button === stop ? 0 : -1;
  };
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

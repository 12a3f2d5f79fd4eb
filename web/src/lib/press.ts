/** A long press: another way to touch something than a tap. */

const LONG = 500;

/** An attachment: a long press or a right click on the element does this, and is no click. */
export function onLongPress(act: () => void): (element: HTMLElement) => () => void {
  return (element) => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isTouched = false;
    let isDone = false; // for this touch
    const end = (): void => clearTimeout(timer);
    const once = (): void => {
      end();
      if (!isDone) act();
      isDone = isTouched;
    };
    const start = ({ pointerType }: PointerEvent): void => {
      isDone = false;
      isTouched = pointerType === "touch";
      if (isTouched) timer = setTimeout(once, LONG);
    };
    // Some browsers send this after a long press, others send nothing.
    const onMenu = (event: Event): void => {
      event.preventDefault();
      once();
    };
    const onClick = (event: Event): void => {
      if (isDone) event.stopImmediatePropagation();
      isDone = false;
    };
    const listeners = [
      ["pointerdown", start],
      ["pointerup", end],
      ["pointercancel", end],
      ["contextmenu", onMenu],
      ["click", onClick],
    ] as [string, EventListener][];
    for (const [name, listener] of listeners) element.addEventListener(name, listener, { capture: true });
    return () => {
      end();
      for (const [name, listener] of listeners) element.removeEventListener(name, listener, { capture: true });
    };
  };
}

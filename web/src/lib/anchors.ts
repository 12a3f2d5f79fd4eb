/** Where things are on the screen: the elements with a `data-anchor`. */

export interface Box {
  left: number;
  top: number;
  width: number;
  height: number;
}

/** Elements by their anchors; several have the same one, of which one is on the screen. */
export type Anchors = ReadonlyMap<string, readonly Element[]>;

export const NOWHERE: Anchors = new Map();

/** All anchors at once: to look for them one by one takes longer than a frame. */
export function anchorsIn(root: ParentNode = document): Anchors {
  const found = new Map<string, Element[]>();
  for (const element of root.querySelectorAll<HTMLElement>("[data-anchor]")) {
    const anchor = element.dataset["anchor"] ?? "";
    found.set(anchor, [...(found.get(anchor) ?? []), element]);
  }
  return found;
}

/** The box of the first of these anchors that is on the screen. */
export function boxOf(anchors: Anchors, wanted: readonly string[]): Box | null {
  for (const anchor of wanted) {
    for (const element of anchors.get(anchor) ?? []) {
      const { left, top, width, height } = element.getBoundingClientRect();
      if (width > 0 && height > 0) return { left, top, width, height };
    }
  }
  return null;
}

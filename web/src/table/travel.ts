/** The way of a tile in a ceremony: from its place over the middle of the screen to its new owner. */

import { anchorsIn, boxOf, type Anchors, type Box } from "../lib/anchors";
import { DURATIONS } from "./ceremonies";

/** The width of a tile in the middle of the screen, and how wide it is at most at its owner's. */
const LARGE = 220;
const SMALL = 56;

function middleOf({ left, top, width, height }: Box): [number, number] {
  return [left + width / 2, top + height / 2];
}

/** Where the last tile of a seat lies; on a phone, where tiles are not shown, its board. */
function homeOf(seat: number, anchors: Anchors): Box | null {
  const tiles = `seat:${seat}:tiles`;
  const last = anchors.get(tiles)?.[0]?.lastElementChild?.getBoundingClientRect();
  return last !== undefined && last.width > 0 ? last : boxOf(anchors, [tiles, `seat:${seat}`]);
}

/** An attachment: the tile comes from an anchor, shows itself, and goes to a seat. */
export function travels(source: string, seat: number): (element: HTMLElement) => () => void {
  return (element) => {
    const width = Math.min(LARGE, innerWidth * 0.5, innerHeight * 0.5);
    const stage: [number, number] = [innerWidth / 2, innerHeight * 0.4];
    const anchors = anchorsIn();
    const [from, home] = [boxOf(anchors, [source]), homeOf(seat, anchors)];
    const at = ([x, y]: [number, number], scale: number): string =>
      `translate(${x}px, ${y}px) translate(-50%, -50%) scale(${scale})`;
    const end = home === null ? stage : middleOf(home);
    const size = home === null ? 1 : Math.min(SMALL, home.width, home.height * 1.2) / width;
    element.style.width = `${width}px`;
    const animation = element.animate(
      [
        from === null
          ? { transform: at(stage, 0.5), opacity: 0 }
          : { transform: at(middleOf(from), from.width / width), opacity: 1 },
        { transform: at(stage, 1), opacity: 1, offset: 0.2 },
        { transform: at(stage, 1.04), opacity: 1, offset: 0.62, easing: "cubic-bezier(0.5, 0, 0.8, 0.4)" },
        { transform: at(end, size * 1.5), opacity: 1, offset: 0.8 },
        { transform: at(end, size), opacity: 1, offset: 0.86 },
        { transform: at(end, size), opacity: 1, offset: 0.94 },
        { transform: at(end, size), opacity: 0 },
      ],
      { duration: DURATIONS.tile, easing: "cubic-bezier(0.2, 0.7, 0.2, 1)", fill: "both" },
    );
    return () => animation.cancel();
  };
}

/** An attachment: a ring where the tile is put down. */
export function stamps(seat: number): (element: HTMLElement) => void {
  return (element) => {
    const home = homeOf(seat, anchorsIn());
    if (home === null) return;
    const [x, y] = middleOf(home);
    element.style.left = `${x}px`;
    element.style.top = `${y}px`;
  };
}

import { path } from "./geometry";
import { remember } from "./remember";

/** A rosette as engine-turning lathes make it: one line that comes back to its beginning. */
export const rosette = remember(turned, (...shape) => shape.join());

function turned(x: number, y: number, radius: number, petals: number, depth: number, turns: number): string {
  const steps = petals * turns * 10;
  let d = "";
  for (let i = 0; i < steps; i += 1) {
    const angle = (2 * Math.PI * turns * i) / steps;
    const r = radius * (1 - depth + depth * Math.cos((petals / turns) * angle));
    d += path`${i === 0 ? "M" : "L"}${x + r * Math.cos(angle)} ${y + r * Math.sin(angle)}`;
  }
  return `${d}Z`;
}

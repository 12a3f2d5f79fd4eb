/** A small seeded generator: the same seed draws the same picture on every machine. */
export class Random {
  private state: number;

  constructor(seed: string) {
    // FNV-1a, so that seeds that differ in one letter draw unlike pictures.
    let hash = 0x811c9dc5;
    for (let i = 0; i < seed.length; i += 1) {
      hash = Math.imul(hash ^ seed.charCodeAt(i), 0x01000193);
    }
    this.state = hash >>> 0;
    for (let i = 0; i < 4; i += 1) this.next();
  }

  /** A number of [0, 1): mulberry32. */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let t = this.state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  }

  /** A number of [low, high). */
  between(low: number, high: number): number {
    return low + (high - low) * this.next();
  }

  /** A whole number of low..high, both included. */
  whole(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1));
  }

  /** True with the given probability. */
  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** One of the choices. */
  pick<T>(choices: readonly T[]): T {
    const choice = choices[Math.floor(this.next() * choices.length)];
    if (choice === undefined) throw new Error("expected at least one choice, got none");
    return choice;
  }

  /** The choices in another order. */
  shuffle<T>(choices: readonly T[]): T[] {
    const result = [...choices];
    for (let i = result.length - 1; i > 0; i -= 1) {
      const j = this.whole(0, i);
      const [a, b] = [result[i] as T, result[j] as T];
      result[i] = b;
      result[j] = a;
    }
    return result;
  }
}

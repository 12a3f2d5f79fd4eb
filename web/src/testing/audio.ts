/** Ears without a loudspeaker, for the tests. */

import { vi } from "vitest";

/** Let the page be heard, and return the pitches that its sounds begin with, as they come. */
export function listen(): number[] {
  const pitches: number[] = [];
  const parameter = {
    setValueAtTime: () => undefined,
    linearRampToValueAtTime: () => undefined,
    exponentialRampToValueAtTime: () => undefined,
  };
  class FakeNode {
    readonly frequency = parameter;
    readonly gain = parameter;
    readonly #pitch: number;

    constructor(_context: unknown, options: { frequency?: number }) {
      this.#pitch = options.frequency ?? 0;
    }

    connect(next: unknown): unknown {
      return next;
    }

    start(): void {
      pitches.push(this.#pitch);
    }

    stop(): void {}
  }
  class FakeContext {
    readonly currentTime = 0;
    readonly destination = null;
  }
  vi.stubGlobal("AudioContext", FakeContext);
  vi.stubGlobal("OscillatorNode", FakeNode);
  vi.stubGlobal("GainNode", FakeNode);
  Object.defineProperty(navigator, "userActivation", { value: { hasBeenActive: true }, configurable: true });
  return pitches;
}

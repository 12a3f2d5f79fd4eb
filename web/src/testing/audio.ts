/** Ears without a loudspeaker, for the tests. */

import { vi } from "vitest";

/** The clock of what is heard: it goes on by `pace` seconds whenever it is read. */
export const audioClock = { now: 0, pace: 10 };

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
    readonly destination = null;
    readonly state = "running";

    get currentTime(): number {
      audioClock.now += audioClock.pace;
      return audioClock.now;
    }
  }
  vi.stubGlobal("AudioContext", FakeContext);
  vi.stubGlobal("OscillatorNode", FakeNode);
  vi.stubGlobal("GainNode", FakeNode);
  Object.defineProperty(navigator, "userActivation", { value: { hasBeenActive: true }, configurable: true });
  return pitches;
}

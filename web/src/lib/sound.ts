/** Short sounds, made by the browser itself. */

import { settings } from "./settings.svelte";

export type SoundName = "token" | "card" | "tile" | "turn" | "win" | "refusal";

interface Tone {
  shape: OscillatorType;
  from: number;
  to: number;
  at: number;
  lasts: number;
  gain: number;
}

function tone(shape: OscillatorType, from: number, to: number, at: number, lasts: number, gain: number): Tone {
  return { shape, from, to, at, lasts, gain };
}

const SOUNDS: Record<SoundName, Tone[]> = {
  token: [tone("triangle", 1900, 1500, 0, 0.06, 0.12), tone("sine", 2900, 2500, 0.01, 0.09, 0.06)],
  card: [tone("sine", 420, 250, 0, 0.12, 0.12), tone("triangle", 900, 500, 0, 0.05, 0.05)],
  tile: [tone("sine", 180, 70, 0, 0.25, 0.3), tone("triangle", 700, 350, 0, 0.06, 0.08)],
  turn: [tone("sine", 660, 660, 0, 0.14, 0.1), tone("sine", 990, 990, 0.11, 0.22, 0.1)],
  win: [523, 659, 784, 1047].map((pitch, index) => tone("triangle", pitch, pitch, index * 0.12, 0.35, 0.1)),
  refusal: [tone("square", 160, 120, 0, 0.16, 0.05)],
};

let context: AudioContext | null = null;

/** Play a sound, if sounds are on and the browser lets the page be heard; of a page behind others only that it is one's turn. */
export function sound(name: SoundName): void {
  if (settings.sound !== "on" || (document.hidden && name !== "turn") || !navigator.userActivation.hasBeenActive)
    return;
  context ??= new AudioContext();
  const start = context.currentTime + 0.01;
  for (const { shape, from, to, at, lasts, gain } of SOUNDS[name]) {
    const oscillator = new OscillatorNode(context, { type: shape, frequency: from });
    const envelope = new GainNode(context, { gain: 0 });
    oscillator.frequency.exponentialRampToValueAtTime(to, start + at + lasts);
    envelope.gain.setValueAtTime(0, start + at);
    envelope.gain.linearRampToValueAtTime(gain, start + at + 0.008);
    envelope.gain.exponentialRampToValueAtTime(0.0001, start + at + lasts);
    oscillator.connect(envelope).connect(context.destination);
    oscillator.start(start + at);
    oscillator.stop(start + at + lasts + 0.02);
  }
}

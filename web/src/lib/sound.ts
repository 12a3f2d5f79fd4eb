/** Short sounds, made by the browser itself. */

import { settings } from "./settings.svelte";

export type SoundName =
  "token" | "reserve" | "buy" | "tile" | "avengers" | "stone" | "turn" | "last" | "win" | "loss" | "refusal";

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

/** A bell of this pitch: its partials are not whole multiples, and the higher ones fade sooner. */
function bell(pitch: number, at: number, lasts: number, gain: number): Tone[] {
  return [
    tone("sine", pitch, pitch, at, lasts, gain),
    tone("sine", pitch * 2.76, pitch * 2.74, at, lasts * 0.5, gain * 0.35),
  ];
}

/** A card that is put down. */
function slap(at: number): Tone[] {
  return [tone("sine", 300, 150, at, 0.1, 0.14), tone("triangle", 900, 480, at, 0.04, 0.04)];
}

/** Five notes to the octave: whatever follows one another sounds well together. */
const SCALE = [1, 9 / 8, 5 / 4, 3 / 2, 5 / 3, 2];

function note(root: number, step: number): number {
  return root * (SCALE[Math.min(step, SCALE.length - 1)] ?? 1);
}

/** The tones of each sound; some depend on how many pieces there are. */
const SOUNDS: Record<SoundName, (count: number) => Tone[]> = {
  token: (count) =>
    Array.from({ length: Math.min(count, 3) }, (_, index) => bell(note(1568, index), index * 0.07, 0.16, 0.07)).flat(),
  reserve: () => [...slap(0), tone("sine", 392, 392, 0.06, 0.2, 0.06)],
  buy: () => [...slap(0), ...bell(659, 0.05, 0.22, 0.06), ...bell(988, 0.13, 0.3, 0.06)],
  tile: () => [tone("sine", 170, 70, 0, 0.28, 0.26), ...bell(523, 0.06, 0.5, 0.07), ...bell(784, 0.16, 0.6, 0.06)],
  avengers: () => [440, 554, 659, 880].map((pitch, index) => tone("triangle", pitch, pitch, index * 0.09, 0.34, 0.09)),
  stone: (count) => {
    const root = note(587, count - 1);
    const chord = count === SCALE.length ? [1, 1.25, 1.5, 2] : [1, 1.5];
    return chord.flatMap((factor, index) => bell(root * factor, index * 0.08, 0.6, 0.06));
  },
  turn: () => [tone("sine", 660, 660, 0, 0.16, 0.1), tone("sine", 990, 990, 0.11, 0.26, 0.09)],
  last: () => [0, 0.38].flatMap((at) => [...bell(392, at, 0.8, 0.1), tone("sine", 196, 196, at, 0.5, 0.08)]),
  win: () => [
    ...[523, 659, 784].flatMap((pitch, index) => bell(pitch, index * 0.12, 0.4, 0.08)),
    ...[523, 659, 784, 1047].map((pitch) => tone("triangle", pitch, pitch, 0.4, 0.9, 0.06)),
  ],
  loss: () => [440, 392, 330].map((pitch, index) => tone("sine", pitch, pitch, index * 0.2, 0.42, 0.08)),
  refusal: () => [tone("triangle", 208, 156, 0, 0.18, 0.12)],
};

/** Seconds from the start of one sound to that of the next; what would have to wait longer than `PATIENCE` is dropped. */
const SPACING = 0.12;
const PATIENCE = 0.5;
const ATTACK = 0.006;

let context: AudioContext | null = null;
let master: GainNode | null = null;
let free = 0;

/**
 * Play a sound, if sounds are on and the browser lets the page be heard; of a page behind others only that it is one's
 * turn.
 */
export function sound(name: SoundName, count = 1): void {
  if (settings.sound !== "on" || (document.hidden && name !== "turn") || !navigator.userActivation.hasBeenActive)
    return;
  if (context === null || master === null) {
    context = new AudioContext();
    master = new GainNode(context, { gain: 0.8 });
    master.connect(context.destination);
    free = 0;
  }
  if (context.state === "suspended") void context.resume();
  const now = context.currentTime + 0.01;
  const start = Math.max(now, free);
  if (start - now > PATIENCE) return;
  free = start + SPACING;
  for (const { shape, from, to, at, lasts, gain } of SOUNDS[name](count)) {
    const oscillator = new OscillatorNode(context, { type: shape, frequency: from });
    const envelope = new GainNode(context, { gain: 0 });
    oscillator.frequency.setValueAtTime(from, start + at);
    oscillator.frequency.exponentialRampToValueAtTime(to, start + at + lasts);
    envelope.gain.setValueAtTime(0, start + at);
    envelope.gain.linearRampToValueAtTime(gain, start + at + ATTACK);
    envelope.gain.exponentialRampToValueAtTime(0.0001, start + at + lasts);
    envelope.gain.linearRampToValueAtTime(0, start + at + lasts + 0.01);
    oscillator.connect(envelope).connect(master);
    oscillator.start(start + at);
    oscillator.stop(start + at + lasts + 0.02);
  }
}

/**
 * Values that are made anew at every move, but say mostly the same: their equal parts stay the same objects, so that
 * nothing is drawn again for them.
 */

/** The new value, with all its parts that equal the old one's replaced by these. */
export function keepEqual<T>(before: unknown, now: T): T {
  if (Object.is(before, now) || !isPlain(before) || !isPlain(now)) return now;
  if (Array.isArray(before) !== Array.isArray(now)) return now;
  const keys = Object.keys(now);
  let isEqual = keys.length === Object.keys(before).length;
  const shared: Record<string, unknown> = {};
  for (const key of keys) {
    const part = keepEqual(before[key], now[key]);
    shared[key] = part;
    isEqual &&= key in before && Object.is(part, before[key]);
  }
  if (isEqual) return before as T;
  return (Array.isArray(now) ? Object.values(shared) : shared) as T;
}

/** For `$derived.by`: the value of a function, whose equal parts stay the same objects. */
export function steady<T>(compute: () => T): () => T {
  let last: T | undefined;
  return () => (last = keepEqual(last, compute()));
}

function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === Array.prototype;
}

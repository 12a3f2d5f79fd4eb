/** Drawings that are made once: a card, a tile or a text is shown in many places, and at every move. */

/** The function, whose drawings are kept by a key made of what it draws. */
export function remember<Subject extends unknown[], Drawing>(
  draw: (...subject: Subject) => Drawing,
  keyOf: (...subject: Subject) => string | number,
): (...subject: Subject) => Drawing {
  const drawn = new Map<string | number, Drawing>();
  return (...subject) => {
    const key = keyOf(...subject);
    const known = drawn.get(key) ?? draw(...subject);
    drawn.set(key, known);
    return known;
  };
}

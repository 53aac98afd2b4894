/**
 * Compares texts as their UTF-8 bytes compare, which is the order of `COLLATE "C"`. Plain `<` compares UTF-16 units and
 * puts emoji before U+E000 to U+FFFF.
 */
export function compareBytes(a: string, b: string): number {
  if (a === b) return 0;
  const shorter = Math.min(a.length, b.length);
  for (let index = 0; index < shorter; index++) {
    const one = a.charCodeAt(index);
    const other = b.charCodeAt(index);
    if (one !== other) return codePointRank(one) - codePointRank(other);
  }
  return a.length - b.length;
}

/** Surrogates stand for code points above all other units. */
function codePointRank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}

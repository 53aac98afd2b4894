/** Text that PostgreSQL and UTF-8 can hold: no NUL, no half of a surrogate pair. */
export function isWholeText(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === 0) return false;
    if ((unit & 0xf800) !== 0xd800) continue;
    if (unit >= 0xdc00 || (text.charCodeAt(++at) & 0xfc00) !== 0xdc00) return false;
  }
  return true;
}

/** Unicode code points, counted only when it could matter. */
export function isLongerThan(text: string, characters: number): boolean {
  if (text.length <= characters) return false;
  if (text.length > 2 * characters) return true;
  let count = 0;
  for (const _ of text) if (++count > characters) return true;
  return false;
}

import { BLOCKLIST_MAX_CAP } from '#contracts/layouts/blocklist.layout.js';

/** Rows of the block list: a whole number of any size, brought into 1 to 5,000; undefined for other text. */
export function capOf(text: string): number | undefined {
  return /^-?\d+$/.test(text) ? Math.max(1, Math.min(BLOCKLIST_MAX_CAP, Number(text))) : undefined;
}

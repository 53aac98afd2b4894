import type { Detector } from '../detection/traffic.js';
import type { DetectionPayload } from '../ledger/payloads.js';
import { type DetectionEntry } from './current-entries.js';

/** All items of a cell, notices included. */
const MOST_ITEMS = 8;

/** Their anomaly is a low number. */
const LOW: ReadonlySet<Detector> = new Set(['conversion_void', 'path_template', 'regular_interval', 'id_churn']);

/** A reason and where it stands. */
interface Weighed {
  share: number;
  seq: number;
  index: number;
  reason: DetectionPayload['reasons'][number];
}

export type Notice = 'no_cost_data' | 'outside_60_day_window';

/**
 * The items of `reasons`: per detector the entry with its largest contribution (of equal ones the lowest seq), strongest
 * first (then by seq, then as in the entry), cut so that the notices fit.
 */
export function claimReasons(entries: readonly DetectionEntry[], notices: readonly Notice[]): string[] {
  const best = new Map<Detector, Weighed>();
  for (const { seq, payload } of entries) {
    payload.reasons.forEach((reason, index) => {
      const share = Number(reason.contribution);
      const known = best.get(reason.code);
      if (known === undefined || share > known.share || (share === known.share && seq < known.seq))
        best.set(reason.code, { share, seq, index, reason });
    });
  }
  const items = [...best.values()]
    .sort((a, b) => b.share - a.share || a.seq - b.seq || a.index - b.index)
    .slice(0, MOST_ITEMS - notices.length)
    .map(({ reason }) => reasonItem(reason));
  return [...items, ...notices];
}

/**
 * `code=observed>limit`, `<` when the observed number is the lower one; `code` alone when the entry gives no such numbers.
 * Of equal numbers the detector decides: rounding made them equal.
 */
function reasonItem({ code, observed, limit }: Weighed['reason']): string {
  const seen = numberOf(observed);
  const usual = numberOf(limit);
  if (seen === undefined || usual === undefined) return code;
  const low = seen < usual || (seen === usual && LOW.has(code));
  return `${code}=${observed}${low ? '<' : '>'}${limit}`;
}

function numberOf(text: string): number | undefined {
  const match = /^(\d{1,15}(?:\.\d{1,6})?)%?$/.exec(text);
  return match === null ? undefined : Number(match[1]);
}

import { millionths } from '#contracts/costs/millionths.js';
import { claimable, wastedSpend, type SpendShare } from '../claims/wasted-spend.js';
import type { BasisEntry, CurrentEntries, DetectionEntry } from '../claims/current-entries.js';
import { flaggedInRange } from '../claims/refund-claim.js';
import type { DayRange } from './entity-source.js';

export interface EntityWasted {
  /** By currency; one of 0.00 in the currency of the asset when there is no cost. */
  amounts: readonly { amount: string; currency: string }[];
  /** The cost bases that it rests on. */
  bases: readonly BasisEntry[];
}

/**
 * What the flagged sessions of one entity cost, by the formula of the refund claim, so that the entities of a range
 * together never claim more than was spent.
 *
 * @param own detections of the entity
 * @param all what holds at the checkpoint
 */
export function entityWasted(
  own: readonly DetectionEntry[],
  all: CurrentEntries,
  range: DayRange,
  currencyDefault: string,
): EntityWasted {
  const flagged = flaggedByPlace(flaggedInRange(own, range));
  const claimed = flaggedByPlace(flaggedInRange(all.detections, range));
  const shares = new Map<string, SpendShare[]>();
  const used: BasisEntry[] = [];
  for (const basis of all.bases) {
    const { spend, paid_sessions: paid, currency } = basis.payload;
    const place = placeOf(basis.payload);
    const ours = flagged.get(place);
    if (ours === undefined || millionths(spend) === 0n) continue;
    used.push(basis);
    const known = shares.get(currency) ?? [];
    known.push({ flagged: ours, paid, claimed: Math.max(claimable(ours, paid), claimed.get(place) ?? 0), spend });
    shares.set(currency, known);
  }
  const amounts = [...shares]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([currency, list]) => ({ amount: wastedSpend(list), currency }));
  return { amounts: amounts.length > 0 ? amounts : [{ amount: '0.00', currency: currencyDefault }], bases: used };
}

/** Flagged sessions by channel and day; a known unpaid channel costs nothing. */
function flaggedByPlace(detections: readonly DetectionEntry[]): Map<string, number> {
  const flagged = new Map<string, number>();
  for (const { payload } of detections) {
    if (payload.paid === false || payload.counts.flagged_sessions === 0) continue;
    const place = placeOf(payload);
    flagged.set(place, (flagged.get(place) ?? 0) + payload.counts.flagged_sessions);
  }
  return flagged;
}

function placeOf({ channel, day }: { channel: string; day: string }): string {
  return JSON.stringify([channel, day]);
}

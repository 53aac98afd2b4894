import { DETECTORS, type Detection, type Detector } from '../detection/traffic.js';
import type { StoredVerdict } from './stored-verdicts.js';

const SILENT = Object.fromEntries(DETECTORS.map((code) => [code, 0])) as Record<Detector, number>;

/** In the place of a verdict of which nothing is found any more: a late event was human evidence, or an address is allowed now. */
export function cleared(old: StoredVerdict): Detection {
  const { entityId, entityType, entityKey, day, channel, paid, asn, asnOrg, networkType, ivtClass } = old;
  return {
    entityType,
    entityKey,
    entityId,
    day,
    window: [day - 6, day],
    channel,
    standing: paid === null ? 'unmatched' : paid ? 'paid' : 'unpaid',
    asn,
    asnOrg,
    networkType,
    severity: 'clean',
    ivtClass,
    p: 0,
    counts: { sessions: 0, paidSessions: 0, flaggedSessions: 0, flaggedEvents: 0, conversions: 0 },
    scores: SILENT,
    reasons: [],
    sessions: [],
    flagged: [],
  };
}

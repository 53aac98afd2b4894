import { DETECTORS, type Detector } from '#apps/integrity/src/detection/traffic.js';
import type { NewEntry } from '#apps/integrity/src/ledger/payloads.js';

/** An entry as large as those of the scorer. */
export function detectionEntry(number: number): Extract<NewEntry, { kind: 'detection' }> {
  return {
    kind: 'detection',
    payload: {
      entity: `net-203.0.${number % 256}.0-24`,
      entity_type: 'network',
      day: '2026-09-14',
      window: ['2026-09-08', '2026-09-14'],
      channel: 'google_ads',
      paid: true,
      asn: 24_940,
      asn_org: 'Example Hosting GmbH',
      network_type: 'hosting',
      severity: 'confirmed',
      ivt_class: 'SIVT',
      p: '0.9731',
      counts: {
        sessions: 412 + number,
        paid_sessions: 398,
        flagged_sessions: 391,
        flagged_events: 1_204,
        conversions: 0,
      },
      scores: Object.fromEntries(DETECTORS.map((detector) => [detector, '0.1234'])) as Record<Detector, string>,
      reasons: [
        { code: 'no_engagement', observed: '97.2%', limit: '52.0%', contribution: '0.6123' },
        { code: 'click_flood', observed: '48', limit: '8', contribution: '0.3877' },
      ],
      ip_commit: [1, 2, 3].map((flagged) => [String(flagged).repeat(64), flagged]),
      sessions_root: 'ab'.repeat(32),
      sampled: false,
      supersedes: null,
    },
  };
}

export function detectionEntries(count: number, from = 0): NewEntry[] {
  return Array.from({ length: count }, (_, index) => detectionEntry(from + index));
}

/**
 * An entry that supports a row of the refund claim.
 *
 * @param row of so many rows, each of an AS and a channel of its own
 * @param daysAgo its local day
 * @param number another one for every entry
 */
export function claimableDetection(row: number, daysAgo: number, number: number): NewEntry {
  const { payload } = detectionEntry(number);
  const day = new Date(Date.now() - daysAgo * 86_400_000).toISOString().slice(0, 10);
  return {
    kind: 'detection',
    payload: {
      ...payload,
      entity: `net-${5 + (row >> 8)}.9.${row % 256}.0-24`,
      day,
      window: [day, day],
      channel: `channel_${row % 4}`,
      asn: 1_000 + (row >> 2),
      // No address stands behind them: three salts for each of so many entries would be most of the work of filling.
      ip_commit: [],
    },
  };
}

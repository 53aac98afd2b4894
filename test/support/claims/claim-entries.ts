import { createHash } from 'node:crypto';
import type { BasisEntry, ConfigEntry, DetectionEntry } from '#apps/integrity/src/claims/current-entries.js';
import type { ClaimOptions } from '#apps/integrity/src/claims/refund-claim.js';
import { DETECTORS, type Detector } from '#apps/integrity/src/detection/traffic.js';
import type { CostBasisPayload, DetectionPayload } from '#apps/integrity/src/ledger/payloads.js';

const everyDetector = (value: string): Record<Detector, string> =>
  Object.fromEntries(DETECTORS.map((code) => [code, value])) as Record<Detector, string>;

/** A likely network on one day of one paid channel. */
export function detection(
  seq: number,
  { flagged = 10, ...payload }: Partial<DetectionPayload> & { flagged?: number } = {},
): DetectionEntry {
  return {
    seq,
    hash: hashOf(seq),
    kind: 'detection',
    payload: {
      entity: 'net-203.0.113.0-24',
      entity_type: 'network',
      day: '2026-09-01',
      window: ['2026-08-26', '2026-09-01'],
      channel: 'google_ads',
      paid: true,
      asn: 24940,
      asn_org: 'Example Hosting GmbH',
      network_type: 'hosting',
      severity: 'likely',
      ivt_class: 'SIVT',
      p: '0.8000',
      counts: {
        sessions: flagged,
        paid_sessions: flagged,
        flagged_sessions: flagged,
        flagged_events: flagged,
        conversions: 0,
      },
      scores: everyDetector('0.0000'),
      reasons: [{ code: 'click_flood', observed: '48', limit: '8', contribution: '1.0000' }],
      ip_commit: [],
      sessions_root: hashOf(seq),
      sampled: false,
      supersedes: null,
      ...payload,
    },
  };
}

export function basis(seq: number, payload: Partial<CostBasisPayload> = {}): BasisEntry {
  return {
    seq,
    hash: hashOf(seq),
    kind: 'cost_basis',
    payload: {
      channel: 'google_ads',
      day: '2026-09-01',
      currency: 'EUR',
      spend: '100.00',
      paid_sessions: 100,
      import_id: '019a0000-0000-7000-8000-000000000001',
      formula: 'wasted/1',
      ...payload,
    },
  };
}

export function config(seq: number, timezone = 'Europe/Berlin'): ConfigEntry {
  const payload = { detector_version: '1', limits: {}, weights: everyDetector('0.5'), data_dates: {}, timezone };
  return { seq, hash: hashOf(seq), kind: 'config', payload };
}

export const OPTIONS: ClaimOptions = {
  from: '2026-09-01',
  to: '2026-09-30',
  timezone: 'Europe/Berlin',
  currencyDefault: 'EUR',
  today: '2026-10-01',
  samples: [],
};

export function hashOf(seq: number): string {
  return createHash('sha256').update(`entry ${seq}`).digest('hex');
}

import { createHash } from 'node:crypto';
import { commitment, type RevealedSample } from '#apps/integrity/src/claims/claim-samples.js';
import { DETECTORS, type Detector, type Severity } from '#apps/integrity/src/detection/traffic.js';
import type { CostBasisPayload, DetectionPayload, NewEntry } from '#apps/integrity/src/ledger/payloads.js';
import type { NetworkType } from '#apps/integrity/src/networks/network-types.js';

/** Integers from 0 to below `below`; the same for the same seed (mulberry32). */
export type Dice = (below: number) => number;

export function dice(seed: number): Dice {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}

function pick<Item>(roll: Dice, items: readonly Item[]): Item {
  return items[roll(items.length)] as Item;
}

const ZONES = ['Europe/Berlin', 'America/New_York', 'UTC', 'Asia/Kathmandu', 'America/Santiago', 'Asia/Beirut'];

/** With names that spreadsheets and separators stumble over. */
const CHANNELS = ['google_ads', 'meta_ads', '=cmd|x', 'Näh, "so"', "'quoted", '-', '廣告\u{1f600}', 'ünmatched'];
const ORGS = ['Example Hosting GmbH', '@home "Net", Ltd', '+plus', null, 'Tab\there', '\uff1dwide', 'Two\nlines'];
const NETWORK_TYPES: readonly NetworkType[] = ['hosting', 'isp', 'vpn', 'business'];
const CURRENCIES = ['EUR', 'USD', 'JPY'];
const PAIRS = [
  ['97.2%', '52.0%'],
  ['48', '8'],
  ['0.03', '0.65'],
  ['0', '4'],
  ['0.65', '0.65'],
  ['hosting', ''],
] as const;

/** Entries of a ledger, in their order, and the addresses behind their commitments. */
export interface RandomEntries {
  entries: NewEntry[];
  samples: RevealedSample[];
  firstDay: string;
  lastDay: string;
  timezone: string;
}

export function dayText(day: number): string {
  return new Date(day * 86_400_000).toISOString().slice(0, 10);
}

/**
 * A ledger as the service would write one: per entity, channel and day one detection that holds, some of them after
 * others that they supersede; costs that come before or after sessions; no more flagged sessions than paid ones.
 */
export function randomEntries(roll: Dice, entities = 12): RandomEntries {
  const timezone = pick(roll, ZONES);
  const start = Date.UTC(2026, pick(roll, [2, 8, 9]), 20 + roll(10)) / 86_400_000;
  const days = 1 + roll(12);
  const written: NewEntry[] = [configEntry(timezone, '2026.10.1')];
  const samples: RevealedSample[] = [];
  const flaggedOn = new Map<string, number>();
  const channels = CHANNELS.filter(() => roll(3) > 0);
  for (let entity = 0; entity < entities; entity++) {
    const detections = detectionsOf(roll, entity, channels, start, days);
    for (const detection of detections) {
      if (roll(3) === 0) {
        const older = { ...detection, p: '0.5000', severity: 'suspected' as Severity, ip_commit: [] };
        written.push({
          kind: 'detection',
          payload: { ...older, counts: { ...detection.counts, flagged_sessions: 0 } },
        });
        detection.supersedes = written.length;
      }
      samples.push(...commitSamples(roll, detection, written.length + 1));
      written.push({ kind: 'detection', payload: detection });
      const key = JSON.stringify([detection.channel, detection.day]);
      flaggedOn.set(key, (flaggedOn.get(key) ?? 0) + detection.counts.flagged_sessions);
    }
    if (roll(4) === 0) written.push(noise(entity));
  }
  for (const [key, flagged] of flaggedOn) written.push(...basesOf(roll, key, flagged));
  if (roll(3) === 0) written.push(configEntry(timezone, '2026.11.1'));
  return { entries: written, samples, firstDay: dayText(start), lastDay: dayText(start + days - 1), timezone };
}

function detectionsOf(
  roll: Dice,
  entity: number,
  channels: readonly string[],
  start: number,
  days: number,
): DetectionPayload[] {
  const type = pick(roll, ['network', 'host', 'visitor', 'asn'] as const);
  const asn = pick(roll, [24940, 16276, 3320, null]);
  const org = pick(roll, ORGS);
  const networkType = pick(roll, NETWORK_TYPES);
  const detections: DetectionPayload[] = [];
  for (let day = start; day < start + days; day++)
    for (const channel of channels) {
      if (roll(4) > 0) continue;
      const severity = pick(roll, ['likely', 'confirmed', 'likely', 'suspected'] as const);
      const sessions = 1 + roll(40);
      const counts = {
        sessions,
        paid_sessions: sessions,
        flagged_sessions: severity === 'suspected' || type === 'asn' ? 0 : roll(sessions + 1),
        flagged_events: sessions,
        conversions: 0,
      };
      detections.push({
        entity: `${type}-${entity}`,
        entity_type: type,
        day: dayText(day),
        window: [dayText(day - 6), dayText(day)],
        channel,
        paid: channel === 'ünmatched' ? null : channel === '-' ? false : true,
        asn,
        asn_org: org,
        network_type: networkType,
        severity,
        ivt_class: 'SIVT',
        p: '0.9731',
        counts,
        scores: Object.fromEntries(DETECTORS.map((code) => [code, '0.5000'])) as Record<Detector, string>,
        reasons: reasonsOf(roll),
        ip_commit: [],
        sessions_root: createHash('sha256').update(`${entity} ${day}`).digest('hex'),
        sampled: false,
        supersedes: null,
      });
    }
  return detections;
}

function reasonsOf(roll: Dice): DetectionPayload['reasons'] {
  return DETECTORS.filter(() => roll(2) === 0).map((code) => {
    const [observed, limit] = pick(roll, PAIRS);
    return { code, observed, limit, contribution: `0.${String(roll(10_000)).padStart(4, '0')}` };
  });
}

/** Fills `ip_commit`; some addresses are erased already. */
function commitSamples(roll: Dice, detection: DetectionPayload, seq: number): RevealedSample[] {
  const ips = new Set(
    Array.from({ length: roll(5) }, () =>
      roll(4) === 0 ? `2001:db8:${roll(3)}:${(10 + roll(90)).toString(16)}::/64` : `203.0.113.${roll(30)}`,
    ),
  );
  const samples = [...ips].map((ip, index) => {
    const salt = createHash('sha256').update(`${seq} ${index}`).digest('hex').slice(0, 32);
    return { seq, salt, ip };
  });
  detection.ip_commit = samples.map((sample) => [commitment(sample), roll(20)]);
  return samples.filter(() => roll(6) > 0);
}

function basesOf(roll: Dice, key: string, flagged: number): NewEntry[] {
  const [channel, day] = JSON.parse(key) as [string, string];
  if (channel === 'ünmatched') return [];
  return CURRENCIES.filter(() => roll(3) === 0).flatMap((currency) => {
    const basis = (): CostBasisPayload => ({
      channel,
      day,
      currency,
      spend: pick(roll, [`${roll(900)}.${roll(1_000_000)}`, `${roll(90)}.50`, '0.00', '0.000001']),
      paid_sessions: flagged + roll(50),
      import_id: '019a0000-0000-7000-8000-000000000001',
      formula: 'wasted/1',
    });
    const bases = roll(3) === 0 ? [basis(), basis()] : [basis()];
    return bases.map((payload) => ({ kind: 'cost_basis', payload }) as const);
  });
}

function configEntry(timezone: string, version: string): NewEntry {
  const weights = Object.fromEntries(DETECTORS.map((code) => [code, '0.50'])) as Record<Detector, string>;
  const payload = { detector_version: version, limits: { clicks: '8' }, weights, data_dates: { asn: '2026-09-01' } };
  return { kind: 'config', payload: { ...payload, timezone } };
}

function noise(entity: number): NewEntry {
  return { kind: 'erasure', payload: { samples: entity, before: '2026-08-01', by: 'retention' } };
}

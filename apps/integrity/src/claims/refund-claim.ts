import { dayNumber } from '#contracts/calendar-day.js';
import { millionths } from '#contracts/costs/millionths.js';
import { type RefundClaimRow } from '#contracts/layouts/refund-claim.layout.js';
import { type BasisEntry, bySeq, type CurrentEntries, type DetectionEntry } from './current-entries.js';
import { claimReasons, type Notice } from './claim-reasons.js';
import { type RevealedSample, sampleIps, type SamplesBySeq, samplesBySeq } from './claim-samples.js';
import { claimWindow } from './claim-window.js';
import { evidenceHash } from './evidence-hash.js';
import { claimable, wastedSpend } from './wasted-spend.js';

/** Older clicks are outside what the largest platform answers for. */
const CLAIM_DAYS = 60;

export interface ClaimOptions {
  /** Local days, both inclusive, `YYYY-MM-DD`. */
  from: string;
  to: string;
  timezone: string;
  /** Of rows without any cost: the currency of the asset. */
  currencyDefault: string;
  /** The local day on which the claim is made. */
  today: string;
  /** Of the entries whose day lies in the range; others do not matter. */
  samples: readonly RevealedSample[];
}

/** A row before its chain was verified, with what it rests on. */
export interface RefundRow extends Omit<RefundClaimRow, 'chain_verified'> {
  /** Detections and cost bases behind `evidence_hash`, ascending. */
  entries: readonly number[];
}

/** Detections of one asn, network type, channel and severity. */
interface Group {
  asn: number | null;
  networkType: string;
  channel: string;
  severity: 'likely' | 'confirmed';
  detections: DetectionEntry[];
  flaggedByDay: Map<string, number>;
}

/**
 * The rows of the refund claim, in the order of the file (integrity.md 9.2). They follow from the arguments alone, so that
 * a stranger can recompute them from the entries.
 *
 * A detection supports a row when its day lies in the range, is likely or confirmed and has flagged sessions, and its
 * channel is paid or unmatched. A cost of 0 is no cost.
 */
export function refundRows(entries: CurrentEntries, options: ClaimOptions): RefundRow[] {
  const samples = samplesBySeq(options.samples);
  const groups = supportedGroups(entries.detections, options);
  const costs = costsOf(entries.bases, groups);
  return groups
    .flatMap((group) => rowsOfGroup(group, costs.get(group.channel) ?? [], samples, options))
    .sort(compareRows);
}

/** Likely or confirmed detections of the range: they decide about the severity of their entities. */
export function flaggedInRange(
  detections: readonly DetectionEntry[],
  { from, to }: Pick<ClaimOptions, 'from' | 'to'>,
): DetectionEntry[] {
  return detections.filter(
    ({ payload: { day, severity } }) => day >= from && day <= to && (severity === 'likely' || severity === 'confirmed'),
  );
}

function supportedGroups(detections: readonly DetectionEntry[], options: ClaimOptions): Group[] {
  const flagged = flaggedInRange(detections, options);
  // One confirmed day makes all flagged sessions of the entity in the range confirmed.
  const confirmed = new Set(
    flagged.filter(({ payload }) => payload.severity === 'confirmed').map(({ payload }) => payload.entity),
  );
  const groups = new Map<string, Group>();
  for (const detection of flagged) {
    const { entity, asn, network_type, channel, paid, day, counts } = detection.payload;
    if (paid === false || counts.flagged_sessions === 0) continue;
    const severity = confirmed.has(entity) ? 'confirmed' : 'likely';
    const key = JSON.stringify([asn, network_type, channel, severity]);
    let group = groups.get(key);
    if (group === undefined) {
      group = { asn, networkType: network_type, channel, severity, detections: [], flaggedByDay: new Map() };
      groups.set(key, group);
    }
    group.detections.push(detection);
    group.flaggedByDay.set(day, (group.flaggedByDay.get(day) ?? 0) + counts.flagged_sessions);
  }
  return [...groups.values()];
}

/** A cost basis and what all rows together claim of it. */
interface Cost extends BasisEntry {
  claimed: number;
}

/** The costs of these channels on their flagged days, by channel. */
function costsOf(bases: readonly BasisEntry[], groups: readonly Group[]): Map<string, Cost[]> {
  const byDay = new Map<string, Group[]>();
  for (const group of groups)
    for (const day of group.flaggedByDay.keys()) {
      const key = JSON.stringify([group.channel, day]);
      const known = byDay.get(key);
      if (known === undefined) byDay.set(key, [group]);
      else known.push(group);
    }
  const costs = new Map<string, Cost[]>();
  for (const basis of bases) {
    const { channel, day, spend, paid_sessions } = basis.payload;
    const claimants = byDay.get(JSON.stringify([channel, day]));
    if (claimants === undefined || millionths(spend) === 0n) continue;
    const claimed = claimants.reduce(
      (sum, group) => sum + claimable(group.flaggedByDay.get(day) ?? 0, paid_sessions),
      0,
    );
    const known = costs.get(channel);
    if (known === undefined) costs.set(channel, [{ ...basis, claimed }]);
    else known.push({ ...basis, claimed });
  }
  return costs;
}

function rowsOfGroup(
  group: Group,
  channelCosts: readonly Cost[],
  samples: SamplesBySeq,
  options: ClaimOptions,
): RefundRow[] {
  const costs = channelCosts.filter(({ payload }) => group.flaggedByDay.has(payload.day));
  const currencies = new Set(costs.map(({ payload }) => payload.currency));
  const days = [...group.flaggedByDay.keys()].sort();
  const [first = options.from] = days;
  const last = days.at(-1) ?? options.to;
  const window = claimWindow(first, last, options.timezone);
  const newest = group.detections.reduce((a, b) => (b.seq > a.seq ? b : a));
  const notices: Notice[] = [];
  if (currencies.size === 0) notices.push('no_cost_data');
  if (dayNumber(options.today) - dayNumber(last) > CLAIM_DAYS) notices.push('outside_60_day_window');
  const common = {
    asn: group.asn,
    asn_org: newest.payload.asn_org,
    network_type: group.networkType,
    channel: group.channel,
    severity: group.severity,
    flagged_sessions: [...group.flaggedByDay.values()].reduce((sum, flagged) => sum + flagged, 0),
    window_from: window.from,
    window_to: window.to,
    reasons: claimReasons(group.detections, notices),
    sample_ips: sampleIps(group.detections, samples),
  };
  return [...(currencies.size === 0 ? [options.currencyDefault] : currencies)].map((currency) => {
    const used = costs.filter(({ payload }) => payload.currency === currency);
    const evidence = [...group.detections, ...used].sort(bySeq);
    return {
      ...common,
      estimated_wasted: wastedSpend(
        used.map(({ payload, claimed }) => ({
          flagged: group.flaggedByDay.get(payload.day) ?? 0,
          paid: payload.paid_sessions,
          claimed,
          spend: payload.spend,
        })),
      ),
      currency,
      evidence_hash: evidenceHash(evidence.map(({ hash }) => hash)),
      entries: evidence.map(({ seq }) => seq),
    };
  });
}

function compareRows(a: RefundRow, b: RefundRow): number {
  if (a.severity !== b.severity) return a.severity === 'confirmed' ? -1 : 1;
  const wasted = millionths(b.estimated_wasted) - millionths(a.estimated_wasted);
  if (wasted !== 0n) return wasted > 0n ? 1 : -1;
  if (a.asn !== b.asn) return (a.asn ?? Infinity) - (b.asn ?? Infinity);
  return (
    compareText(a.channel, b.channel) ||
    compareText(a.network_type, b.network_type) ||
    compareText(a.currency, b.currency)
  );
}

function compareText(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

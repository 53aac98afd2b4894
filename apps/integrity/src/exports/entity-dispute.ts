import type { DisputeSummary, EntityDispute } from '#contracts/integrity/entity-dispute.js';
import { claimWindow } from '../claims/claim-window.js';
import { DETECTORS, SEVERITIES, type ChannelStanding } from '../detection/traffic.js';
import type { Entity, EntitySessions, EntityVerdict } from './entity-source.js';
import { networkAround } from './read-blocked.js';

export interface DisputeParts {
  entity: Entity;
  sessions: EntitySessions;
  /** Suspected and above. */
  verdicts: readonly EntityVerdict[];
  timezone: string;
  standing(channel: string, unpaid: boolean): ChannelStanding;
  organisationOf(asn: number): string | null;
  evidence: Pick<DisputeSummary, 'estimated_wasted' | 'sample_ips' | 'evidence_hash' | 'chain_verified'>;
}

/** What is known of an entity in a range (integrity.md 9.4). */
export function entityDispute(parts: DisputeParts): EntityDispute {
  const { entity, sessions, verdicts, evidence } = parts;
  const strongest = verdicts.reduce<EntityVerdict | undefined>(
    (best, verdict) => (best === undefined || isStronger(verdict, best) ? verdict : best),
    undefined,
  );
  const flagged = verdicts.filter(({ severity }) => severity === 'likely' || severity === 'confirmed');
  const asn = entity.type === 'asn' ? Number(entity.key) : (strongest ?? sessions).asn;
  return {
    summary: {
      entity_id: entity.id,
      entity_type: entity.type,
      network: networkOf(entity),
      asn,
      asn_org: strongest?.asnOrg ?? (asn === null ? null : parts.organisationOf(asn)),
      network_type: (strongest ?? sessions).networkType,
      severity: strongest?.severity ?? 'clean',
      ivt_class: strongest?.ivtClass ?? null,
      score: strongest?.p ?? 0,
      ...windowOf(flagged.length > 0 ? flagged : verdicts, parts),
      sessions: sum(sessions.channels, (channel) => channel.sessions),
      paid_sessions: sum(sessions.channels, ({ channel, unpaid, sessions: count }) =>
        parts.standing(channel, unpaid) === 'paid' ? count : 0,
      ),
      flagged_sessions: sum(flagged, ({ flaggedSessions }) => flaggedSessions),
      distinct_visitors: sessions.visitors,
      distinct_ips: sessions.hosts,
      conversions: sum(sessions.channels, ({ conversions }) => conversions),
      channels: channelsOf(flagged),
      estimated_wasted: evidence.estimated_wasted,
      sample_ips: evidence.sample_ips,
      detector_version: strongest?.detectorVersion ?? null,
      evidence_hash: evidence.evidence_hash,
      chain_verified: evidence.chain_verified,
    },
    reasons: (strongest?.reasons ?? []).map(({ code, sentence }) => ({ code, sentence })),
    detectors: DETECTORS.map((detector, place) => ({ detector, score: strongest?.scores[place] ?? 0 })),
  };
}

/** The range's strongest window: highest severity, then highest score, then latest. */
function isStronger(a: EntityVerdict, b: EntityVerdict): boolean {
  const severity = SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity);
  if (severity !== 0) return severity > 0;
  if (a.p !== b.p) return a.p > b.p;
  return a.day === b.day ? a.seq > b.seq : a.day > b.day;
}

function networkOf({ type, key }: Entity): string | null {
  if (type === 'network') return key;
  return type === 'host' ? networkAround(key) : null;
}

/** Days with evidence; of an entity without any the days of its sessions. */
function windowOf(
  verdicts: readonly EntityVerdict[],
  { sessions, timezone }: DisputeParts,
): Pick<DisputeSummary, 'window_from' | 'window_to'> {
  const days = verdicts.map(({ day }) => day).sort();
  const { from, to } = claimWindow(days[0] ?? sessions.firstDay, days.at(-1) ?? sessions.lastDay, timezone);
  return { window_from: from, window_to: to };
}

/** With flagged sessions, most first, then by name in byte order. */
function channelsOf(flagged: readonly EntityVerdict[]): DisputeSummary['channels'] {
  const counts = new Map<string, number>();
  for (const { channel, flaggedSessions } of flagged) {
    if (flaggedSessions > 0) counts.set(channel, (counts.get(channel) ?? 0) + flaggedSessions);
  }
  return [...counts]
    .sort(([a, x], [b, y]) => y - x || Buffer.compare(Buffer.from(a), Buffer.from(b)))
    .map(([channel, flaggedSessions]) => ({ channel, flagged_sessions: flaggedSessions }));
}

function sum<T>(items: readonly T[], valueOf: (item: T) => number): number {
  return items.reduce((total, item) => total + valueOf(item), 0);
}

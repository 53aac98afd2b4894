import { createHash } from 'node:crypto';
import { date } from '#ingest/sql.js';
import {
  DETECTORS,
  type ChannelStanding,
  type Detection,
  type Detector,
  type TrafficSession,
} from '../detection/traffic.js';
import { canonicalJson } from '../ledger/canonical-json.js';
import { leafHash, merkleRoot } from '../ledger/merkle.js';
import type { DetectionPayload } from '../ledger/payloads.js';
import { compareAddresses } from '../networks/address-order.js';

const MOST_SAMPLES = 10;
const MOST_TEXT = 256;

/** An address whose commitment stands in an entry. */
export interface Sample {
  address: string;
  /** Sessions of the entry that count and came from it. */
  flagged: number;
}

/** true: paid; false: unpaid; null: nothing is known. */
export function paidOf(standing: ChannelStanding): boolean | null {
  return standing === 'unmatched' ? null : standing === 'paid';
}

/** Addresses of the sessions that count, most sessions first, ties by address. */
export function samplesOf({ flagged }: Detection): Sample[] {
  const counts = new Map<string, number>();
  for (const { host } of flagged) if (host !== '') counts.set(host, (counts.get(host) ?? 0) + 1);
  return [...counts]
    .map(([address, sessions]) => ({ address, flagged: sessions }))
    .sort((a, b) => b.flagged - a.flagged || compareAddresses(a.address, b.address))
    .slice(0, MOST_SAMPLES);
}

/**
 * RFC 6962 root in hex over digests of the sessions, in the order of their keys. An address is in none of them.
 */
export function sessionsRoot({ sessions, flagged }: Pick<Detection, 'sessions' | 'flagged'>): string {
  const counted = new Set(flagged);
  const leaves = [...sessions]
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .map((session) => leafHash(Buffer.from(canonicalJson(digestOf(session, counted.has(session))))));
  return merkleRoot(leaves).toString('hex');
}

function digestOf({ key, startedAt, endedAt, events, conversions }: TrafficSession, counts: boolean): object {
  return { key, from: startedAt, to: endedAt, events, conversions, flagged: counts };
}

/** Two entries with the same content say the same: the second one is not written. Scores drift with the traffic of others. */
export function contentHash(detection: Detection, root: string): string {
  const { severity, ivtClass, counts, asn, networkType } = detection;
  const content = JSON.stringify([severity, ivtClass, Object.entries(counts).sort(), asn, networkType, root]);
  return createHash('sha256').update(content).digest('hex');
}

/** @param commitments by the place of the sample */
export function detectionPayload(
  detection: Detection,
  {
    entity,
    root,
    commitments,
    supersedes,
  }: { entity: string; root: string; commitments: [string, number][]; supersedes: number | null },
): DetectionPayload {
  const { counts, scores, window, day } = detection;
  return {
    entity,
    entity_type: detection.entityType,
    day: date(day),
    window: [date(window[0]), date(window[1])],
    channel: detection.channel,
    paid: paidOf(detection.standing),
    asn: detection.asn,
    asn_org: detection.asnOrg === null ? null : Array.from(detection.asnOrg).slice(0, MOST_TEXT).join(''),
    network_type: detection.networkType,
    severity: detection.severity,
    ivt_class: detection.ivtClass,
    p: detection.p.toFixed(4),
    counts: {
      sessions: counts.sessions,
      paid_sessions: counts.paidSessions,
      flagged_sessions: counts.flaggedSessions,
      flagged_events: counts.flaggedEvents,
      conversions: counts.conversions,
    },
    scores: Object.fromEntries(DETECTORS.map((code) => [code, scores[code].toFixed(4)])) as Record<Detector, string>,
    reasons: detection.reasons.map(({ code, observed, limit, contribution }) => ({
      code,
      observed,
      limit,
      contribution: contribution.toFixed(4),
    })),
    ip_commit: commitments,
    sessions_root: root,
    sampled: false,
    supersedes,
  };
}

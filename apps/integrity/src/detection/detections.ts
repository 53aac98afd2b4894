import { asnEntityId, hostEntityId, networkEntityId, visitorEntityId } from '../networks/network-key.js';
import { ivtClassOf, reasonsOf, scoresOf } from './combine.js';
import type { DayVerdict } from './day-verdicts.js';
import { hasHumanEvidence, isPaid } from './engagement.js';
import { LIMITS } from './limits.js';
import { isFlagged } from './severity.js';
import type { Detection, EntityType, TrafficSession } from './traffic.js';

export interface EntityRef {
  readonly type: EntityType;
  readonly key: string;
}

/**
 * What becomes of one entity on one day: a detection per channel and standing, of a visitor also per AS and network type,
 * because a refund row takes them from the session.
 *
 * @param claimed sessions that already count for another entity; those that count for this one are added. undefined: none
 *   counts, which is so for pools and for what was allowed
 */
export function detectionsOf(
  { type, key }: EntityRef,
  { day, verdict, sessions }: DayVerdict,
  assetId: string,
  claimed: Set<TrafficSession> | undefined,
): Detection[] {
  const { findings, p } = verdict.evidence;
  const common = {
    entityType: type,
    entityKey: key,
    entityId: entityIdOf({ type, key }, assetId),
    day,
    window: [verdict.lastDay - LIMITS.windowDays + 1, verdict.lastDay] as const,
    severity: verdict.severity,
    ivtClass: ivtClassOf(findings),
    p,
    scores: scoresOf(findings),
    reasons: reasonsOf(findings),
  };
  return partsOf(type, sessions).map((part) => {
    const [first] = part;
    const flagged =
      claimed === undefined || !isFlagged(verdict.severity)
        ? []
        : part.filter((session) => !claimed.has(session) && !hasHumanEvidence(session));
    for (const session of flagged) claimed?.add(session);
    const { asn, asnOrg, networkType } = type === 'visitor' && first !== undefined ? first : verdict;
    return {
      ...common,
      channel: first?.channel ?? '',
      standing: first?.standing ?? 'unmatched',
      asn,
      asnOrg,
      networkType,
      counts: {
        sessions: part.length,
        paidSessions: part.filter(isPaid).length,
        flaggedSessions: flagged.length,
        flaggedEvents: flagged.reduce((sum, { events }) => sum + events, 0),
        conversions: part.reduce((sum, { conversions }) => sum + conversions, 0),
      },
      sessions: part,
      flagged,
    };
  });
}

function entityIdOf({ type, key }: EntityRef, assetId: string): string {
  switch (type) {
    case 'network':
      return networkEntityId(key);
    case 'host':
      return hostEntityId(key);
    case 'asn':
      return asnEntityId(Number(key));
    case 'visitor':
      return visitorEntityId(assetId, key);
  }
}

function partsOf(type: EntityType, sessions: readonly TrafficSession[]): TrafficSession[][] {
  const parts = new Map<string, TrafficSession[]>();
  for (const session of sessions) {
    const { channel, standing, asn, networkType } = session;
    const key = JSON.stringify([channel, standing, ...(type === 'visitor' ? [asn, networkType] : [])]);
    const part = parts.get(key);
    if (part === undefined) parts.set(key, [session]);
    else part.push(session);
  }
  return [...parts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, part]) => part);
}

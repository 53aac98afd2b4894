import type { NetworkType } from '../../networks/network-types.js';
import { isPaid } from '../engagement.js';
import { clamp } from '../statistics.js';
import type { TrafficSession } from '../traffic.js';

/** Limits on what one address may do: many people stand behind that of a mobile carrier or of an office. */
export interface AddressLimits {
  readonly mobile: number;
  readonly office: number;
  readonly other: number;
  /** Doublings of the limit until the score is 1. */
  readonly doublings: number;
}

const OFFICES: ReadonlySet<NetworkType> = new Set(['business', 'education', 'government']);

export function limitOf(limits: AddressLimits, networkType: NetworkType): number {
  if (networkType === 'mobile') return limits.mobile;
  return OFFICES.has(networkType) ? limits.office : limits.other;
}

/** cl((log2(1 + most) − log2(1 + limit)) / doublings): 0 up to the limit, 1 at four times as much. */
export function excess(most: number, limit: number, doublings: number): number {
  return clamp((Math.log2(1 + most) - Math.log2(1 + limit)) / doublings);
}

/**
 * Paid sessions by what `keyOf` says, those groups alone that have more clicks than `moreThan`. Counted first, because
 * most networks have no such group.
 */
export function clickedSessions(
  sessions: readonly TrafficSession[],
  keyOf: (session: TrafficSession) => string,
  moreThan: number,
): TrafficSession[][] {
  const clicks = new Map<string, number>();
  let most = 0;
  for (const session of sessions) {
    if (!isPaid(session)) continue;
    const key = keyOf(session);
    const count = (clicks.get(key) ?? 0) + session.landingHits.length;
    clicks.set(key, count);
    if (count > most) most = count;
  }
  if (most <= moreThan) return [];
  const groups = new Map<string, TrafficSession[]>();
  for (const session of sessions) {
    if (!isPaid(session)) continue;
    const key = keyOf(session);
    if ((clicks.get(key) ?? 0) <= moreThan) continue;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [session]);
    else group.push(session);
  }
  return [...groups.values()];
}

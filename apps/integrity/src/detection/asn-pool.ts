import { inOrder } from './day-slices.js';
import { isEngaged, isPaid } from './engagement.js';
import type { EntityWindow } from './entity-window.js';
import type { Judge, Judgement } from './judge.js';
import { LIMITS } from './limits.js';

/** Sessions of one hosting or VPN AS in one window that are too few in each network for a verdict. */
export interface AsnPool extends Judgement {
  readonly asn: number;
  /** Networks that do what the pool does: people rent machines at the same hosters. */
  readonly alike: ReadonlySet<string>;
}

/** Small networks belong to the pool of their AS: under 10 sessions, of a hosting or VPN network. */
export function isPooled({ n, asn, networkType }: EntityWindow): boolean {
  return asn !== null && n <= LIMITS.pool.mostSessions && (networkType === 'hosting' || networkType === 'vpn');
}

/**
 * Scores the pools of a window. A slow drip over many networks shows in the pool alone; a pool of one network says nothing
 * that the network doesn't.
 *
 * @param networks windows of networks for which `isPooled` holds
 */
export function scorePools(networks: readonly EntityWindow[], judge: Judge): AsnPool[] {
  const byAsn = new Map<number, EntityWindow[]>();
  for (const network of networks) {
    if (network.asn === null) continue;
    const pooled = byAsn.get(network.asn);
    if (pooled === undefined) byAsn.set(network.asn, [network]);
    else pooled.push(network);
  }
  const pools: AsnPool[] = [];
  for (const [asn, pooled] of byAsn) {
    if (pooled.length < 2) continue;
    const sessions = inOrder(pooled.flatMap((network) => network.sessions));
    if (sessions.length < LIMITS.severity.suspected.minSessions) continue;
    const alike = new Set(pooled.filter(isAlike).map(netOf));
    pools.push({ asn, alike, ...judge('asn', sessions) });
  }
  return pools;
}

/** Nearly all of its visits are paid clicks without engagement. */
function isAlike({ sessions, n }: EntityWindow): boolean {
  const empty = sessions.filter((session) => isPaid(session) && !isEngaged(session)).length;
  return empty >= LIMITS.pool.unengagedPaid * n;
}

function netOf({ sessions }: EntityWindow): string {
  return sessions[0]?.net ?? '';
}

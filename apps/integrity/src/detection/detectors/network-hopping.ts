import { LIMITS } from '../limits.js';
import { clamp } from '../statistics.js';
import { SILENT, type DetectorFunction } from './finding.js';

/** Their addresses change under people who stay where they are. */
const CHANGING: ReadonlySet<string> = new Set(['relay', 'vpn']);

/**
 * D15, identity, SIVT, visitors only. One visitor id on many networks in a day; relays and VPNs are left out.
 *
 *     k = most networks (/24, /48) on a local day; s = cl((k − 4)/8)
 *
 * Source: own choice; home, work, mobile and a café make four. Observed and limit: networks.
 */
export const networkHopping: DetectorFunction = ({ entityType, sessions, n }) => {
  const { from, span } = LIMITS.networkHopping;
  if (entityType !== 'visitor' || n <= from) return SILENT;
  const byDay = new Map<number, Set<string>>();
  let most = 0;
  for (const { net, networkType, day } of sessions) {
    if (net === '' || CHANGING.has(networkType)) continue;
    const nets = byDay.get(day) ?? new Set();
    byDay.set(day, nets.add(net));
    most = Math.max(most, nets.size);
  }
  const score = clamp((most - from) / span);
  if (score === 0) return SILENT;
  return {
    score,
    observed: String(most),
    limit: String(from),
    sentence: `one visitor id on ${most} networks in a day`,
  };
};

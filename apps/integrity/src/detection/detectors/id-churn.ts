import { LIMITS } from '../limits.js';
import { clamp } from '../statistics.js';
import { percent, plural, SILENT, type DetectorFunction } from './finding.js';

/**
 * D12, identity, SIVT. Few addresses bring ever new visitor ids and hardly one comes back:
 *
 *     n ≥ 15; r = 1 − D/n, D = distinct visitor ids, I = distinct addresses
 *     s = cl((.12 − r)/.12) · cl(n/I/7 − .3), 7 being the days of the window
 *
 * Source: own choice; people of one home come back or share it with few others. Observed: r; limit: 12%.
 */
export const idChurn: DetectorFunction = ({ sessions, n }) => {
  const { minSessions, returning, perHostAndDay } = LIMITS.idChurn;
  if (n < minSessions) return SILENT;
  const hosts = new Set<string>();
  for (const { host } of sessions) hosts.add(host);
  if (n / hosts.size / LIMITS.windowDays <= perHostAndDay) return SILENT;
  const ids = new Set<string>();
  for (const { visitor } of sessions) ids.add(visitor);
  const back = 1 - ids.size / n;
  const score = clamp((returning - back) / returning) * clamp(n / hosts.size / LIMITS.windowDays - perHostAndDay);
  if (score === 0) return SILENT;
  const cameBack = ids.size === n ? 'none came back' : `${percent(back)} of visits came back`;
  return {
    score,
    observed: percent(back),
    limit: percent(returning),
    sentence: `${plural(ids.size, 'new visitor id')} from ${plural(hosts.size, 'address', 'addresses')}, ${cameBack}`,
  };
};

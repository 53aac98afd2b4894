import { LIMITS } from '../limits.js';
import { clamp } from '../statistics.js';
import type { TrafficSession } from '../traffic.js';
import { percent, SILENT, type DetectorFunction, type Finding } from './finding.js';

/** Addresses of these serve people of many countries. */
const EVERYWHERE: ReadonlySet<string> = new Set(['relay', 'vpn', 'cdn']);

/**
 * D14, identity, SIVT. One place in two countries.
 *
 *     network, host (not relay, VPN, CDN or mobile): c = most geo_country values in 24 h (half-open); s = cl((c − 1)/2)
 *     visitor: s = share of consecutive sessions in two countries less than 2 h apart; sessions from relays, VPNs and CDNs
 *     are left out
 *
 * Source: "impossible travel", a usual rule of account security. Observed: countries (usual 1), or that share (usual 0%).
 */
export const geoConflict: DetectorFunction = ({ entityType, sessions, networkType }) => {
  if (entityType === 'visitor') return ofVisitor(sessions);
  if (entityType === 'asn' || networkType === 'mobile' || EVERYWHERE.has(networkType)) return SILENT;
  return ofPlace(sessions);
};

function ofPlace(sessions: readonly TrafficSession[]): Finding {
  const first = sessions.find(({ country }) => country !== '')?.country;
  if (first === undefined || sessions.every(({ country }) => country === first || country === '')) return SILENT;
  const { withinMs, span } = LIMITS.geoConflict;
  const located = sessions.filter(({ country }) => country !== '');
  const inside = new Map<string, number>();
  let low = 0;
  let most = 0;
  for (const { country, startedAt } of located) {
    inside.set(country, (inside.get(country) ?? 0) + 1);
    for (let left = located[low]; left !== undefined && startedAt - left.startedAt >= withinMs; left = located[++low]) {
      const count = (inside.get(left.country) ?? 0) - 1;
      if (count === 0) inside.delete(left.country);
      else inside.set(left.country, count);
    }
    most = Math.max(most, inside.size);
  }
  const score = clamp((most - 1) / span);
  if (score === 0) return SILENT;
  return {
    score,
    observed: String(most),
    limit: '1',
    sentence: `visitors from ${most} countries within 24 h`,
  };
}

function ofVisitor(sessions: readonly TrafficSession[]): Finding {
  const located = sessions.filter(({ country, networkType }) => country !== '' && !EVERYWHERE.has(networkType));
  let conflicts = 0;
  let example: { from: string; to: string; apart: number } | undefined;
  let before: TrafficSession | undefined;
  for (const session of located) {
    if (before !== undefined && before.country !== session.country) {
      const apart = Math.max(0, session.startedAt - before.endedAt);
      if (apart < LIMITS.geoConflict.visitorWithinMs) {
        conflicts++;
        if (example === undefined || apart < example.apart)
          example = { from: before.country, to: session.country, apart };
      }
    }
    before = session;
  }
  if (example === undefined) return SILENT;
  const share = conflicts / (located.length - 1);
  return {
    score: share,
    observed: percent(share),
    limit: percent(0),
    sentence: `visitor in ${example.from} and ${example.to} within ${Math.ceil(example.apart / 60_000)} min`,
  };
}

import { isPaid } from './engagement.js';
import type { Judge, Judgement } from './judge.js';
import { LIMITS } from './limits.js';
import { isFlagged, lower } from './severity.js';
import type { Severity, TrafficSession } from './traffic.js';

/**
 * Guard 2, host before network. What is left of the severity of a flagged home or office network when hosts of it carry
 * the evidence: it stays if no other host had a session, or if the others are flagged by themselves; else it is
 * `suspected`, because the rest are people. While the others have fewer than 10% of the sessions it is enough that they are
 * suspected. When no host has enough sessions for a verdict, the host with most clicks is taken out instead, and the
 * network stays if the rest is suspected or under 10%.
 *
 * Whether files list the network all the same is a question of guard 3, asked over all days of a range.
 */
export function severityBesideHosts(
  { window, severity }: Judgement,
  flaggedHosts: ReadonlySet<string>,
  judge: Judge,
): Severity {
  if (!isFlagged(severity)) return severity;
  const carriers = flaggedHosts.size > 0 ? flaggedHosts : new Set([busiestHost(window.sessions)]);
  const rest = window.sessions.filter(({ host }) => !carriers.has(host));
  if (rest.length === 0) return severity;
  const isSmall = rest.length < LIMITS.guards.mostUnflagged * window.n;
  const ofRest = judge('network', rest).severity;
  const holds =
    flaggedHosts.size === 0 ? isSmall || ofRest !== 'clean' : isFlagged(ofRest) || (isSmall && ofRest !== 'clean');
  return holds ? severity : lower(severity, 'suspected');
}

function busiestHost(sessions: readonly TrafficSession[]): string {
  const clicks = new Map<string, number>();
  for (const session of sessions) {
    // A thousandth for a session that is no click, so that hosts without clicks have an order, too.
    const weight = (isPaid(session) ? session.landingHits.length : 0) + 0.001;
    clicks.set(session.host, (clicks.get(session.host) ?? 0) + weight);
  }
  let busiest = { host: '', clicks: -1 };
  for (const [host, count] of clicks) {
    if (count > busiest.clicks || (count === busiest.clicks && host < busiest.host)) busiest = { host, clicks: count };
  }
  return busiest.host;
}

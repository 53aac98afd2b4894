import { isPaid } from './engagement.js';
import type { Judge, Judgement } from './judge.js';
import { LIMITS } from './limits.js';
import { isFlagged, lower } from './severity.js';
import type { Severity, TrafficSession } from './traffic.js';

/**
 * Guard 2, host before network. What is left of the severity of a flagged home or office network when hosts of it carry
 * the evidence: it stays if fewer than 10% of its sessions are from other hosts (guard 3), or if these others are flagged
 * by themselves; else it is `suspected`, because the rest are people. When no host has enough sessions for a verdict, the
 * host with most clicks is taken out, and the rest has to be `suspected` at least.
 */
export function severityBesideHosts(
  { window, severity }: Judgement,
  flaggedHosts: ReadonlySet<string>,
  judge: Judge,
): Severity {
  if (!isFlagged(severity)) return severity;
  const carriers = flaggedHosts.size > 0 ? flaggedHosts : new Set([busiestHost(window.sessions)]);
  const rest = window.sessions.filter(({ host }) => !carriers.has(host));
  if (rest.length < LIMITS.guards.mostUnflagged * window.n) return severity;
  const ofRest = judge('network', rest).severity;
  const holds = flaggedHosts.size > 0 ? isFlagged(ofRest) : ofRest !== 'clean';
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

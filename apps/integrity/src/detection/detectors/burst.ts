import type { EntityWindow } from '../entity-window.js';
import { isPaid } from '../engagement.js';
import { LIMITS } from '../limits.js';
import { clamp, densestSpan } from '../statistics.js';
import type { TrafficSession } from '../traffic.js';
import { percent, SILENT, wholePercent, type DetectorFunction } from './finding.js';

/**
 * D11, activity, GIVT. Most paid visits of the window fall into 20 minutes in which others do not come as well:
 *
 *     m ≥ 50; share of the paid sessions in the densest 20 min (half-open), less the share of the asset's other paid
 *     sessions in the same 20 min: s = cl((share − asset share − .3)/.4)
 *
 * The asset's share is that of the baseline sample without the entity, so that neither the entity nor hosting networks
 * excuse themselves. Observed and usual: shares.
 */
export const burst: DetectorFunction = (window, baseline) => {
  const { minPaid, withinMs, from, span } = LIMITS.burst;
  if (window.paid < minPaid) return SILENT;
  const times = window.sessions.filter(isPaid).map(({ startedAt }) => startedAt);
  const { count, first } = densestSpan(times, withinMs);
  const share = count / times.length;
  const start = times[first] ?? 0;
  if (share <= from) return SILENT;
  const usual = baseline.paidShare(start, start + withinMs, isOwn(window));
  const score = clamp((share - usual - from) / span);
  if (score === 0) return SILENT;
  const minutes = Math.max(1, Math.ceil(((times[first + count - 1] ?? start) - start) / 60_000));
  return {
    score,
    observed: percent(share),
    limit: percent(usual),
    sentence: `${wholePercent(share)} of visits inside ${minutes === 1 ? '1 minute' : `${minutes} minutes`}`,
  };
};

function isOwn({ entityType, sessions }: EntityWindow): (session: TrafficSession) => boolean {
  const [own] = sessions;
  switch (entityType) {
    case 'network':
      return ({ net }) => net === own?.net;
    case 'host':
      return ({ host }) => host === own?.host;
    case 'visitor':
      return ({ visitor }) => visitor === own?.visitor;
    case 'asn':
      return ({ asn }) => asn === own?.asn;
  }
}

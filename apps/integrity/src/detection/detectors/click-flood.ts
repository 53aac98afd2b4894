import { LIMITS } from '../limits.js';
import { densestSpan } from '../statistics.js';
import { clickedSessions, excess, limitOf } from './clicks.js';
import { SILENT, type DetectorFunction } from './finding.js';

/**
 * D03, activity, GIVT. Many clicks from one address in one hour; a click is a page view of the landing path in a paid
 * session, because clicks within 30 minutes melt into one session.
 *
 *     mx = most clicks per host in any sliding hour (half-open)
 *     s  = cl((log2(1 + mx) − log2(1 + lim)) / 2), lim = 40 mobile, 25 business, education, government, else 8
 *
 * Source: own choice above the limits that click-fraud products publish (ClickCease: 3 clicks per address in 90 days;
 * Spider AF: 10 clicks in 24 h). Observed and limit: clicks.
 */
export const clickFlood: DetectorFunction = ({ sessions, clicks, networkType }) => {
  const { withinMs, doublings } = LIMITS.clickFlood;
  const limit = limitOf(LIMITS.clickFlood, networkType);
  if (clicks <= limit) return SILENT;
  let most = 0;
  for (const ofHost of clickedSessions(sessions, ({ host }) => host, limit)) {
    const times = ofHost.flatMap(({ landingHits }) => landingHits).sort((a, b) => a - b);
    most = Math.max(most, densestSpan(times, withinMs).count);
  }
  const score = excess(most, limit, doublings);
  if (score === 0) return SILENT;
  return {
    score,
    observed: String(most),
    limit: String(limit),
    sentence: `${most} paid clicks from one address in one hour (limit ${limit})`,
  };
};

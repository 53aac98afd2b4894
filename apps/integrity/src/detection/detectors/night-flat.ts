import { isNight } from '../baseline.js';
import { LIMITS } from '../limits.js';
import { clamp } from '../statistics.js';
import { percent, SILENT, wholePercent, type DetectorFunction } from './finding.js';

/**
 * D09, time, SIVT. More visits at night than the hours of the channel and class let expect:
 *
 *     n ≥ 20; q = usual share of 01 to 06 h (local, of the session's channel and class)
 *     z = (visits from 01:00 to 05:59 − Σq) / √(Σq(1 − q) + .25); s = cl((z − 2.5)/4)
 *
 * Source: as D05. Observed and usual: shares of the visits.
 */
export const nightFlat: DetectorFunction = ({ sessions, n }, baseline) => {
  const { minSessions, from, span, variance: extra } = LIMITS.nightFlat;
  if (n < minSessions) return SILENT;
  let nights = 0;
  let expected = 0;
  let variance = extra;
  for (const { channel, uaClass, hour } of sessions) {
    if (isNight(hour)) nights++;
    const chance = baseline.nightShare(channel, uaClass);
    expected += chance;
    variance += chance * (1 - chance);
  }
  const score = clamp(((nights - expected) / Math.sqrt(variance) - from) / span);
  if (score === 0) return SILENT;
  return {
    score,
    observed: percent(nights / n),
    limit: percent(expected / n),
    sentence: `${wholePercent(nights / n)} of visits between 01 and 06 h (usual ${wholePercent(expected / n)})`,
  };
};

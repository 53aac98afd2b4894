import { LIMITS } from '../limits.js';
import { clamp } from '../statistics.js';
import { percent, SILENT, wholePercent, type DetectorFunction } from './finding.js';

/**
 * D16, activity, supports other evidence and decides no class. Hardly a visit that was not a paid click:
 *
 *     n ≥ 8; z = (m − n/2) / √(n/4); s = cl((z − 2.5)/5) · cl((m/n − .7)/.3)
 *
 * Times cl((1 − q)/.1), q = paid share of the baseline: where all people come by paid clicks it tells nothing. Source: sign test. Observed: share of paid visits; limit: 70%.
 */
export const paidOnly: DetectorFunction = ({ n, paid }, { paidShareOfAll }) => {
  const { minSessions, zFrom, zSpan, shareFrom, shareSpan, unpaidOfBaseline } = LIMITS.paidOnly;
  if (n < minSessions) return SILENT;
  const z = (paid - n / 2) / Math.sqrt(n / 4);
  const share = paid / n;
  const usual = clamp((1 - paidShareOfAll) / unpaidOfBaseline);
  const score = usual * clamp((z - zFrom) / zSpan) * clamp((share - shareFrom) / shareSpan);
  if (score === 0) return SILENT;
  return {
    score,
    observed: percent(share),
    limit: percent(shareFrom),
    sentence: paid === n ? 'every visit was a paid click' : `${wholePercent(share)} of visits were paid clicks`,
  };
};

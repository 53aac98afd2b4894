import { isEngaged, isPaid } from '../engagement.js';
import { LIMITS } from '../limits.js';
import { clamp } from '../statistics.js';
import { percent, SILENT, type DetectorFunction } from './finding.js';

/**
 * D05, behaviour, SIVT. More paid visits than usual leave without engagement; a conversion, a second path, or another
 * event and ten seconds are engagement. p0 is what is usual for the channel and class of each session.
 *
 *     m ≥ 5; ne = unengaged paid sessions; z = (ne − Σp0) / √(Σp0(1 − p0) + .25)
 *     s = cl((z − 2)/4) · cl((ne/m − mean p0)/.3)
 *
 * Source: normal approximation of the Poisson binomial distribution. Observed and usual: shares of the paid visits.
 */
export const noEngagement: DetectorFunction = ({ sessions, paid }, baseline) => {
  const { minPaid, zFrom, zSpan, shareSpan, variance: extra } = LIMITS.noEngagement;
  if (paid < minPaid) return SILENT;
  let unengaged = 0;
  let expected = 0;
  let variance = extra;
  for (const session of sessions) {
    if (!isPaid(session)) continue;
    if (!isEngaged(session)) unengaged++;
    const chance = baseline.bounceRate(session.channel, session.uaClass);
    expected += chance;
    variance += chance * (1 - chance);
  }
  const z = (unengaged - expected) / Math.sqrt(variance);
  const share = unengaged / paid;
  const usual = expected / paid;
  const score = clamp((z - zFrom) / zSpan) * clamp((share - usual) / shareSpan);
  if (score === 0) return SILENT;
  return {
    score,
    observed: percent(share),
    limit: percent(usual),
    sentence: `${percent(share)} of paid visits had no engagement (usual ${percent(usual)})`,
  };
};

import { LIMITS } from '../limits.js';
import { clamp } from '../statistics.js';
import { percent, SILENT, type DetectorFunction } from './finding.js';

/**
 * D06, behaviour, SIVT. Nobody converts where some should: the chance of that is (1 − c0)^m.
 *
 *     m ≥ 10 and no conversion: s = cl(−m·log10(1 − c0) / 2.5), so that s = 1 at a chance of 0.3%
 *
 * c0: the asset's conversion rate over paid sessions. Silent when nobody on the asset converts. Source: binomial
 * distribution. Observed: 0 conversions; usual: the expected number of them.
 */
export const conversionVoid: DetectorFunction = ({ paid, converted }, { conversionRate }) => {
  const { minPaid, decades } = LIMITS.conversionVoid;
  if (paid < minPaid || converted > 0 || conversionRate === undefined) return SILENT;
  const exponent = paid * Math.log10(1 - Math.min(conversionRate, 0.999));
  const chance = 10 ** exponent;
  return {
    score: clamp(-exponent / decades),
    observed: '0',
    limit: (paid * conversionRate).toFixed(2),
    sentence: `no conversion in ${paid} paid visits, chance ${chance < 0.001 ? 'under 0.1%' : percent(chance)}`,
  };
};

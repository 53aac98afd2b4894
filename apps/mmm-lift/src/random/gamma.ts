import type { Random } from './random.js';

// Constants: in the sandbox of the tests each look-up of a global costs more than the function itself.
const { exp, log, sqrt } = Math;

/**
 * A gamma variate of shape k > 0 and scale 1: G. Marsaglia and W. W. Tsang, "A simple method for generating gamma variables"
 * (2000); below shape 1 by Gamma(k + 1) · u^(1/k).
 */
export function gamma(random: Random, k: number): number {
  if (!(k > 0)) throw new RangeError(`The shape ${k} of a gamma distribution is not positive.`);
  if (k < 1) return gamma(random, k + 1) * exp(log(random.uniform()) / k);
  const d = k - 1 / 3;
  const c = 1 / sqrt(9 * d);
  for (;;) {
    const x = random.normal();
    const t = 1 + c * x;
    if (t <= 0) continue;
    const v = t * t * t;
    if (log(random.uniform()) < 0.5 * x * x + d - d * v + d * log(v)) return d * v;
  }
}

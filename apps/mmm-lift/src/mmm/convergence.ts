import { sharesOf, type Draws } from './draws.js';
import { meanOf, standardDeviation } from './problem.js';

/** R̂ from which on chains are not taken for converged. */
export const MOST_RHAT = 1.05;
/** Shares below it are as good as none. */
const LEAST_SHARE = 1e-4;
/** In place of infinity, when no chain moves and they disagree. */
const STUCK = 1000;

/**
 * The potential scale reduction R̂ = √((W(N−1)/N + B)/W) of ln max(share, 10⁻⁴) (A. Gelman and D. Rubin, 1992), W the mean of the
 * chains' variances, B the variance of their means, N draws a chain.
 */
export function rhat(draws: Draws, channel: number): number {
  const logs = sharesOf(draws, channel).map((share) => Math.log(Math.max(share, LEAST_SHARE)));
  const { chains, length } = draws;
  const means = new Float64Array(chains);
  const variances = new Float64Array(chains);
  for (let chain = 0; chain < chains; chain += 1) {
    const values = logs.subarray(chain * length, (chain + 1) * length);
    const mean = meanOf(values);
    const sd = standardDeviation(values, mean);
    means[chain] = mean;
    variances[chain] = sd * sd;
  }
  const within = meanOf(variances);
  const spread = standardDeviation(means, meanOf(means));
  const between = spread * spread;
  if (within === 0) return between === 0 ? 1 : STUCK;
  return Math.min(Math.sqrt(((within * (length - 1)) / length + between) / within), STUCK);
}

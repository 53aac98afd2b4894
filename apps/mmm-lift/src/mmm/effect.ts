import { at, dot } from '../linalg/dot.js';
import { logNormalCdf, logNormalMass } from '../random/log-normal-cdf.js';
import type { Random } from '../random/random.js';
import { truncatedNormal } from '../random/truncated-normal.js';
import { GRID, LOG_PRIOR } from './grid.js';

// Constants: in the sandbox of the tests each look-up of a global costs more than the function itself.
const { exp, log, sqrt, min, max } = Math;

/** Probability that a channel has no effect. */
const NO_EFFECT = 0.1;
export const LOG_ODDS_NO_EFFECT = log(NO_EFFECT / (1 - NO_EFFECT));
const HALF_LOG_2PI = 0.5 * log(2 * Math.PI);
/** The likelihood is taken to this power against misspecification. */
const TEMPER = 0.8;
/** Standard deviations beyond which the normal distribution has nothing that a double shows beside 1. */
const FAR = 8.5;
/** b² − a² from which on the tail beyond b is nothing beside that beyond a > 0. */
const FAR_SQUARES = 80;
/** Outcomes that are so much less likely than another in logarithms are never drawn: e⁻⁴⁵ is below the grain of a draw. */
const HOPELESS = 45;

/** A channel against what the others leave, and what lift tests say of it. */
export interface EffectData {
  /** Whitened profiles, a row for each grid point, and their squared lengths. */
  readonly m: Float64Array;
  readonly a: Float64Array;
  /** Σ (g_j/se_j)² and Σ g_j·value_j/se_j² over its tests, by grid point; undefined without tests. */
  readonly testPrecision: Float64Array | undefined;
  readonly testPull: Float64Array | undefined;
}

/** A drawn effect; without one `point` is `NO_POINT` and the share 0. */
export interface Effect {
  point: number;
  share: number;
}

export const NO_POINT = GRID.length;

/**
 * Draws a channel's transformation and share given all else, its share integrated out of the first: the likelihood of each grid
 * point is a truncated Gaussian integral,
 *
 *     ℓ_g = μ²/(2v) + ½ ln v + ln[Φ((U−μ)/√v) − Φ(−μ/√v)] − ln s + ½ ln 2π + ln p(θ_g)
 *
 * with H = .8·a_g/σ² + tests, B = .8·(m_g·e)/σ² + tests − λ, v = 1/H, μ = B·v, against ln(π₀/(1−π₀)) of no effect.
 */
export class EffectSampler {
  private readonly logs = new Float64Array(GRID.length);
  private readonly means = new Float64Array(GRID.length);
  private readonly variances = new Float64Array(GRID.length);
  private readonly drawn: Effect = { point: NO_POINT, share: 0 };

  /**
   * @param n length of the residual
   */
  constructor(private readonly n: number) {}

  /**
   * @param residual whitened, with this channel's contribution added back
   * @param logScale ln s_c, the prior mean of the share
   * @param upper what the other channels leave of the largest sum of shares
   * @returns reused by the next call
   */
  draw(
    data: EffectData,
    residual: Float64Array,
    sigma2: number,
    logScale: number,
    upper: number,
    random: Random,
  ): Effect {
    const weights = this.logWeights(data, residual, sigma2, logScale, upper);
    let best = LOG_ODDS_NO_EFFECT;
    for (let g = 0; g < NO_POINT; g += 1) best = max(best, at(weights, g));
    let total = exp(LOG_ODDS_NO_EFFECT - best);
    for (let g = 0; g < NO_POINT; g += 1) {
      const weight = exp(at(weights, g) - best);
      weights[g] = weight;
      total += weight;
    }
    let left = random.uniform() * total;
    let point = 0;
    while (point < NO_POINT && left >= at(weights, point)) {
      left -= at(weights, point);
      point += 1;
    }
    this.drawn.point = point;
    this.drawn.share =
      point === NO_POINT ? 0 : truncatedNormal(random, at(this.means, point), sqrt(at(this.variances, point)), upper);
    return this.drawn;
  }

  /**
   * ℓ_g of each grid point, −∞ where it is hopeless.
   *
   * @returns reused by the next call
   */
  logWeights(data: EffectData, residual: Float64Array, sigma2: number, logScale: number, upper: number): Float64Array {
    const { n, logs, means, variances } = this;
    const { m, a, testPrecision, testPull } = data;
    const factor = TEMPER / sigma2;
    const rate = exp(-logScale) + 1;
    let best = LOG_ODDS_NO_EFFECT;
    for (let g = 0; g < NO_POINT; g += 1) {
      let precision = factor * at(a, g);
      let pull = factor * dot(m, g * n, residual, 0, n) - rate;
      if (testPrecision !== undefined && testPull !== undefined) {
        precision += at(testPrecision, g);
        pull += at(testPull, g);
      }
      const variance = 1 / precision;
      const mean = pull * variance;
      means[g] = mean;
      variances[g] = variance;
      const constant = HALF_LOG_2PI - logScale + at(LOG_PRIOR, g);
      const whole = 0.5 * mean * pull + 0.5 * log(variance);
      // For B < 0 the integral is at most 1/|B|: a bound for a tenth of the price.
      const most = pull < 0 ? min(whole, -log(-pull) - HALF_LOG_2PI) : whole;
      logs[g] = most + constant < best - HOPELESS ? -Infinity : whole + logMass(mean, variance, upper) + constant;
      if (at(logs, g) > best) best = at(logs, g);
    }
    return logs;
  }
}

/** ln[Φ((U−μ)/√v) − Φ(−μ/√v)], with less work where U takes nothing away. */
function logMass(mean: number, variance: number, upper: number): number {
  const sd = sqrt(variance);
  const a = -mean / sd;
  const b = (upper - mean) / sd;
  if (b > FAR && (a < 0 || b * b - a * a > FAR_SQUARES)) return a < -FAR ? 0 : logNormalCdf(-a);
  return logNormalMass(a, b);
}

import { addScaled, at, dot } from '../linalg/dot.js';
import type { Random } from '../random/random.js';
import type { Draws } from './draws.js';
import { EffectSampler, NO_POINT, type EffectData } from './effect.js';
import { RHO_PRIOR, RHOS } from './level.js';
import type { Problem } from './problem.js';
import { drawMean, LOG_MEAN, updateLogScale, updateTau } from './scale-updates.js';
import type { TestRow } from './test-rows.js';
import type { Whitened } from './whitened.js';

/** Most of the target that all media bring together: the baseline is never negative. */
const MOST_MEDIA = 0.95;
const LEAST_ROOM = 1e-6;
const NOISE_SHAPE = 0.01;
const NOISE_SCALE = 1e-6;
const START = { sigma2: 0.02, tau: 0.5, spread: 0.5, media: 0.6 };

/** One chain of the collapsed Gibbs sampler. It can be run on after it has been run. */
export class Chain {
  private readonly n: number;
  private readonly count: number;
  private readonly effects: EffectSampler;
  /** By speed of the baseline and channel. */
  private readonly data: readonly (readonly EffectData[])[];
  private readonly order: Int32Array;
  private readonly share: Float64Array;
  private readonly point: Uint16Array;
  private readonly logScale: Float64Array;
  private readonly residual: Float64Array;
  private readonly candidate: Float64Array;
  private rho: number;
  private sigma2 = START.sigma2;
  private tau = START.tau;
  private mean: number;

  /**
   * @param tests those that the model may know
   * @param index of the chain, which decides where it starts
   */
  constructor(
    private readonly problem: Problem,
    private readonly whitened: readonly Whitened[],
    tests: readonly TestRow[],
    private readonly random: Random,
    index: number,
  ) {
    const { channels, likelihood } = problem;
    this.n = likelihood.length;
    this.count = channels.length;
    this.effects = new EffectSampler(this.n);
    const known = channels.map((_, channel) => testSums(tests.filter((test) => test.channel === channel)));
    this.data = whitened.map(({ m, a }) =>
      channels.map((_, c) => ({
        m: m[c] ?? new Float64Array(),
        a: a[c] ?? new Float64Array(),
        testPrecision: known[c]?.precision,
        testPull: known[c]?.pull,
      })),
    );
    this.order = Int32Array.from(channels, (_, c) => c);
    this.share = new Float64Array(this.count);
    this.point = new Uint16Array(this.count);
    this.logScale = new Float64Array(this.count);
    this.residual = new Float64Array(this.n);
    this.candidate = new Float64Array(this.n);
    this.rho = index % RHOS.length;
    this.mean = LOG_MEAN + START.spread * random.normal();
    channels.forEach(({ logWeight }, c) => {
      const logScale = this.mean + logWeight;
      this.logScale[c] = logScale;
      this.point[c] = random.below(NO_POINT);
      this.share[c] = Math.min(Math.exp(logScale) * (0.3 + 1.4 * random.uniform()), START.media / this.count);
    });
    this.residualAt(this.rho, this.residual);
  }

  /** Sweeps whose draws nobody keeps. */
  skip(sweeps: number): void {
    for (let sweep = 0; sweep < sweeps; sweep += 1) this.sweep();
  }

  /**
   * Sweeps and keeps each draw.
   *
   * @param from index of the first draw
   * @param seen is shown the whitened residual and σ² after each sweep
   */
  keep(draws: Draws, from: number, length: number, seen?: (residual: Float64Array, sigma2: number) => void): void {
    for (let draw = from; draw < from + length; draw += 1) {
      this.sweep();
      draws.share.set(this.share, draw * this.count);
      draws.point.set(this.point, draw * this.count);
      draws.rho[draw] = this.rho;
      draws.sigma2[draw] = this.sigma2;
      seen?.(this.residual, this.sigma2);
    }
  }

  private sweep(): void {
    this.shuffle();
    for (const channel of this.order) this.updateChannel(channel);
    this.updateHierarchy();
    const squares = dot(this.residual, 0, this.residual, 0, this.n);
    this.sigma2 = (0.5 * squares + NOISE_SCALE) / this.random.gamma(this.n / 2 + NOISE_SHAPE);
    this.updateRho();
  }

  private shuffle(): void {
    for (let last = this.count - 1; last > 0; last -= 1) {
      const other = this.random.below(last + 1);
      const moved = this.order[last] as number;
      this.order[last] = this.order[other] as number;
      this.order[other] = moved;
    }
  }

  private updateChannel(c: number): void {
    const data = this.data[this.rho]?.[c];
    if (data === undefined) return;
    const { n, random, share, residual } = this;
    const old = this.point[c] as number;
    if (old !== NO_POINT) addScaled(residual, at(share, c), data.m, old * n, n);
    let others = 0;
    for (let k = 0; k < this.count; k += 1) if (k !== c) others += at(share, k);
    const upper = Math.max(MOST_MEDIA - others, LEAST_ROOM);
    const centre = this.mean + (this.problem.channels[c]?.logWeight ?? 0);
    const drawn = this.effects.draw(data, residual, this.sigma2, at(this.logScale, c), upper, random);
    share[c] = drawn.share;
    this.point[c] = drawn.point;
    if (drawn.point === NO_POINT) {
      this.logScale[c] = centre + this.tau * random.normal();
      return;
    }
    addScaled(residual, -drawn.share, data.m, drawn.point * n, n);
    this.logScale[c] = updateLogScale(random, at(this.logScale, c), drawn.share, centre, this.tau);
  }

  private updateHierarchy(): void {
    const distances: number[] = [];
    this.problem.channels.forEach(({ logWeight }, c) => {
      if (this.point[c] !== NO_POINT) distances.push(at(this.logScale, c) - logWeight);
    });
    this.mean = drawMean(this.random, distances, this.tau);
    this.tau = updateTau(this.random, this.tau, distances, this.mean);
  }

  /** ln weight = ln prior − ½ ln det V − ½ o·o/σ² with o = L⁻¹r. */
  private updateRho(): void {
    const logs = this.whitened.map(({ logDet }, rho) => {
      this.residualAt(rho, this.candidate);
      const squares = dot(this.candidate, 0, this.candidate, 0, this.n);
      return Math.log(RHO_PRIOR[rho] ?? 0) - 0.5 * logDet - (0.5 * squares) / this.sigma2;
    });
    const best = Math.max(...logs);
    const weights = logs.map((log) => Math.exp(log - best));
    let left = this.random.uniform() * weights.reduce((sum, weight) => sum + weight, 0);
    let rho = 0;
    while (rho < weights.length - 1 && left >= (weights[rho] ?? 0)) {
      left -= weights[rho] ?? 0;
      rho += 1;
    }
    this.rho = rho;
    this.residualAt(rho, this.residual);
  }

  /** L⁻¹(y − Σ q·h) at a speed of the baseline. */
  private residualAt(rho: number, out: Float64Array): void {
    const whitened = this.whitened[rho];
    if (whitened === undefined) return;
    out.set(whitened.y);
    for (let c = 0; c < this.count; c += 1) {
      const point = this.point[c] as number;
      const m = whitened.m[c];
      if (point !== NO_POINT && m !== undefined) addScaled(out, -at(this.share, c), m, point * this.n, this.n);
    }
  }
}

/** Σ (g/se)² and Σ g·value/se² over the tests of a channel. */
function testSums(tests: readonly TestRow[]): { precision: Float64Array; pull: Float64Array } | undefined {
  if (tests.length === 0) return undefined;
  const precision = new Float64Array(NO_POINT);
  const pull = new Float64Array(NO_POINT);
  for (const { g, test } of tests) {
    for (let point = 0; point < NO_POINT; point += 1) {
      const standardised = at(g, point) / test.se;
      precision[point] = at(precision, point) + standardised * standardised;
      pull[point] = at(pull, point) + (standardised * test.value) / test.se;
    }
  }
  return { precision, pull };
}

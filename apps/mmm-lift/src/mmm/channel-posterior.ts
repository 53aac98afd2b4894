import { at } from '../linalg/dot.js';
import { quantile } from '../linalg/quantile.js';
import type { Draws } from './draws.js';
import { NO_POINT } from './effect.js';
import { GRID } from './grid.js';
import { meanOf, type FittedChannel } from './problem.js';

/** A mean with its 90 % interval. */
export interface Estimate {
  readonly mean: number;
  readonly low: number;
  readonly high: number;
}

/** @param values unsorted */
export function estimate(values: Float64Array): Estimate {
  const sorted = values.slice().sort();
  return { mean: meanOf(values), low: quantile(sorted, 0.05), high: quantile(sorted, 0.95) };
}

/** The draws of one channel. */
export class ChannelPosterior {
  readonly shares: Float64Array;
  private readonly points: Uint16Array;

  constructor(
    private readonly channel: FittedChannel,
    draws: Draws,
    index: number,
  ) {
    const length = draws.chains * draws.length;
    this.shares = Float64Array.from({ length }, (_, draw) => draws.share[draw * draws.channels + index] ?? 0);
    this.points = Uint16Array.from({ length }, (_, draw) => draws.point[draw * draws.channels + index] ?? NO_POINT);
  }

  /** Part of the draws with an effect. */
  get pEffect(): number {
    return this.points.reduce((sum, point) => sum + (point === NO_POINT ? 0 : 1), 0) / this.points.length;
  }

  /** Mean carry-over over the draws with an effect; 0 without any. */
  get meanAlpha(): number {
    const effects = this.points.filter((point) => point !== NO_POINT);
    return effects.length === 0
      ? 0
      : effects.reduce((sum, point) => sum + (GRID[point]?.alpha ?? 0), 0) / effects.length;
  }

  /** Share times elasticity: what 1 % more spend adds, in percent of the target. */
  marginalShares(): Float64Array {
    return this.times((point) => this.channel.response.elasticity(point));
  }

  /** The share had the spend been a multiple of what it was: q·ΣF(x·A)/ΣF(A). */
  sharesAt(multiple: number): Float64Array {
    const { response } = this.channel;
    return this.times((point) => response.sum(point, multiple) / response.sum(point));
  }

  /** Each share times a factor of its grid point. */
  private times(factorOf: (point: (typeof GRID)[number]) => number): Float64Array {
    const factors = new Map<number, number>();
    return this.shares.map((share, draw) => {
      const index = this.points[draw] ?? NO_POINT;
      const point = GRID[index];
      if (point === undefined) return 0;
      const factor = factors.get(index) ?? factorOf(point);
      factors.set(index, factor);
      return share * factor;
    });
  }

  /** The sum of two channels' shares. */
  jointShares(other: ChannelPosterior): Float64Array {
    return this.shares.map((share, draw) => share + at(other.shares, draw));
  }
}

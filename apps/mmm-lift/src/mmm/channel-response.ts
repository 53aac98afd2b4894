import { at } from '../linalg/dot.js';
import { adstock, type SpendBefore } from './adstock.js';
import { CARRY_OVERS, GRID, type GridPoint } from './grid.js';
import { saturate } from './saturation.js';

/** Below this part of the mean weekly spend a week of adstock is not active. */
const ACTIVE = 1e-9;

/** What a channel does at each point of the grid, from its spend alone. Sums run over the weeks of the likelihood. */
export class ChannelResponse {
  /** By carry-over, one value for each calendar week. */
  private readonly adstocks: readonly Float64Array[];
  /** By carry-over: mean adstock over active weeks. */
  private readonly activeMeans: readonly number[];

  constructor(
    spend: Float64Array,
    private readonly before: SpendBefore,
    private readonly likelihood: Int32Array,
  ) {
    this.adstocks = CARRY_OVERS.map((carryOver) => adstock(spend, before, carryOver));
    let total = 0;
    for (const t of likelihood) total += at(spend, t);
    const floor = (ACTIVE * total) / likelihood.length;
    this.activeMeans = this.adstocks.map((values) => meanAbove(values, floor, likelihood));
  }

  /** Σ F(m·A), for a multiple m of the spend. */
  sum(point: GridPoint, multiple = 1): number {
    const values = this.adstocks[point.carryOver] ?? new Float64Array();
    const half = this.halfPoint(point);
    let sum = 0;
    for (const t of this.likelihood) sum += saturate(point.shape, multiple * at(values, t), half);
    return sum;
  }

  /** Writes h_t = n·F(A_t)/Σ F(A) for each calendar week, of mean 1. */
  writeProfile(point: GridPoint, out: Float64Array): void {
    const values = this.adstocks[point.carryOver] ?? new Float64Array();
    const half = this.halfPoint(point);
    for (let t = 0; t < out.length; t += 1) out[t] = saturate(point.shape, at(values, t), half);
    let sum = 0;
    for (const t of this.likelihood) sum += at(out, t);
    const scale = this.likelihood.length / sum;
    for (let t = 0; t < out.length; t += 1) out[t] = scale * at(out, t);
  }

  /** h as of `writeProfile`, for the response at the same point had the spend been another. */
  alternative(point: GridPoint, spend: Float64Array): Float64Array {
    const half = this.halfPoint(point);
    const scale = this.likelihood.length / this.sum(point);
    return adstock(spend, this.before, point).map((value) => scale * saturate(point.shape, value, half));
  }

  /** Elasticity in percent: what 1 % more spend brings, ε = 100·(Σ F(1.01·A) − Σ F(A))/Σ F(A). */
  elasticity(point: GridPoint): number {
    const sum = this.sum(point);
    return (100 * (this.sum(point, 1.01) - sum)) / sum;
  }

  private halfPoint({ carryOver, kappa }: GridPoint): number {
    return kappa * (this.activeMeans[carryOver] ?? 0);
  }
}

function meanAbove(values: Float64Array, floor: number, likelihood: Int32Array): number {
  let sum = 0;
  let count = 0;
  for (const t of likelihood) {
    const value = at(values, t);
    if (value <= floor) continue;
    sum += value;
    count += 1;
  }
  return sum / count;
}

/** The profiles of all grid points, one row each. */
export function profiles(response: ChannelResponse, weeks: number): Float64Array {
  const h = new Float64Array(GRID.length * weeks);
  GRID.forEach((point, g) => {
    response.writeProfile(point, h.subarray(g * weeks, (g + 1) * weeks));
  });
  return h;
}

import { at } from '../linalg/dot.js';
import { spendBefore } from './adstock.js';
import { baselineColumns, type BaselineColumns } from './baseline-columns.js';
import { ChannelResponse, profiles } from './channel-response.js';
import { isConstant } from './check-input.js';
import { testRows, type TestRow } from './test-rows.js';
import type { MixInput, MixInputChannel } from './mix-input.js';

/** Of weekly spend, sd/mean: below it there is nothing to fit. */
const CONSTANT_CV = 1e-4;

/** A channel as it is fitted. */
export interface FittedChannel {
  readonly input: MixInputChannel;
  /** Of the likelihood weeks. */
  readonly spend: number;
  /** ln of its part of all spend. */
  readonly logWeight: number;
  readonly response: ChannelResponse;
  /** h by grid point and calendar week. */
  readonly h: Float64Array;
}

/** The input in the model's own units: a target of mean 1, contributions as shares of it. */
export interface Problem {
  /** Sundays. */
  readonly weeks: readonly string[];
  /** Calendar weeks in the likelihood. */
  readonly likelihood: Int32Array;
  /** By likelihood week. */
  readonly y: Float64Array;
  /** In raw units, over the likelihood. */
  readonly meanTarget: number;
  /** By slug. */
  readonly channels: readonly FittedChannel[];
  /** Those that always spend the same. */
  readonly constant: readonly MixInputChannel[];
  readonly controls: readonly Float64Array[];
  readonly ignoredControls: readonly string[];
  readonly columns: BaselineColumns;
  /** By channel, all tests that can be used. */
  readonly tests: readonly TestRow[];
}

export interface ProblemOptions {
  /** Calendar weeks with a dummy of their own. */
  outliers?: readonly number[];
  /** Likelihood weeks to use, the first so many. */
  length?: number;
}

/** Puts an input that `checkInput` lets through into the model's units. */
export function problemOf(input: MixInput, { outliers = [], length }: ProblemOptions = {}): Problem {
  const { weeks } = input;
  const known = weeks.flatMap((_, t) => (typeof input.y[t] === 'number' ? [t] : []));
  const likelihood = Int32Array.from(known.slice(0, length));
  const n = likelihood.length;
  const raw = Float64Array.from(likelihood, (t) => input.y[t] ?? 0);
  const meanTarget = raw.reduce((sum, value) => sum + value, 0) / n;
  const spent = input.channels.filter((channel) => spendIn(channel, likelihood) > 0).sort(bySlug);
  const total = spent.reduce((sum, channel) => sum + spendIn(channel, likelihood), 0);
  const constant = spent.filter((channel) => isConstantSpend(channel.spend, likelihood));
  const channels = spent
    .filter((channel) => !constant.includes(channel))
    .map((channel) => fittedChannel(channel, likelihood, total));
  const usable = input.controls
    .filter(({ values }) => !isConstant(gather(values, likelihood)))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const controls = usable.map(({ values }) => standardised(values, likelihood));
  return {
    weeks,
    likelihood,
    y: raw.map((value) => value / meanTarget),
    meanTarget,
    channels,
    constant,
    controls,
    ignoredControls: input.controls.filter((control) => !usable.includes(control)).map(({ name }) => name),
    columns: baselineColumns(weeks, n, controls, outliers),
    tests: testRows(input.tests, channels, likelihood, meanTarget * n),
  };
}

function bySlug(a: MixInputChannel, b: MixInputChannel): number {
  return a.slug < b.slug ? -1 : a.slug > b.slug ? 1 : 0;
}

function spendIn({ spend }: MixInputChannel, likelihood: Int32Array): number {
  let sum = 0;
  for (const t of likelihood) sum += spend[t] ?? 0;
  return sum;
}

/** Active in every week and nearly the same in all. */
function isConstantSpend(spend: readonly number[], likelihood: Int32Array): boolean {
  const values = gather(spend, likelihood);
  return values.every((value) => value > 0) && variation(values) < CONSTANT_CV;
}

/** The coefficient of variation, sd/mean. */
export function variation(values: Float64Array): number {
  const mean = meanOf(values);
  return standardDeviation(values, mean) / mean;
}

function fittedChannel(input: MixInputChannel, likelihood: Int32Array, total: number): FittedChannel {
  const weekly = Float64Array.from(input.spend);
  const response = new ChannelResponse(weekly, spendBefore(weekly, input.before), likelihood);
  const spend = spendIn(input, likelihood);
  return { input, spend, logWeight: Math.log(spend / total), response, h: profiles(response, weekly.length) };
}

function standardised(values: readonly number[], likelihood: Int32Array): Float64Array {
  const used = gather(values, likelihood);
  const mean = meanOf(used);
  const sd = standardDeviation(used, mean);
  return Float64Array.from(values, (value) => (value - mean) / sd);
}

/** The values of the likelihood weeks. */
export function gather(values: ArrayLike<number>, likelihood: Int32Array): Float64Array {
  return Float64Array.from(likelihood, (t) => values[t] ?? 0);
}

export function meanOf(values: Float64Array): number {
  let sum = 0;
  for (const value of values) sum += value;
  return sum / values.length;
}

/** With divisor n − 1. */
export function standardDeviation(values: Float64Array, mean: number): number {
  let sum = 0;
  for (let i = 0; i < values.length; i += 1) {
    const distance = at(values, i) - mean;
    sum += distance * distance;
  }
  return Math.sqrt(sum / (values.length - 1));
}

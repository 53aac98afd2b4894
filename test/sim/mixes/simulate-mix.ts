import { Random } from '#apps/cli/src/demo-shop/random.js';
import { channelEffect, type Response } from './channel-effect.js';
import type { MixKind } from './mix-kinds.js';
import { spendPlan } from './spend-plan.js';

/** Weekly series as an analyst has them. */
export interface WeeklySeries {
  /** Sundays. */
  weeks: string[];
  y: number[];
  spend: Record<string, number[]>;
  controls: Record<string, number[]>;
}

interface ChannelTruth {
  share: number;
  /** Target per unit of spend. */
  roi: number;
  hasEffect: boolean;
  /** Hidden demand moves its spend. */
  isDriven: boolean;
}

/** A lift test as `--lift-tests` takes it. */
export interface SimulatedTest {
  channel: string;
  from: string;
  to: string;
  value: number;
  se: number;
}

export interface SimulatedMix {
  series: WeeklySeries;
  truth: Record<string, ChannelTruth>;
  /** A test of all spend of a channel in eight weeks, with a standard error of this part of the return. */
  test: (channel: string, relativeError: number) => SimulatedTest;
}

const DAY_MS = 86_400_000;
const FIRST_SUNDAY = Date.parse('2020-01-05T00:00:00Z');
const TEST_WEEKS = 8;
const WEEKS_OF_YEAR = 52.18;

/** Made of `kind` and `seed` alone. */
export function simulateMix(kind: MixKind, seed: number): SimulatedMix {
  const random = new Random(606, seed);
  const within = ([low, high]: readonly [number, number]): number => low + (high - low) * random.unit();
  const count = random.whole(...kind.weeks);
  const names = Array.from({ length: random.whole(...kind.channels) }, (_, index) => `ch${index}`);
  const demand = wander(count, 0.85, random);
  const spends = spendOf(kind, names, demand, count, random);
  const budget = 10 ** (3 + 3 * random.unit());
  const level = 10 ** (3 + 3 * random.unit());
  const effects = names.map((_, index) => random.unit() >= kind.zeroEffect || (index === 0 && kind.zeroEffect < 0.3));
  const weights = names.map((_, index) =>
    effects[index] === true ? Math.exp(0.5 * random.normal()) * Math.sqrt(mean(spends[index] ?? [])) : 0,
  );
  const allWeights = Math.max(Number.MIN_VALUE, sum(weights));
  const media = within(kind.mediaShare);
  const base = baselineOf(kind, count, demand, random, within);
  const responses = names.map((_, index): Response => {
    const spend = spends[index] ?? [];
    const response = {
      carryOver: within(kind.carryOver),
      delay: Math.round(within(kind.delay)),
      steepness: within(kind.steepness),
      halfPoint: within(kind.halfPoint),
      meanSpend: budget * mean(spend),
      strength: 1,
    };
    const plain = mean(channelEffect(scaled(spend, budget), response));
    return { ...response, strength: (level * media * (weights[index] ?? 0)) / allWeights / plain };
  });
  const paid = spends.map((spend) => scaled(spend, budget).map((amount) => Math.round(amount * 100) / 100));
  const brought = paid.map((spend, index) => channelEffect(spend, responses[index] as Response));
  const y = base.total.map((value, week) =>
    Math.max(0, Math.round(level * (1 - media) * value + sum(brought.map((effect) => effect[week] ?? 0)))),
  );
  const weeks = y.map((_, week) =>
    new Date(FIRST_SUNDAY + (7 * week + 364 * (seed % 3)) * DAY_MS).toISOString().slice(0, 10),
  );
  return {
    series: {
      weeks,
      y,
      spend: Object.fromEntries(names.map((name, index) => [name, paid[index] ?? []])),
      controls: base.controls,
    },
    truth: Object.fromEntries(
      names.map((name, index) => {
        const effect = sum(brought[index] ?? []);
        const truth = { share: effect / sum(y), roi: effect / sum(paid[index] ?? []) };
        return [name, { ...truth, hasEffect: effects[index] === true, isDriven: kind.demand !== null && index < 2 }];
      }),
    ),
    test(channel, relativeError) {
      const index = names.indexOf(channel);
      const spend = paid[index] ?? [];
      const from = ordinary(spend);
      const isTested = (week: number): boolean => week >= from && week < from + TEST_WEEKS;
      const without = channelEffect(
        spend.map((amount, week) => (isTested(week) ? 0 : amount)),
        responses[index] as Response,
      );
      const total = sum(
        (brought[index] ?? []).map((effect, week) => (isTested(week) ? effect - (without[week] ?? 0) : 0)),
      );
      const truth = total / sum(spend.filter((_, week) => isTested(week)));
      const se = relativeError * truth;
      const value = truth + se * new Random(607, seed, index).normal();
      return { channel, from: weeks[from] ?? '', to: weeks[from + TEST_WEEKS - 1] ?? '', value, se };
    },
  };
}

function spendOf(
  kind: MixKind,
  names: readonly string[],
  demand: readonly number[],
  count: number,
  random: Random,
): number[][] {
  const plans: number[][] = [];
  for (const index of names.keys()) {
    const size = Math.exp(0.7 * random.normal());
    const first = plans[0];
    const follows = index === 1 && kind.collinear !== null && first !== undefined;
    const plan = follows
      ? first.map((amount) => amount * size * Math.exp((kind.collinear ?? 0) * random.normal()))
      : spendPlan(count, random).map((amount) => amount * size);
    const pull = index < 2 ? (kind.demand?.spend ?? 0) : 0;
    plans.push(plan.map((amount, week) => amount * Math.exp(pull * (demand[week] ?? 0))));
  }
  return plans;
}

/** The target without media, around 1, and what is known of it. */
function baselineOf(
  kind: MixKind,
  count: number,
  demand: readonly number[],
  random: Random,
  within: (range: readonly [number, number]) => number,
): { total: number[]; controls: Record<string, number[]> } {
  const [trend, season, noise] = [within(kind.trend), within(kind.season), within(kind.noise)];
  const phase = random.unit();
  const drift = wander(count, 0.97, random);
  const promotion = Array.from({ length: count }, () => (random.chance(0.12) ? 1 : 0));
  const promotionEffect = random.chance(0.5) ? 0.05 + 0.1 * random.unit() : 0;
  const shiftAt = Math.round(count * (0.3 + 0.4 * random.unit()));
  const shift = kind.levelShift === null ? 0 : within(kind.levelShift) * (random.chance(0.5) ? 1 : -1);
  const shocks = new Map(
    Array.from({ length: random.whole(...kind.outlierWeeks) }, () => [
      random.whole(0, count - 1),
      (random.chance(0.5) ? 1 : -1) * (0.25 + 0.3 * random.unit()),
    ]),
  );
  const total = Array.from({ length: count }, (_, week) => {
    const angle = 2 * Math.PI * (week / WEEKS_OF_YEAR + phase);
    return (
      (1 + (trend * week) / count) * (1 + season * Math.sin(angle) + 0.3 * season * Math.cos(2 * angle)) +
      0.02 * (drift[week] ?? 0) +
      (kind.demand?.target ?? 0) * (demand[week] ?? 0) +
      promotionEffect * (promotion[week] ?? 0) +
      (week >= shiftAt ? shift : 0) +
      (shocks.get(week) ?? 0) +
      noise * random.normal()
    );
  });
  return { total, controls: promotionEffect > 0 ? { promotion } : {} };
}

/** Autoregressive, of standard deviation 1. */
function wander(count: number, persistence: number, random: Random): number[] {
  let value = random.normal();
  return Array.from({ length: count }, () => {
    value = persistence * value + Math.sqrt(1 - persistence * persistence) * random.normal();
    return value;
  });
}

/** The first of eight weeks whose spend is nearest to the mean: nobody tests at the one peak of the year. */
function ordinary(spend: readonly number[]): number {
  const distances = spend
    .slice(0, -TEST_WEEKS)
    .map((_, week) => Math.abs(mean(spend.slice(week, week + TEST_WEEKS)) - mean(spend)));
  return distances.indexOf(Math.min(...distances));
}

function scaled(values: readonly number[], factor: number): number[] {
  return values.map((value) => value * factor);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function mean(values: readonly number[]): number {
  return sum(values) / values.length;
}

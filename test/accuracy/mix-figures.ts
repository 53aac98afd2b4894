import type { MixChannel, MixRun } from '#contracts/modeling/mix-run.js';

/** A fitted mix beside what is true, by channel. */
export interface JudgedMix {
  run: MixRun;
  truth: Record<string, { share: number; hasEffect: boolean }>;
}

/** Part of all, with what it is made of. */
export interface Part {
  value: number;
  hits: number;
  of: number;
}

interface JudgedChannel {
  fitted: MixChannel;
  share: number;
  hasEffect: boolean;
}

const CLOSE = 0.3;

function channelsOf(mixes: readonly JudgedMix[]): JudgedChannel[] {
  return mixes.flatMap(({ run, truth }) =>
    Object.entries(truth).flatMap(([name, { share, hasEffect }]) => {
      const fitted = run.channels.find(({ channel }) => channel === name);
      return fitted === undefined ? [] : [{ fitted, share, hasEffect }];
    }),
  );
}

/** Intervals of shares that hold the truth. */
export function coverage(mixes: readonly JudgedMix[]): Part {
  return part(channelsOf(mixes), ({ fitted, share }) => covers(fitted, share));
}

export function covers(fitted: MixChannel, share: number): boolean {
  const { contribution_share_lo: low, contribution_share_hi: high } = fitted;
  return low !== null && high !== null && low <= share && share <= high;
}

/** Mean distance of shares, in percentage points. */
export function meanError(mixes: readonly JudgedMix[]): number {
  const errors = channelsOf(mixes).map(({ fitted, share }) => 100 * Math.abs((fitted.contribution_share ?? 0) - share));
  return errors.reduce((sum, error) => sum + error, 0) / errors.length;
}

/** Median of distances of shares, as parts of the true ones; those without an effect are left out. */
export function medianRelativeError(mixes: readonly JudgedMix[]): number {
  return median(
    channelsOf(mixes)
      .filter(({ hasEffect }) => hasEffect)
      .map(relativeError),
  );
}

/** Identified channels within ±30 % of the truth. */
export function identifiedClose(mixes: readonly JudgedMix[]): Part {
  const identified = channelsOf(mixes).filter(({ fitted }) => fitted.identified);
  return part(identified, (channel) => relativeError(channel) <= CLOSE);
}

/** Channels without an effect that are said to be identified. */
export function identifiedZeros(mixes: readonly JudgedMix[]): Part {
  const zeros = channelsOf(mixes).filter(({ hasEffect }) => !hasEffect);
  return part(zeros, ({ fitted }) => fitted.identified);
}

function relativeError({ fitted, share }: JudgedChannel): number {
  return share === 0 ? Infinity : Math.abs((fitted.contribution_share ?? 0) / share - 1);
}

export function part<T>(items: readonly T[], isHit: (item: T) => boolean): Part {
  const hits = items.filter(isHit).length;
  return { value: hits / items.length, hits, of: items.length };
}

export function partText({ value, hits, of }: Part): string {
  return of === 0 ? 'nothing to count' : `${value.toFixed(3)} (${hits} of ${of})`;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(middle)] ?? NaN) + (sorted[Math.ceil(middle)] ?? NaN)) / 2;
}

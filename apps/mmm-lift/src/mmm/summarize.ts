import type {
  MixChannel,
  MixCurvePoint,
  MixDiagnostics,
  MixNumbers,
  MixTest,
  MixWeek,
} from '#contracts/modeling/mix-run.js';
import { mondayOf } from './calendar.js';
import { ChannelPosterior, estimate } from './channel-posterior.js';
import { channelRows } from './channel-rows.js';
import { checkInput } from './check-input.js';
import { collinearity, type Collinearity } from './collinearity.js';
import { fittedWeeks, levelWeights, type FittedWeeks } from './fitted-weeks.js';
import type { HoldOut } from './hold-out.js';
import { RHOS } from './level.js';
import type { MainFit } from './main-fit.js';
import { MODEL_VERSION, type MixInput } from './mix-input.js';
import { mixWarnings } from './mix-warnings.js';
import type { PreFit } from './pre-fit.js';
import { problemOf, type Problem } from './problem.js';
import { trustTier } from './trust-tier.js';

const INTERVAL = 0.9;
const MULTIPLES = [0, 0.25, 0.5, 0.75, 1, 1.25, 1.5, 2] as const;

/** Everything that is said about a mix, from its posterior and the hold-out. */
export function summarize(input: MixInput, pre: PreFit, main: MainFit, holdout: HoldOut | null): MixNumbers {
  const { negativeWeeks } = checkInput(input);
  const problem = problemOf(input, { outliers: pre.outliers });
  const posteriors = problem.channels.map((channel, c) => new ChannelPosterior(channel, main.draws, c));
  const weeks = fittedWeeks(problem, main.draws);
  const alike = collinearity(problem);
  const rows = channelRows(input, problem, posteriors, main.rhat, alike);
  const tests = testRows(problem, pre);
  const levels = levelWeights(main.draws);
  const warnings = mixWarnings(input, {
    negativeWeeks,
    ignoredControls: problem.ignoredControls,
    fastestLevel: levels.at(-1) ?? 0,
    tests,
  });
  const { length } = problem.weeks;
  return {
    trust_tier: tierOf(problem, main, holdout, rows, tests, warnings),
    n_weeks: problem.likelihood.length,
    n_channels: rows.length,
    r2: weeks.r2,
    mape: weeks.mape,
    converged: main.converged,
    warnings,
    window_from: mondayOf(problem.weeks[0] ?? ''),
    window_to: problem.weeks[length - 1] ?? '',
    currency: input.currency,
    interval: INTERVAL,
    baseline_share: rows.reduce((rest, { contribution_share }) => rest - (contribution_share ?? 0), 1),
    holdout_mape: holdout?.mape ?? null,
    calibrated_channels: [...new Set(tests.map(({ channel }) => channel))].sort(),
    seed: input.seed,
    model_version: MODEL_VERSION,
    channels: rows,
    weeks: weekRows(input, problem, weeks),
    curves: curves(problem, posteriors),
    tests,
    diagnostics: {
      ...diagnostics(problem, posteriors, main, alike),
      outlier_weeks: pre.outliers.map((week) => problem.weeks[week] ?? ''),
      missing_weeks: problem.weeks.filter((_, t) => input.y[t] === null),
      level: levels.map((weight, index) => ({ rho: RHOS[index] ?? 0, weight })),
      holdout: holdout === null ? null : { weeks: holdout.weeks, mape: holdout.mape, in_band: holdout.inBand },
    },
  };
}

function tierOf(
  problem: Problem,
  { converged }: MainFit,
  holdOut: HoldOut | null,
  rows: readonly MixChannel[],
  tests: readonly MixTest[],
  warnings: readonly string[],
): MixNumbers['trust_tier'] {
  const tested = new Set(tests.map(({ channel }) => channel));
  const total = rows.reduce((sum, { spend }) => sum + spend, 0);
  const partOf = (which: (row: MixChannel) => boolean): number =>
    rows.filter(which).reduce((sum, { spend }) => sum + spend, 0) / total;
  return trustTier({
    n: problem.likelihood.length,
    channels: problem.channels.length,
    effects: problem.channels.length + problem.controls.length + 1 + problem.columns.fourier,
    identifiedSpend: partOf(({ identified }) => identified),
    testedSpend: partOf(({ channel }) => tested.has(channel)),
    worstTest: Math.max(0, ...tests.map(({ z }) => z)),
    holdOut,
    converged,
    warnings,
  });
}

function testRows({ tests, channels }: Problem, { predicted }: PreFit): MixTest[] {
  return tests.map(({ test, channel }, index) => {
    const expected = predicted[index] ?? 0;
    return {
      test_id: test.testId,
      channel: channels[channel]?.input.name ?? '',
      value: test.value,
      se: test.se,
      predicted: expected,
      z: Math.abs(expected - test.value) / test.se,
    };
  });
}

function weekRows(input: MixInput, { weeks, channels, meanTarget }: Problem, fitted: FittedWeeks): MixWeek[] {
  return weeks.map((week, t) => ({
    week_end: week,
    observed: input.y[t] ?? null,
    baseline: (fitted.baseline[t] ?? 0) * meanTarget,
    fitted: (fitted.fitted[t] ?? 0) * meanTarget,
    contributions: Object.fromEntries(
      channels.map(({ input: { name } }, c) => [name, (fitted.contributions[c]?.[t] ?? 0) * meanTarget]),
    ),
  }));
}

function curves(
  { channels, meanTarget, likelihood }: Problem,
  posteriors: readonly ChannelPosterior[],
): MixCurvePoint[] {
  const total = meanTarget * likelihood.length;
  return posteriors.flatMap((posterior, c) =>
    MULTIPLES.map((multiplier) => {
      const { mean, low, high } = estimate(posterior.sharesAt(multiplier));
      const channel = channels[c]?.input.name ?? '';
      return { channel, multiplier, response: mean * total, lo: low * total, hi: high * total };
    }),
  );
}

function diagnostics(
  { channels }: Problem,
  posteriors: readonly ChannelPosterior[],
  { rhat, draws }: MainFit,
  { vif, partners }: Collinearity,
): Pick<MixDiagnostics, 'channels' | 'collinear_pairs' | 'draws'> {
  const nameOf = (c: number): string => channels[c]?.input.name ?? '';
  return {
    channels: posteriors.map((posterior, c) => ({
      channel: nameOf(c),
      p_effect: posterior.pEffect,
      rhat: rhat[c] ?? 0,
      alpha_mean: posterior.meanAlpha,
      vif: Number.isFinite(vif[c]) ? (vif[c] ?? null) : null,
    })),
    collinear_pairs: pairsOf(partners).flatMap(([a, b]) => {
      const [first, second] = [posteriors[a], posteriors[b]];
      if (first === undefined || second === undefined) return [];
      const { mean, low, high } = estimate(first.jointShares(second));
      return [{ channels: [nameOf(a), nameOf(b)], share: mean, share_lo: low, share_hi: high }];
    }),
    draws: draws.chains * draws.length,
  };
}

/** Each pair once, whichever side names the other. */
function pairsOf(partners: readonly (readonly number[])[]): [number, number][] {
  return partners.flatMap((found, a) =>
    partners.flatMap((back, b): [number, number][] =>
      a < b && (found.includes(b) || back.includes(a)) ? [[a, b]] : [],
    ),
  );
}

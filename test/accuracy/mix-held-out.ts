import { DEMAND_DRIVEN, MIX_KINDS, type MixKindName } from '../sim/mixes/mix-kinds.js';
import { simulateMix } from '../sim/mixes/simulate-mix.js';
import type { Bench } from './bench.js';
import { fitSeries } from './files.js';
import { coverage, identifiedClose, identifiedZeros, meanError, partText, type JudgedMix } from './mix-figures.js';
import { between, number, type Row } from './row.js';

const TEST_ERROR = 0.1;

/** Mixes of our own simulator, each kind by itself and all together. */
export async function heldOutMixes(bench: Bench): Promise<Row[]> {
  const all: JudgedMix[] = [];
  const rows: Row[] = [];
  const kinds = Object.keys(MIX_KINDS) as MixKindName[];
  const fitted = await Promise.all(
    kinds.map((kind, index) =>
      Promise.all(
        bench.seedsOf(index).map(async (seed): Promise<JudgedMix> => {
          const { series, truth } = simulateMix(MIX_KINDS[kind], seed);
          return { run: await fitSeries(bench, `${kind}-${seed}`, series), truth };
        }),
      ),
    ),
  );
  for (const [index, kind] of kinds.entries()) {
    const mixes = fitted[index] ?? [];
    all.push(...mixes);
    const anchor = `held-out ${kind}, ${mixes.length} runs`;
    const [covered, error, close] = [coverage(mixes), meanError(mixes), identifiedClose(mixes)];
    rows.push(
      between({ anchor, measure: 'coverage', goal: '≥ .80' }, covered.value, [0.8, 1], partText(covered)),
      between({ anchor, measure: 'mean error of shares', goal: '≤ 2.4 pp' }, error, [0, 2.4], `${number(error)} pp`),
      { anchor, measure: 'identified within ±30 %', measured: partText(close), goal: 'see all', isReached: null },
    );
  }
  const anchor = `held-out, all ${all.length} runs`;
  const [covered, error, close, zeros] = [coverage(all), meanError(all), identifiedClose(all), identifiedZeros(all)];
  rows.push(
    { anchor, measure: 'coverage', measured: partText(covered), goal: '', isReached: null },
    between({ anchor, measure: 'mean error of shares', goal: '≤ 2.4 pp' }, error, [0, 2.4], `${number(error)} pp`),
    between({ anchor, measure: 'identified within ±30 %', goal: '≥ .80' }, close.value, [0.8, 1], partText(close)),
    between({ anchor, measure: 'zero effects identified', goal: '0' }, zeros.hits, [0, 0], partText(zeros)),
  );
  return rows;
}

/** Hidden demand drives the spend of two channels: what one test on each of them mends. */
export async function demandDriven(bench: Bench): Promise<Row[]> {
  const mixes = await Promise.all(
    bench.seedsOf().map(async (seed) => {
      const { series, truth, test } = simulateMix(DEMAND_DRIVEN, seed);
      const driven = Object.entries(truth).filter(([, { isDriven }]) => isDriven);
      const tests = driven.map(([channel]) => test(channel, TEST_ERROR));
      const [without, tested] = await Promise.all([
        fitSeries(bench, `demand-${seed}`, series),
        fitSeries(bench, `demand-tested-${seed}`, series, { tests }),
      ]);
      return { truth: Object.fromEntries(driven), without, tested };
    }),
  );
  const [before, after] = (['without', 'tested'] as const).map((form) =>
    meanError(mixes.map((mix) => ({ run: mix[form], truth: mix.truth }))),
  ) as [number, number];
  const covered = coverage(mixes.map(({ tested, truth }) => ({ run: tested, truth })));
  const anchor = `demand drives two channels, ${mixes.length} runs`;
  const measured = `${number(after)} pp against ${number(before)} pp`;
  return [
    between(
      { anchor, measure: 'mean error with a test each', goal: '≤ ⅓ of that without' },
      after / before,
      [0, 1 / 3],
      measured,
    ),
    { anchor, measure: 'coverage with a test each', measured: partText(covered), goal: '', isReached: null },
  ];
}

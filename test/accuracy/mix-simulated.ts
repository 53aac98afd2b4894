import { readFileSync } from 'node:fs';
import type { WeeklySeries } from '../sim/mixes/simulate-mix.js';
import type { Bench } from './bench.js';
import { fitSeries } from './files.js';
import { coverage, identifiedClose, meanError, medianRelativeError, partText, type JudgedMix } from './mix-figures.js';
import { between, number, type Row } from './row.js';

export async function ownS1(bench: Bench): Promise<Row[]> {
  const mixes = await fitLines(bench, 'sim/own_S1.jsonl');
  const anchor = `own_S1, ${mixes.length} runs`;
  const [covered, error, close] = [coverage(mixes), meanError(mixes), identifiedClose(mixes)];
  return [
    between({ anchor, measure: 'coverage', goal: '.85–.96' }, covered.value, [0.85, 0.96], partText(covered)),
    between({ anchor, measure: 'mean error of shares', goal: '≤ 1.7 pp' }, error, [0, 1.7], `${number(error)} pp`),
    between({ anchor, measure: 'identified within ±30 %', goal: '≥ .80' }, close.value, [0.8, 1], partText(close)),
  ];
}

export async function smallBusiness(bench: Bench): Promise<Row[]> {
  const mixes = await fitLines(bench, 'sim/pymclabs_small_business.jsonl');
  const anchor = `pymclabs_small_business, ${mixes.length} runs`;
  const [covered, error, relative] = [coverage(mixes), meanError(mixes), medianRelativeError(mixes)];
  return [
    between({ anchor, measure: 'coverage', goal: '≥ .80' }, covered.value, [0.8, 1], partText(covered)),
    between({ anchor, measure: 'mean error of shares', goal: '≤ 1.1 pp' }, error, [0, 1.1], `${number(error)} pp`),
    between({ anchor, measure: 'median error', goal: '≤ .12' }, relative, [0, 0.12]),
  ];
}

async function fitLines(bench: Bench, file: string): Promise<JudgedMix[]> {
  const lines = readFileSync(bench.data(file), 'utf8').trim().split('\n');
  return Promise.all(
    lines.map(async (line) => {
      const {
        name,
        dates,
        truth_share: shares,
        ...series
      } = JSON.parse(line) as Omit<WeeklySeries, 'weeks'> & {
        name: string;
        dates: string[];
        truth_share: Record<string, number>;
      };
      const { y, spend, controls } = series;
      const run = await fitSeries(bench, name, { weeks: dates, y, spend, controls });
      const truth = Object.entries(shares).map(
        ([channel, share]) => [channel, { share, hasEffect: share > 0 }] as const,
      );
      return { run, truth: Object.fromEntries(truth) };
    }),
  );
}

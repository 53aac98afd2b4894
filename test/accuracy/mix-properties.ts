import type { MixRun } from '#contracts/modeling/mix-run.js';
import { Random } from '#apps/cli/src/demo-shop/random.js';
import { MIX_KINDS } from '../sim/mixes/mix-kinds.js';
import { simulateMix, type WeeklySeries } from '../sim/mixes/simulate-mix.js';
import type { Bench } from './bench.js';
import { fitSeries, mixWords } from './files.js';
import { between, type Row } from './row.js';

const EQUAL = 1e-9;

/** What must hold for any data, on a mix of our own simulator. */
export async function properties(bench: Bench): Promise<Row[]> {
  const { series } = simulateMix(MIX_KINDS.regular, bench.firstSeed);
  const words = (name: string, seed?: number): string[] =>
    mixWords(bench, name, series, seed === undefined ? {} : { seed });
  const rescaled = fitSeries(bench, 'rescaled', scaled(series, 1e-4, 37));
  const [text, again, other] = await Promise.all(
    [words('plain'), words('again'), words('other', 2)].map((one) => bench.threads.text(...one, '--json')),
  );
  const [run, otherRun] = [text, other].map((json) => JSON.parse(json ?? '') as MixRun) as [MixRun, MixRun];
  const anchor = 'properties';
  return [
    row('target × 10⁻⁴, spend × 37', 'largest change of a share', largestChange(run, await rescaled), EQUAL),
    {
      anchor,
      measure: 'same seed',
      measured: text === again ? 'equal bytes' : 'different bytes',
      goal: 'equal bytes',
      isReached: text === again,
    },
    between(
      { anchor, measure: 'other seed', goal: '≤ 1 pp' },
      100 * largestChange(run, otherRun),
      [0, 1],
      `${(100 * largestChange(run, otherRun)).toFixed(3)} pp`,
    ),
    row('contributions + baseline − target', 'relative', remainder(run, series), EQUAL),
    row('weeks: contributions + baseline − fitted', 'relative', weeklyRemainder(run), EQUAL),
    row('roi × spend − contribution', 'relative', returnRemainder(run), EQUAL),
  ];
}

function row(anchor: string, measure: string, value: number, limit: number): Row {
  return between({ anchor, measure, goal: `≤ ${limit}` }, value, [0, limit], value.toExponential(1));
}

function scaled(series: WeeklySeries, target: number, spend: number): WeeklySeries {
  const times = (values: readonly number[], factor: number): number[] => values.map((value) => value * factor);
  const spends = Object.entries(series.spend).map(([name, values]) => [name, times(values, spend)] as const);
  return { ...series, y: times(series.y, target), spend: Object.fromEntries(spends) };
}

function largestChange(run: MixRun, other: MixRun): number {
  return Math.max(
    ...run.channels.map(({ channel, contribution_share: share }) => {
      const twin = other.channels.find((one) => one.channel === channel)?.contribution_share;
      return Math.abs((share ?? NaN) - (twin ?? NaN));
    }),
  );
}

function remainder(run: MixRun, { y }: WeeklySeries): number {
  const total = y.reduce((sum, value) => sum + value, 0);
  const media = run.channels.reduce((sum, { contribution }) => sum + (contribution ?? 0), 0);
  return Math.abs(media + (run.baseline_share ?? NaN) * total - total) / total;
}

function weeklyRemainder({ weeks = [] }: MixRun): number {
  return Math.max(
    ...weeks.map(({ baseline, fitted, contributions }) => {
      const media = Object.values(contributions).reduce((sum, value) => sum + value, 0);
      return Math.abs(baseline + media - fitted) / Math.abs(fitted);
    }),
  );
}

function returnRemainder({ channels }: MixRun): number {
  return Math.max(
    ...channels.map(
      ({ roi, spend, contribution }) =>
        Math.abs((roi ?? NaN) * spend - (contribution ?? NaN)) /
        Math.max(Number.MIN_VALUE, Math.abs(contribution ?? NaN)),
    ),
  );
}

/** Mixes in which something has no effect that could be told. */
export async function neverIdentified(bench: Bench): Promise<Row[]> {
  const counts = await Promise.all(
    bench.seedsOf().map(async (seed) => {
      const { series } = simulateMix({ ...MIX_KINDS.regular, zeroEffect: 0 }, seed);
      const random = new Random(seed);
      const [first = []] = Object.values(series.spend);
      const noise = { ...series, y: series.y.map(() => 1000 + 100 * random.normal()), controls: {} };
      const constant = { ...series, spend: { ...series.spend, constant: first.map(() => 500) } };
      const copied = { ...series, spend: { ...series.spend, copied: first } };
      const names = Object.keys(series.spend);
      const identified = async (name: string, changed: WeeklySeries, judged: readonly string[]): Promise<number> => {
        const run = await fitSeries(bench, `${name}-${seed}`, changed);
        return run.channels.filter((channel) => channel.identified && judged.includes(channel.channel)).length;
      };
      return Promise.all([
        identified('noise', noise, names),
        identified('constant', constant, ['constant']),
        identified('copied', copied, ['copied', names[0] ?? '']),
      ]);
    }),
  );
  return ['noise target', 'constant spend', 'copied channel'].map((anchor, index) => {
    const count = counts.reduce((sum, one) => sum + (one[index] ?? 0), 0);
    const measured = `${count} in ${counts.length} mixes`;
    return between({ anchor, measure: 'identified', goal: 'never' }, count, [0, 0], measured);
  });
}

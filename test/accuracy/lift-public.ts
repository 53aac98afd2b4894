import type { LiftTest } from '#contracts/modeling/lift-test.js';
import type { Bench } from './bench.js';
import { readCells, writeCells } from './files.js';
import { liesWithin } from './lift-figures.js';
import { covering } from './mix-public.js';
import { between, number, type Row } from './row.js';

/** The rows of the test in both files of CausalImpact. */
const TEST_ROWS = ['--test-from', '71', '--test-to', '100'];

export async function vignette(bench: Bench): Promise<Row[]> {
  const file = bench.data('causalimpact/vignette_seed1.csv');
  const test = await fit(bench, file, '--target', 'y', '--control-columns', 'x1', ...TEST_ROWS);
  return meanEffect('vignette_seed1', test, 10, [9.8, 11.2]);
}

/** Five are added to the rows of the test, which hold no effect. */
export async function armaData(bench: Bench): Promise<Row[]> {
  const [header = [], ...rows] = readCells(bench.data('causalimpact/arma_data.csv'));
  const y = header.indexOf('y');
  const added = rows.map((row, index) =>
    row.map((cell, column) => (column === y && index >= 70 ? Number(cell) + 5 : cell)),
  );
  const file = writeCells(bench, 'arma_data', [header, ...added]);
  const test = await fit(bench, file, '--target', 'y', '--control-columns', 'X', ...TEST_ROWS);
  return meanEffect('arma_data + 5', test, 5, [4.4, 5.4]);
}

export async function comparisonData(bench: Bench): Promise<Row[]> {
  const [published, sd] = [-657, 736];
  const file = bench.data('causalimpact/comparison_data.csv');
  const controls = ['--control-columns', 'NOT_CHANGED_1,NOT_CHANGED_2,NOT_CHANGED_3'];
  const days = ['--test-from', '2019-07-15', '--test-to', '2019-08-01'];
  const test = await fit(bench, file, '--date', 'DATE', '--target', 'CHANGED', ...controls, ...days);
  const { value, text } = perPeriod(test);
  const goal = `within ${sd} of ${published}`;
  return [
    between({ anchor: 'comparison_data', measure: 'mean effect', goal }, value, [published - sd, published + sd], text),
  ];
}

export async function causalpyGeolift(bench: Bench): Promise<Row[]> {
  const file = bench.data('causalpy/geolift.csv');
  const controls = ['--control-columns', 'Austria,Belgium,Bulgaria,Croatia,Cyprus,Czech_Republic'];
  const weeks = ['--test-from', '2022-01-01', '--test-to', '2022-12-31'];
  const test = await fit(bench, file, '--date', 'time', '--target', 'Denmark', ...controls, ...weeks);
  return meanEffect('causalpy/geolift', test, 0.2, [0.18, 0.235]);
}

export async function californiaProp99(bench: Bench): Promise<Row[]> {
  const file = bench.data('causalpy/california_prop99.csv');
  const [header = []] = readCells(file);
  const others = header.filter((name) => name !== 'Year' && name !== 'California').join(',');
  const years = ['--test-from', '1989', '--test-to', '2000'];
  const test = await fit(
    bench,
    file,
    '--date',
    'Year',
    '--target',
    'California',
    '--control-columns',
    others,
    ...years,
  );
  const { value, text } = perPeriod(test);
  return [between({ anchor: 'california_prop99', measure: 'mean gap', goal: '−22 to −13' }, value, [-22, -13], text)];
}

/** Rows 91 to 105 of the days. */
export async function geoLiftTest(bench: Bench): Promise<Row[]> {
  const file = bench.data('geolift/GeoLift_Test.csv');
  const places = ['--place', 'location', '--treated', 'chicago,portland'];
  const test = await fit(
    bench,
    file,
    '--date',
    'date',
    '--target',
    'Y',
    ...places,
    '--test-from',
    '91',
    '--test-to',
    '105',
  );
  const { lift_pct, lift_pct_lo, lift_pct_hi } = test;
  const text = `${number(lift_pct ?? NaN)} % (${number(lift_pct_lo ?? NaN)} to ${number(lift_pct_hi ?? NaN)})`;
  return [
    between({ anchor: 'GeoLift_Test', measure: 'lift', goal: '3–8 %' }, lift_pct ?? NaN, [3, 8], text),
    covering('GeoLift_Test', 'interval of the lift', liesWithin(5, lift_pct_lo, lift_pct_hi)),
  ];
}

function fit(bench: Bench, file: string, ...words: string[]): Promise<LiftTest> {
  return bench.threads.tallyport<LiftTest>('lift', 'fit', file, ...words);
}

function meanEffect(anchor: string, test: LiftTest, truth: number, goal: readonly [number, number]): Row[] {
  const { value, low, high, text } = perPeriod(test);
  return [
    between({ anchor, measure: 'mean effect', goal: `${goal[0]}–${goal[1]}` }, value, goal, text),
    covering(anchor, 'interval of the mean effect', liesWithin(truth, low, high)),
  ];
}

function perPeriod({ lift_total, lift_lo, lift_hi, n_days }: LiftTest): {
  value: number;
  low: number;
  high: number;
  text: string;
} {
  const [value, low, high] = [lift_total, lift_lo, lift_hi].map((total) => (total ?? NaN) / (n_days ?? NaN)) as [
    number,
    number,
    number,
  ];
  return { value, low, high, text: `${number(value)} (${number(low)} to ${number(high)})` };
}

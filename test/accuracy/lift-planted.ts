import type { LiftTest } from '#contracts/modeling/lift-test.js';
import { Random } from '#apps/cli/src/demo-shop/random.js';
import { PANEL_KINDS, PLANTED, type PanelKindName } from '../sim/panels/panel-kinds.js';
import { simulatePanel } from '../sim/panels/simulate-panel.js';
import type { Bench } from './bench.js';
import { readCells, writeCells } from './files.js';
import { falseAlarms, liftCoverage, medianLiftError, type JudgedTest } from './lift-figures.js';
import { partText } from './mix-figures.js';
import { between, number, type Row } from './row.js';

/** Days that every test has before it. */
const LEAST_BEFORE = 60;

/** What is planted into a panel of days by places. */
interface Planted {
  days: readonly string[];
  values: Record<string, number[]>;
  treated: readonly string[];
  testFrom: string;
  testTo: string;
  truth: number;
  planted: number;
}

/** Lifts planted into 90 days of 40 cities without any treatment. */
export async function geoLiftPreTest(bench: Bench): Promise<Row[]> {
  const { days, values } = panelOf(bench.data('geolift/GeoLift_PreTest.csv'));
  const numbers = Array.from({ length: bench.tests }, (_, index) => index);
  const tests = await Promise.all(numbers.map((index) => judge(bench, `planted-${index}`, plant(days, values, index))));
  const anchor = `GeoLift_PreTest, ${tests.length} tests`;
  const [covered, alarms, error] = [liftCoverage(tests), falseAlarms(tests), medianLiftError(tests)];
  return [
    between({ anchor, measure: 'coverage', goal: '.82–.96' }, covered.value, [0.82, 0.96], partText(covered)),
    between({ anchor, measure: 'false alarms', goal: '≤ .20' }, alarms.value, [0, 0.2], partText(alarms)),
    between({ anchor, measure: 'median error', goal: '≤ 2.3 pp' }, error, [0, 2.3], `${number(error)} pp`),
  ];
}

/** Panels of our own simulator, five seeds for one of a mix: they are fast. */
export async function heldOutPanels(bench: Bench): Promise<Row[]> {
  const kinds = Object.keys(PANEL_KINDS) as PanelKindName[];
  const judged = await Promise.all(
    kinds.map((kind, index) =>
      Promise.all(
        bench
          .seedsOf(index, 5 * bench.seeds)
          .map((seed) => judge(bench, `${kind}-${seed}`, simulatePanel(PANEL_KINDS[kind], seed))),
      ),
    ),
  );
  const rows = kinds.flatMap((kind, index): Row[] => {
    const tests = judged[index] ?? [];
    const anchor = `held-out panels ${kind}, ${tests.length} tests`;
    return [
      { anchor, measure: 'coverage', measured: partText(liftCoverage(tests)), goal: 'see all', isReached: null },
      { anchor, measure: 'false alarms', measured: partText(falseAlarms(tests)), goal: 'see all', isReached: null },
      { anchor, measure: 'median error', measured: `${number(medianLiftError(tests))} pp`, goal: '', isReached: null },
    ];
  });
  const all = judged.flat();
  const anchor = `held-out panels, all ${all.length} tests`;
  const [covered, alarms] = [liftCoverage(all), falseAlarms(all)];
  return [
    ...rows,
    between({ anchor, measure: 'coverage', goal: '.83–.96' }, covered.value, [0.83, 0.96], partText(covered)),
    between({ anchor, measure: 'false alarms', goal: '≤ .18' }, alarms.value, [0, 0.18], partText(alarms)),
  ];
}

function plant(days: readonly string[], values: Record<string, number[]>, index: number): Planted {
  const random = new Random(909, index);
  const planted = PLANTED[index % PLANTED.length] ?? 0;
  const places = Object.keys(values).map((name) => ({ name, order: random.unit() }));
  places.sort((a, b) => a.order - b.order);
  const treated = places.slice(0, random.whole(1, 3)).map(({ name }) => name);
  const length = random.whole(10, 21);
  const from = random.whole(LEAST_BEFORE, days.length - length);
  const isTest = (day: number): boolean => day >= from && day < from + length;
  let truth = 0;
  const changed = Object.entries(values).map(([name, series]) => [
    name,
    series.map((value, day) => {
      if (!treated.includes(name) || !isTest(day)) return value;
      truth += planted * value;
      return value * (1 + planted);
    }),
  ]);
  const [testFrom, testTo] = [days[from] ?? '', days[from + length - 1] ?? ''];
  return {
    days,
    values: Object.fromEntries(changed) as Record<string, number[]>,
    treated,
    testFrom,
    testTo,
    truth,
    planted,
  };
}

async function judge(bench: Bench, name: string, { days, values, treated, ...test }: Planted): Promise<JudgedTest> {
  const { testFrom, testTo, truth, planted } = test;
  const rows = Object.entries(values).flatMap(([place, series]) =>
    series.map((value, day) => [place, days[day] ?? '', value]),
  );
  const file = writeCells(bench, name, [['place', 'date', 'value'], ...rows]);
  const words = ['--date', 'date', '--target', 'value', '--place', 'place', '--treated', treated.join(',')];
  const span = ['--test-from', testFrom, '--test-to', testTo];
  return { test: await bench.threads.tallyport<LiftTest>('lift', 'fit', file, ...words, ...span), truth, planted };
}

function panelOf(path: string): { days: string[]; values: Record<string, number[]> } {
  const [header = [], ...rows] = readCells(path);
  const [place, day, value] = ['location', 'date', 'Y'].map((name) => header.indexOf(name)) as [number, number, number];
  const days = [...new Set(rows.map((row) => row[day] ?? ''))].sort();
  const values: Record<string, number[]> = {};
  for (const row of rows) {
    const series = (values[row[place] ?? ''] ??= days.map(() => 0));
    series[days.indexOf(row[day] ?? '')] = Number(row[value]);
  }
  return { days, values };
}

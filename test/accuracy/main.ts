import { parseArgs } from 'node:util';
import { Bench, MissingData, type Check } from './bench.js';
import { geoLiftPreTest, heldOutPanels } from './lift-planted.js';
import { armaData, californiaProp99, causalpyGeolift, comparisonData, geoLiftTest, vignette } from './lift-public.js';
import { demandDriven, heldOutMixes } from './mix-held-out.js';
import { neverIdentified, properties } from './mix-properties.js';
import { geoAllChannels, mmmExample, mmmRoasData, robynWeekly } from './mix-public.js';
import { ownS1, smallBusiness } from './mix-simulated.js';
import { rowsText, type Row } from './row.js';
import { liftTime, mixTimes } from './times.js';

/** In the order of the table of goals. */
const CHECKS: Record<string, Check> = {
  mmm_example: mmmExample,
  mmm_roas_data: mmmRoasData,
  own_S1: ownS1,
  pymclabs_small_business: smallBusiness,
  geo_all_channels: geoAllChannels,
  dt_simulated_weekly: robynWeekly,
  demand: demandDriven,
  properties,
  'never-identified': neverIdentified,
  'mix-times': mixTimes,
  vignette_seed1: vignette,
  arma_data: armaData,
  comparison_data: comparisonData,
  'causalpy-geolift': causalpyGeolift,
  california_prop99: californiaProp99,
  GeoLift_Test: geoLiftTest,
  GeoLift_PreTest: geoLiftPreTest,
  'lift-time': liftTime,
  'held-out-mixes': heldOutMixes,
  'held-out-panels': heldOutPanels,
};

/**
 * Measures the models against their goals: all of them, or those with a name given as an argument. Ends with a table, and
 * with 1 when a goal is missed; times are only shown.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seeds: { type: 'string', default: '12' },
    'first-seed': { type: 'string', default: '9001' },
    tests: { type: 'string', default: '480' },
  },
});
const unknown = positionals.filter((name) => !Object.hasOwn(CHECKS, name));
if (unknown.length > 0) {
  process.stderr.write(`There is no check ${unknown.join(', ')}; there are ${Object.keys(CHECKS).join(', ')}.\n`);
  process.exit(2);
}
process.stdout.on('error', () => undefined);
const bench = new Bench(Number(values.seeds), Number(values['first-seed']), Number(values.tests));
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    void bench.close().finally(() => process.exit(1));
  });
}
const rows: Row[] = [];
try {
  for (const [name, check] of Object.entries(CHECKS)) {
    if (positionals.length > 0 && !positionals.includes(name)) continue;
    const start = performance.now();
    const measured = await measure(name, check);
    rows.push(...measured);
    const missed = measured.filter(({ isReached }) => isReached === false).length;
    const seconds = ((performance.now() - start) / 1000).toFixed(0);
    process.stderr.write(`${name}: ${measured.length} rows, ${missed} missed, ${seconds} s\n`);
  }
} finally {
  await bench.close();
}
const missed = rows.filter(({ isReached }) => isReached === false);
const judged = rows.filter(({ isReached }) => isReached !== null);
process.stdout.write(`${rowsText(rows)}\n\n${judged.length} goals, ${missed.length} missed.\n`);
process.exitCode = missed.length === 0 ? 0 : 1;

async function measure(name: string, check: Check): Promise<Row[]> {
  try {
    return await check(bench);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    if (error instanceof MissingData) {
      return [{ anchor: name, measure: 'skipped', measured: reason, goal: '', isReached: null }];
    }
    return [{ anchor: name, measure: 'failed', measured: reason, goal: '', isReached: false }];
  }
}

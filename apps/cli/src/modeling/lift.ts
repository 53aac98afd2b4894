import { basename } from 'node:path';
import type { Command } from 'commander';
import type { LiftInput } from '#apps/mmm-lift/src/lift/lift-input.js';
import { evaluateLift } from '#apps/mmm-lift/src/lift/evaluate-lift.js';
import type { LiftRequest } from '#contracts/modeling/lift-test.js';
import type { Session } from '../session.js';
import { filledList, list } from '../values.js';
import { explainFailure } from './explain-failure.js';
import { fileLiftTest } from './file-run.js';
import { readLiftFile } from './lift-file.js';
import { liftText } from './lift-text.js';
import { period, seed } from './values.js';

interface FitOptions {
  date?: string;
  target: string;
  place?: string;
  treated?: string[];
  controls?: string[];
  controlColumns?: string[];
  testFrom: string;
  testTo: string;
  preFrom?: string;
  period?: 7 | 1;
  seed: number;
}

export function addLiftCommands(tallyport: Command, session: Session): void {
  const group = tallyport.command('lift').description('lift tests');

  const fit = session
    .command(group, 'fit <file>', 'evaluate a test in a CSV file, as the service does')
    .option('--date <column>', 'dates, or whole numbers such as years; without it the rows are numbered from 1')
    .requiredOption('--target <column>', 'the outcome; in a wide file that of the treated')
    .option('--place <column>', 'the places of a long file, with one row for each period and place')
    .option('--treated <places>', 'the treated places, with commas between the names', filledList)
    .option('--controls <places>', 'places to compare with; without it all others', list)
    .option('--control-columns <columns>', "columns of a wide file to compare with; '' for none", list)
    .requiredOption('--test-from <date or row>', 'the first period of the test')
    .requiredOption('--test-to <date or row>', 'the last period of the test')
    .option('--pre-from <date or row>', 'the first period to learn from; without it the first of the file')
    .option('--period <7 or 1>', 'whether rows have a rhythm of seven; without it days have', period)
    .option('--seed <number>', 'of the random numbers', seed, 1)
    .addHelpText('after', '\nIntervals are of 90 %. The same file and seed give the same numbers.');
  fit.action(
    session.answer((file: string, options: FitOptions) =>
      explainFailure(async () => {
        checkUsage(fit, options);
        const { date, place, treated = [], controls = [], controlColumns = [], preFrom, period, ...rest } = options;
        const columns = { date, place, treated, controls, controlColumns, preFrom, period };
        const input = await readLiftFile(file, { ...rest, ...columns });
        const test = fileLiftTest(basename(file), requestOf(input, options), evaluateLift(input));
        return { json: test, text: liftText(test) };
      }),
    ),
  );
}

/** A file is long or wide. */
function checkUsage(command: Command, { date, place, treated, controls, controlColumns }: FitOptions): void {
  const refuse = (text: string): never => command.error(`error: ${text}`, { exitCode: 2 });
  if (place === undefined && (treated !== undefined || controls !== undefined))
    refuse('--treated and --controls name places: give --place too');
  if (place !== undefined && treated === undefined) refuse('--place needs --treated');
  if (place !== undefined && date === undefined) refuse('--place needs --date: rows of several places have no number');
  if ((place === undefined) === (controlColumns === undefined))
    refuse("give either --place and --treated, or --control-columns ('' for none)");
}

/** What a request to the service would have said. */
function requestOf(
  input: LiftInput,
  { place, controlColumns, testFrom, testTo }: FitOptions,
): Omit<LiftRequest, 'name'> {
  const { days, preLength } = input;
  return {
    metric: input.metric,
    channels: [],
    campaigns: [],
    spend: null,
    geo_level: null,
    treated: place === undefined ? [] : input.treated,
    controls: place === undefined ? [] : input.controls.map(({ name }) => name),
    control_metrics: controlColumns ?? [],
    test_from: days[preLength] ?? testFrom,
    test_to: days.at(-1) ?? testTo,
    tail_days: 0,
    pre_from: days[0] ?? '',
    seed: input.seed,
  };
}

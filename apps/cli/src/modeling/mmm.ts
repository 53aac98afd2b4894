import type { Command } from 'commander';
import { fitMix } from '#apps/mmm-lift/src/mmm/fit-mix.js';
import type { Session } from '../session.js';
import { filledList, list } from '../values.js';
import { addControlsCommands } from './controls.js';
import { explainFailure } from './explain-failure.js';
import { fileMixRun } from './file-run.js';
import { readMixFile } from './mix-file.js';
import { mixText } from './mix-text.js';
import { seed } from './values.js';

interface FitOptions {
  date: string;
  target: string;
  channels: string[];
  controls?: string[];
  liftTests?: string;
  count?: boolean;
  seed: number;
}

export function addMmmCommands(tallyport: Command, session: Session): void {
  const group = tallyport.command('mmm').description('marketing mix models');

  session
    .command(group, 'fit <file>', 'fit a model to a CSV file of weekly rows, as the service does')
    .requiredOption('--date <column>', 'dates of the weeks, on any weekday: a week ends on the Sunday on or after')
    .requiredOption('--target <column>', 'what is explained; empty where nothing is known')
    .requiredOption('--channels <columns>', 'spend, with commas between the names', filledList)
    .option('--controls <columns>', 'other influences, with commas between the names', list)
    .option('--lift-tests <file>', 'JSON array of {channel, from, to, value, se}: return on all spend of these weeks')
    .option('--count', 'the target is a count and no money: return on spend stays empty')
    .option('--seed <number>', 'of the random numbers', seed, 1)
    .addHelpText(
      'after',
      '\nIntervals are 90 % credible intervals, conditional on the model. The same file and seed give the same numbers.',
    )
    .action(
      session.answer((file: string, { channels, controls, liftTests, count, ...rest }: FitOptions) =>
        explainFailure(async () => {
          const columns = { channels, controls: controls ?? [], liftTests, count: count === true };
          const input = await readMixFile(file, { ...rest, ...columns });
          const run = fileMixRun(rest.target, fitMix(input));
          return { json: run, text: mixText(run) };
        }),
      ),
    );

  addControlsCommands(group, session);
}

import { readFileSync } from 'node:fs';
import type { MixInput, MixInputTest } from '#apps/mmm-lift/src/mmm/mix-input.js';
import { sundayOf } from '#apps/mmm-lift/src/prepare/calendar.js';
import { channelKey } from '#contracts/channels/channel-key.js';
import { CommandFailure } from '../session.js';
import { parseDay } from './parse-day.js';

/**
 * Lift tests from a JSON file, `[{"channel", "from", "to", "value", "se"}]`: what a unit of spend brought and its standard
 * error, where all spend of the channel was tested in the weeks of `from` to `to`. Weeks outside the window are cut.
 *
 * @throws CommandFailure naming the test and the member that is wrong
 */
export function readMixTests(path: string, { weeks, channels }: MixInput): MixInputTest[] {
  return testsIn(path).map((item, index) => {
    const wrong = (what: string): CommandFailure => new CommandFailure(`${path}, test ${index + 1}: ${what}.`);
    const test = { ...(item as Record<string, unknown>) };
    const name = typeof test['channel'] === 'string' ? test['channel'] : '';
    const channel = channels.find(({ slug }) => slug === channelKey(name));
    if (channel === undefined) throw wrong(`${JSON.stringify(name)} is no channel with spend in the file`);
    const [first, last] = ['from', 'to'].map((member) => {
      const day = typeof test[member] === 'string' ? parseDay(test[member]) : undefined;
      if (day === undefined) throw wrong(`${member} is not a date such as 2026-03-01`);
      return sundayOf(day);
    }) as [string, string];
    const tested = weeks.map((week) => (week >= first && week <= last ? 1 : 0));
    const from = tested.indexOf(1);
    if (from < 0) throw wrong('from and to name no week of the window');
    const [value, se] = [test['value'], test['se']];
    if (typeof value !== 'number' || !Number.isFinite(value)) throw wrong('value is not a number');
    if (typeof se !== 'number' || !Number.isFinite(se) || se <= 0) throw wrong('se is not a number over 0');
    if (!channel.spend.some((amount, week) => amount > 0 && tested[week] === 1)) {
      throw wrong(`${JSON.stringify(name)} has no spend in these weeks`);
    }
    return { testId: null, channel: channel.slug, from, to: tested.lastIndexOf(1), tested, value, se };
  });
}

function testsIn(path: string): unknown[] {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw new CommandFailure(`There is no file ${path}.`);
    throw new CommandFailure(`${path} can't be read: ${error instanceof Error ? error.message : String(error)}`);
  }
  let tests: unknown;
  try {
    tests = JSON.parse(text);
  } catch {
    throw new CommandFailure(`${path} is no JSON.`);
  }
  if (!Array.isArray(tests)) throw new CommandFailure(`${path} is no JSON array of tests.`);
  return tests;
}

import type { MixInput, MixInputChannel } from '#apps/mmm-lift/src/mmm/mix-input.js';
import { poolChannels } from '#apps/mmm-lift/src/prepare/pool-channels.js';
import { addDays, sundayOf, sundaysFromTo } from '#apps/mmm-lift/src/prepare/calendar.js';
import { channelKey } from '#contracts/channels/channel-key.js';
import { channelMapping, classifyChannel } from '#contracts/channels/classify-channel.js';
import { RunFailure } from '#contracts/modeling/run-state.js';
import { readMixTests } from './mix-tests-file.js';
import { CsvTable } from './read-table.js';

/** Days of spend before the window that may still work in it: 26 weeks. */
const DAYS_BEFORE = 182;
const MILLION = 1_000_000;
/** A file has no asset whose mapping could be asked. */
const NO_MAPPING = channelMapping([]);

export interface MixFileOptions {
  date: string;
  target: string;
  channels: readonly string[];
  controls: readonly string[];
  /** A JSON file. */
  liftTests: string | undefined;
  /** The target is a count, and no money. */
  count: boolean;
  seed: number;
}

interface FileWeek {
  fileLine: number;
  target: number | null;
  spend: number[];
  controls: (number | undefined)[];
}

/**
 * The input of a mix model from a file of weekly rows, in any order and dated on any weekday. A week without a row, or
 * with an empty target, is missing; an empty spend is 0. The window goes from the first to the last week with a target;
 * up to 26 weeks of spend before it start the carry-over. Columns that are the same channel are added up, as the service
 * does.
 *
 * @throws CommandFailure naming line and column · RunFailure `target_unavailable`, `no_cost`, `control_gap`
 */
export async function readMixFile(path: string, options: MixFileOptions): Promise<MixInput> {
  const weeks = weeksOf(await CsvTable.read(path), options);
  const sundays = [...weeks.keys()].sort();
  const known = sundays.filter((sunday) => weeks.get(sunday)?.target !== null);
  const [first, last] = [known[0], known.at(-1)];
  if (first === undefined || last === undefined) throw new RunFailure('target_unavailable');
  const window = sundaysFromTo(first, last);
  const earliest = [sundays[0] ?? first, addDays(first, -DAYS_BEFORE)].sort()[1] ?? first;
  const channels = channelsOf(options.channels, weeks, window, sundaysFromTo(earliest, addDays(first, -7)));
  const input: MixInput = {
    target: options.target,
    isCount: options.count,
    weeks: window,
    y: window.map((sunday) => weeks.get(sunday)?.target ?? null),
    channels,
    controls: controlsOf(options.controls, weeks, window),
    tests: [],
    conversionValue: null,
    averageOrderValue: null,
    currency: null,
    warnings: [],
    seed: options.seed,
  };
  return options.liftTests === undefined ? input : { ...input, tests: readMixTests(options.liftTests, input) };
}

/** By their Sunday. */
function weeksOf(table: CsvTable, options: MixFileOptions): Map<string, FileWeek> {
  const date = table.column(options.date);
  const target = table.column(options.target);
  const channels = options.channels.map((name) => table.column(name));
  const controls = options.controls.map((name) => table.column(name));
  const weeks = new Map<string, FileWeek>();
  for (const row of table.rows) {
    const sunday = sundayOf(table.day(row, date));
    const other = weeks.get(sunday);
    if (other !== undefined) {
      const what = `the week that ends on ${sunday} stands on line ${other.fileLine} already, give one row a week`;
      throw table.wrong(row, date, what);
    }
    const spend = channels.map((column) => {
      const amount = table.number(row, column) ?? 0;
      if (amount < 0) throw table.wrong(row, column, 'spend must not be negative');
      return amount;
    });
    weeks.set(sunday, {
      fileLine: row.fileLine,
      target: table.number(row, target) ?? null,
      spend,
      controls: controls.map((column) => table.number(row, column)),
    });
  }
  return weeks;
}

/** Those with spend in a week with a target, by slug; of equally named columns the first name in byte order is shown. */
function channelsOf(
  names: readonly string[],
  weeks: ReadonlyMap<string, FileWeek>,
  window: readonly string[],
  before: readonly string[],
): MixInputChannel[] {
  const bySlug = new Map<string, MixInputChannel>();
  for (const name of [...names].sort()) {
    const slug = channelKey(name);
    const { family } = classifyChannel(name, NO_MAPPING);
    const nothing = { slug, name, family, spend: window.map(() => 0), before: before.map(() => 0) };
    const channel = bySlug.get(slug) ?? nothing;
    const column = names.indexOf(name);
    const add = (sums: readonly number[], at: readonly string[]): number[] =>
      sums.map((sum, week) => sum + (weeks.get(at[week] ?? '')?.spend[column] ?? 0));
    bySlug.set(slug, { ...channel, spend: add(channel.spend, window), before: add(channel.before, before) });
  }
  const isKnown = window.map((sunday) => typeof weeks.get(sunday)?.target === 'number');
  const channels = [...bySlug.values()].filter(({ spend }) =>
    spend.some((amount, week) => amount > 0 && isKnown[week] === true),
  );
  if (channels.length === 0) throw new RunFailure('no_cost');
  return pooled(channels).sort((a, b) => (a.slug < b.slug ? -1 : 1));
}

/** The smallest of very many are one, as in the service, which adds up in millionths. */
function pooled(channels: readonly MixInputChannel[]): MixInputChannel[] {
  const bySlug = new Map(channels.map((channel) => [channel.slug, channel]));
  const exact = channels.map(({ spend, before, ...rest }) => ({
    ...rest,
    spend: spend.map((amount) => BigInt(Math.round(amount * MILLION))),
    before: before.map((amount) => BigInt(Math.round(amount * MILLION))),
  }));
  const numbers = (amounts: readonly bigint[]): number[] => amounts.map((amount) => Number(amount) / MILLION);
  return poolChannels(exact, new Set()).map(
    (channel) =>
      bySlug.get(channel.slug) ?? { ...channel, spend: numbers(channel.spend), before: numbers(channel.before) },
  );
}

function controlsOf(
  names: readonly string[],
  weeks: ReadonlyMap<string, FileWeek>,
  window: readonly string[],
): MixInput['controls'] {
  const controls = names.map((name, index) => ({
    name,
    values: window.map((sunday) => {
      const value = weeks.get(sunday)?.controls[index];
      if (value === undefined) throw new RunFailure('control_gap', { control: name, week_end: sunday });
      return value;
    }),
  }));
  return controls.sort((a, b) => (a.name < b.name ? -1 : 1));
}

import type { Command } from 'commander';
import { sundayOf } from '#apps/mmm-lift/src/prepare/calendar.js';
import { CommandFailure, type Session } from '../session.js';
import { table } from '../table.js';
import { withDatabase } from '../with-database.js';
import { findAsset } from './find-asset.js';
import { CsvTable } from './read-table.js';

interface ControlValue {
  name: string;
  weekEnd: string;
  value: number;
}

export function addControlsCommands(mmm: Command, session: Session): void {
  const group = mmm.command('controls').description('outside influences that models of an asset take into account');

  session
    .command(group, 'load <file>', 'store weekly values from a CSV file; a week that is known already is replaced')
    .requiredOption('--asset <id>', 'id of the asset')
    .addHelpText(
      'after',
      '\nColumns name, week_end and value; or week_end and one column for each control. A date on any weekday stands for' +
        '\nthe week that ends on the Sunday on or after it. A control must cover every week of a model.',
    )
    .action(
      session.answer(async (file: string, { asset }: { asset: string }) => {
        const values = controlValues(await CsvTable.read(file));
        const assetId = await withDatabase(session.env, async (dataSource) => {
          const found = await findAsset(dataSource, asset);
          await dataSource.query(
            `INSERT INTO modeling.control (asset_id, name, week_end, value)
             SELECT $1, * FROM unnest($2::text[], $3::date[], $4::double precision[])
                 ON CONFLICT (asset_id, name, week_end) DO UPDATE SET value = excluded.value`,
            [
              found,
              values.map(({ name }) => name),
              values.map(({ weekEnd }) => weekEnd),
              values.map(({ value }) => value),
            ],
          );
          return found;
        });
        const controls = summaries(values);
        const rows = controls.map(({ name, weeks, from, to }) => [name, String(weeks), from, to]);
        return { json: { asset_id: assetId, controls }, text: table(['CONTROL', 'WEEKS', 'FROM', 'TO'], rows) };
      }),
    );
}

/** @throws CommandFailure for a cell that is wrong, or a week that a control has twice */
function controlValues(file: CsvTable): ControlValue[] {
  const isLong = file.header.includes('name') && file.header.includes('value');
  const dateColumn = file.column(['week_end', 'week', 'date'].find((name) => file.header.includes(name)) ?? 'week_end');
  const valueColumns = isLong
    ? [file.column('value')]
    : [...file.header.keys()].filter((column) => column !== dateColumn && file.header[column] !== '');
  if (valueColumns.length === 0) throw new CommandFailure(`${file.path} has no column but its dates.`);
  const seen = new Set<string>();
  return file.rows.flatMap((row) => {
    const weekEnd = sundayOf(file.day(row, dateColumn));
    return valueColumns.flatMap((column) => {
      const nameColumn = isLong ? file.column('name') : column;
      const name = isLong ? file.text(row, nameColumn) : (file.header[column] ?? '');
      if (name === '') throw file.wrong(row, nameColumn, 'the name is empty');
      const value = file.number(row, column);
      if (value === undefined) {
        if (isLong) throw file.wrong(row, column, 'the value is empty');
        return [];
      }
      const key = `${weekEnd} ${name}`;
      if (seen.has(key)) throw file.wrong(row, dateColumn, `${name} has a value for the week of ${weekEnd} already`);
      seen.add(key);
      return [{ name, weekEnd, value }];
    });
  });
}

function summaries(values: readonly ControlValue[]): { name: string; weeks: number; from: string; to: string }[] {
  const names = [...new Set(values.map(({ name }) => name))].sort();
  return names.map((name) => {
    const weeks = values.filter((value) => value.name === name).map(({ weekEnd }) => weekEnd);
    weeks.sort();
    return { name, weeks: weeks.length, from: weeks[0] ?? '', to: weeks.at(-1) ?? '' };
  });
}

import type { Command } from 'commander';
import type { Session } from '../session.js';
import { table } from '../table.js';
import { withDatabase } from '../with-database.js';
import { CsvTable } from './read-table.js';

interface Rate {
  currency: string;
  day: string;
  /** As it was written: rates are stored to the digit. */
  rate: string;
}

export function addFxCommands(tallyport: Command, session: Session): void {
  const group = tallyport.command('fx').description('exchange rates, for models whose spend is in several currencies');

  session
    .command(group, 'load <file>', 'store daily rates from a CSV file; a day that is known already is replaced')
    .addHelpText(
      'after',
      '\nColumns currency, day and rate: units of one common currency, the same in the whole file and in all others, for' +
        '\none unit of this. The common currency needs no rows.',
    )
    .action(
      session.answer(async (file: string) => {
        const rates = ratesOf(await CsvTable.read(file));
        await withDatabase(session.env, (dataSource) =>
          dataSource.query(
            `INSERT INTO modeling.fx_rate (currency, day, rate)
             SELECT * FROM unnest($1::text[], $2::date[], $3::numeric[])
                 ON CONFLICT (currency, day) DO UPDATE SET rate = excluded.rate`,
            [rates.map(({ currency }) => currency), rates.map(({ day }) => day), rates.map(({ rate }) => rate)],
          ),
        );
        const currencies = [...new Set(rates.map(({ currency }) => currency))].sort();
        const counted = currencies.map((currency) => {
          const days = rates.filter((rate) => rate.currency === currency).map(({ day }) => day);
          days.sort();
          return { currency, days: days.length, from: days[0] ?? '', to: days.at(-1) ?? '' };
        });
        const rows = counted.map(({ currency, days, from, to }) => [currency, String(days), from, to]);
        return { json: { rates: counted }, text: table(['CURRENCY', 'DAYS', 'FROM', 'TO'], rows) };
      }),
    );
}

/** @throws CommandFailure for a cell that is wrong, or a day that a currency has twice */
function ratesOf(file: CsvTable): Rate[] {
  const currencyColumn = file.column('currency');
  const dayColumn = file.column(file.header.includes('day') ? 'day' : 'date');
  const rateColumn = file.column('rate');
  const seen = new Set<string>();
  return file.rows.map((row) => {
    const currency = file.text(row, currencyColumn).toUpperCase();
    if (!/^[A-Z]{3}$/.test(currency)) throw file.wrong(row, currencyColumn, 'a currency has three letters such as EUR');
    const day = file.day(row, dayColumn);
    if (!((file.number(row, rateColumn) ?? 0) > 0)) throw file.wrong(row, rateColumn, 'a rate is a number over 0');
    const key = `${currency} ${day}`;
    if (seen.has(key)) throw file.wrong(row, dayColumn, `${currency} has a rate for ${day} already`);
    seen.add(key);
    return { currency, day, rate: file.text(row, rateColumn) };
  });
}

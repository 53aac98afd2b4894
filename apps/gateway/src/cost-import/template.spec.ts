import { expect, it } from '@jest/globals';
import type { CsvFile } from '#csv/write-csv.js';
import { costExample, costTemplate } from './template.js';

async function textOf({ chunks }: CsvFile): Promise<string> {
  let text = '';
  for await (const chunk of chunks) text += chunk.toString();
  return text;
}

async function datesOf(file: CsvFile): Promise<string[]> {
  return [...new Set((await textOf(file)).match(/^\d{4}-\d\d-\d\d/gm))];
}

const options = { bom: false, escapeFormulas: true };

it.each([
  ['2024-01-08', '2024-01-07', '2023-10-22'],
  ['2024-01-07', '2023-12-31', '2023-10-15'],
  ['2024-01-06', '2023-12-31', '2023-10-15'],
  ['2025-03-31', '2025-03-30', '2025-01-12'],
  ['2024-03-01', '2024-02-25', '2023-12-10'],
])('made on %s the last Sunday is %s and the first %s', async (today, last, first) => {
  const dates = await datesOf(costExample({ today, ...options }));
  expect(dates).toHaveLength(12);
  expect([dates.at(-1), dates[0]]).toEqual([last, first]);
  expect(await datesOf(costTemplate({ today, ...options }))).toEqual([last]);
});

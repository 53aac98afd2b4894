import { createWriteStream } from 'node:fs';
import { once } from 'node:events';
import { finished } from 'node:stream/promises';

const CHANNELS = ['Google Ads', 'Meta Ads', 'TikTok', 'Bing Ads', 'LinkedIn', 'Criteo', 'YouTube', 'Taboola'];
const COMBINATIONS_PER_DAY = 3_150;
/** The day of row 0; a year of rows ends in the past, so that no row draws a warning. */
const FIRST_DAY = Date.UTC(2024, 0, 1);

/** The rows of the file that the goals speak of: 62 MB. */
export const LARGE_FILE_ROWS = Number(process.env['BENCH_ROWS'] ?? 1_150_000);

export interface CostFileOptions {
  rows: number;
  /** Number of the first key: files whose numbers do not overlap share no row. Default: 0. */
  firstRow?: number;
  /** Added to every cost. Default: 0. */
  costShift?: number;
}

/** A daily file as a large advertiser has it: every row with a key of its own, about 54 bytes each, in order of date. */
export async function writeCostFile(
  path: string,
  { rows, firstRow = 0, costShift = 0 }: CostFileOptions,
): Promise<void> {
  const file = createWriteStream(path);
  file.write('date,channel,source,campaign,cost,currency,revenue\n');
  let lines = '';
  for (let row = firstRow; row < firstRow + rows; row++) {
    const combination = row % COMBINATIONS_PER_DAY;
    const day = Math.floor(row / COMBINATIONS_PER_DAY);
    const date = new Date(FIRST_DAY + day * 86_400_000).toISOString().slice(0, 10);
    const cost = (((row * 7_919) % 500_000) / 100 + costShift).toFixed(2);
    const revenue = (((row * 104_729) % 900_000) / 100).toFixed(2);
    lines += `${date},${CHANNELS[combination % CHANNELS.length]},s${combination % 21},cmp${combination},${cost},USD,${revenue}\n`;
    if (lines.length > 1 << 20) {
      if (!file.write(lines)) await once(file, 'drain');
      lines = '';
    }
  }
  file.end(lines);
  await finished(file);
}

import { createWriteStream } from 'node:fs';
import { once } from 'node:events';
import { finished } from 'node:stream/promises';

const CHANNELS = ['Google Ads', 'Meta Ads', 'TikTok', 'Bing Ads', 'LinkedIn', 'Criteo', 'YouTube', 'Taboola'];
const COMBINATIONS_PER_DAY = 3_150;

/** A daily file as a large advertiser has it: every row with a key of its own, about 54 bytes each, in order of date. */
export async function writeCostFile(path: string, rows: number, costShift = 0): Promise<void> {
  const file = createWriteStream(path);
  file.write('date,channel,source,campaign,cost,currency,revenue\n');
  const first = Date.UTC(2025, 0, 1);
  let lines = '';
  for (let row = 0; row < rows; row++) {
    const combination = row % COMBINATIONS_PER_DAY;
    const date = new Date(first + Math.floor(row / COMBINATIONS_PER_DAY) * 86_400_000).toISOString().slice(0, 10);
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

import { dayText } from '#contracts/calendar-day.js';
import type { Column } from '#csv/column.js';
import { writeCsv } from '#csv/write-csv.js';
import { PAID_CHANNELS, type PaidChannel } from './channels.js';
import { spendOf } from './demand.js';
import { EXPERIMENT, experimentSpend } from './experiment.js';
import { Random } from './random.js';

interface CostRow {
  date: string;
  channel: string;
  source: string;
  campaign: string;
  cost: string;
  currency: string;
  revenue: string;
}

const COLUMNS: readonly Column<CostRow>[] = [
  { key: 'date', header: 'date', type: 'date', value: (row) => row.date },
  { key: 'channel', header: 'channel', type: 'text', value: (row) => row.channel },
  { key: 'source', header: 'source', type: 'text', value: (row) => row.source },
  { key: 'campaign', header: 'campaign', type: 'text', value: (row) => row.campaign },
  { key: 'cost', header: 'cost', type: 'decimal', decimals: 2, value: (row) => row.cost },
  { key: 'currency', header: 'currency', type: 'text', value: (row) => row.currency },
  { key: 'revenue', header: 'revenue', type: 'decimal', decimals: 2, value: (row) => row.revenue },
];

const REPORTED = 4;

/** The days from `first` to `last`, by channel and campaign, as `POST /api/v1/cost-import` takes it. */
export async function costFile(seed: number, first: number, last: number, currency: string): Promise<string> {
  const { chunks } = writeCsv(costRows(seed, first, last, currency), { columns: COLUMNS });
  let text = '';
  for await (const chunk of chunks) text += chunk.toString();
  return text;
}

function* costRows(seed: number, first: number, last: number, currency: string): Generator<CostRow> {
  for (let day = first; day <= last; day++) {
    for (const [index, channel] of PAID_CHANNELS.entries()) {
      const spend = spendOf(seed, channel, day);
      const random = new Random(seed, REPORTED, index, day);
      for (const { name, share } of channel.campaigns) {
        const cost = spend * share * (1 + 0.08 * (random.unit() - 0.5));
        yield costRow(day, channel, name, cost, 0.8 + 0.4 * random.unit(), currency);
      }
    }
    const cost = experimentSpend(seed, day);
    if (cost > 0) yield costRow(day, EXPERIMENT.channel, EXPERIMENT.campaign, cost, 1, currency);
  }
}

/** @param luck factor on the revenue that the platform reports */
function costRow(
  day: number,
  { channel, source, claimedRoas }: PaidChannel,
  campaign: string,
  cost: number,
  luck: number,
  currency: string,
): CostRow {
  return {
    date: dayText(day),
    channel,
    source,
    campaign,
    cost: cost.toFixed(2),
    currency,
    revenue: (cost * claimedRoas * luck).toFixed(2),
  };
}

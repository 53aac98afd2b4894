import type { Column } from '#csv/column.js';
import { writeCsv, type CsvFile } from '#csv/write-csv.js';

interface CostSample {
  date: string;
  channel: string;
  cost: string;
  source: string;
  campaign: string;
  currency: string;
  revenue: string;
}

const COLUMNS: readonly Column<CostSample>[] = [
  { key: 'date', header: 'date', type: 'date', value: (row) => row.date },
  { key: 'channel', header: 'channel', type: 'text', value: (row) => row.channel },
  { key: 'cost', header: 'cost', type: 'decimal', decimals: 2, value: (row) => row.cost },
  { key: 'source', header: 'source', type: 'text', value: (row) => row.source },
  { key: 'campaign', header: 'campaign', type: 'text', value: (row) => row.campaign },
  { key: 'currency', header: 'currency', type: 'text', value: (row) => row.currency },
  { key: 'revenue', header: 'revenue', type: 'decimal', decimals: 2, value: (row) => row.revenue },
];

const GUIDANCE = [
  '# Advertising cost import. Lines that begin with # are not read.',
  '# date: YYYY-MM-DD, best the Sunday that ends the week; daily rows are accepted. Required.',
  '# channel: for example Google Ads, Meta Ads, TikTok; at most 256 characters. Required.',
  '# cost: a decimal number with a point and no currency symbol, 0 or more. Required.',
  '# source, campaign: optional; at most 256 characters.',
  '# currency: three letters (ISO 4217); USD when empty.',
  '# revenue: as reported by the platform; optional.',
  '# A row with the date, channel, source and campaign of an earlier one replaces its cost, currency and revenue.',
];

export interface TemplateOptions {
  /** `YYYY-MM-DD`, in the time zone of the asset. */
  today: string;
  bom: boolean;
  escapeFormulas: boolean;
}

/** Guidance, header, one sample row. */
export function costTemplate({ today, ...options }: TemplateOptions): CsvFile {
  const sample = {
    date: lastSundays(today, 1)[0] ?? today,
    channel: 'Google Ads',
    cost: '1250.00',
    source: 'google',
    campaign: 'Brand',
    currency: 'USD',
    revenue: '4300.00',
  };
  return writeCsv([sample], { columns: COLUMNS, preamble: GUIDANCE, ...options });
}

const EXAMPLE_WEEKS = 12;
const EXAMPLE_CHANNELS = [
  { channel: 'Google Ads', source: 'google', campaign: 'Brand', base: 1200, step: 35, roas: 3.6 },
  { channel: 'Meta Ads', source: 'facebook', campaign: 'Prospecting', base: 900, step: -22, roas: 2.4 },
  { channel: 'TikTok', source: 'tiktok', campaign: 'Video', base: 450, step: 18, roas: 1.7 },
];

/** Twelve weeks across three known channels; imports with no warning. */
export function costExample({ today, ...options }: TemplateOptions): CsvFile {
  const rows = lastSundays(today, EXAMPLE_WEEKS).flatMap((date, week) =>
    EXAMPLE_CHANNELS.map(({ channel, source, campaign, base, step, roas }) => {
      const cost = base + step * week + ((week * 37) % 11) * 8.25;
      return {
        date,
        channel,
        cost: cost.toFixed(2),
        source,
        campaign,
        currency: 'USD',
        revenue: (cost * roas).toFixed(2),
      };
    }),
  );
  return writeCsv(rows, { columns: COLUMNS, ...options });
}

/** The last `count` Sundays before today, oldest first. */
function lastSundays(today: string, count: number): string[] {
  const day = new Date(`${today}T00:00:00Z`);
  day.setUTCDate(day.getUTCDate() - (day.getUTCDay() === 0 ? 7 : day.getUTCDay()));
  return Array.from({ length: count }, (_, index) => {
    const sunday = new Date(day);
    sunday.setUTCDate(day.getUTCDate() - 7 * (count - 1 - index));
    return sunday.toISOString().slice(0, 10);
  });
}

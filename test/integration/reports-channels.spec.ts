import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { channelKey } from '#contracts/channels/channel-key.js';
import {
  golden,
  reportingTables,
  type AssetRows,
  type Counts,
  type ReportingTables,
} from '../fixtures/reporting-rows.js';

let tables: ReportingTables;
beforeAll(async () => {
  tables = await reportingTables();
});
afterAll(() => tables.stop());

/** Each name with its type and what happened under it, on one day. */
async function visits(asset: AssetRows, names: [channel: string, type: string, counts: Counts][]): Promise<void> {
  const channels = new Map<string, Required<Counts>>();
  for (const [channel, type, counts] of names) {
    const slug = channelKey(channel);
    const { sessions = 0, pageviews = 0, conversions = 0 } = counts;
    const { events = sessions + pageviews + conversions } = counts;
    await asset.day('spelling', [slug, channel, type], '2026-03-10', { ...counts, events });
    const sum = channels.get(slug) ?? { sessions: 0, pageviews: 0, conversions: 0, events: 0 };
    channels.set(slug, {
      sessions: sum.sessions + sessions,
      pageviews: sum.pageviews + pageviews,
      conversions: sum.conversions + conversions,
      events: sum.events + events,
    });
  }
  for (const [slug, counts] of channels)
    await asset.day('channel', [slug], '2026-03-10', counts, [{ users: Math.max(1, counts.sessions) }]);
}

function rowsOf(text: string): string[] {
  return text.split('\n').slice(1, -1);
}

describe('channels', () => {
  it('joins names of one channel, and what was spent on it', async () => {
    const asset = tables.newAsset();
    await visits(asset, [
      ['Google Ads', 'paid', { sessions: 5, pageviews: 20, conversions: 2 }],
      ['google', 'organic', { sessions: 4, pageviews: 4 }],
      ['ADWORDS', 'organic', { sessions: 3, pageviews: 3 }],
      ['tv', 'b', { sessions: 2, pageviews: 9 }],
      ['TV', 'a', { sessions: 2, pageviews: 1 }],
      ['Mail X', 'z', { pageviews: 3 }],
      ['mail x', 'y', { pageviews: 4 }],
      ['', '', { sessions: 1 }],
      ['§§', '', { sessions: 1 }],
      ['!!', '', { sessions: 1 }],
      ['=cmd|x', '@type', { sessions: 1 }],
      ['Meta', 'social', { sessions: 1 }],
      ['exact', '', { sessions: 1 }],
      ['Newsletter', 'email', { sessions: 1 }],
    ]);
    const day = '2026-03-31';
    await asset.cost({ date: '2026-03-01', channel: 'google', cost: '100.003', revenue: '250.005' });
    await asset.cost({ date: day, channel: 'Google Ads', cost: '0.002' });
    await asset.cost({ date: '2026-02-28', channel: 'google', cost: '1000' });
    await asset.cost({ date: '2026-04-01', channel: 'google', cost: '1000' });
    await asset.cost({ date: day, channel: 'Linear TV', cost: '0', revenue: '5' });
    await asset.cost({ date: day, channel: 'facebook', cost: '7', revenue: '1', currency: 'EUR' });
    await asset.cost({ date: day, channel: 'Meta Ads', cost: '7', revenue: '1', currency: 'USD' });
    await asset.cost({ date: day, channel: 'email', cost: '10', currency: 'CHF' });
    await asset.cost({ date: day, channel: '!!', cost: '1', revenue: '1.005' });
    await asset.cost({ date: day, channel: 'Exact', cost: '100000000000000', revenue: '100499999999999.999999' });
    await asset.cost({ date: day, channel: 'carrier-pigeon', cost: '50', campaign: 'a' });
    await asset.cost({ date: day, channel: 'Carrier pigeon', cost: '1', campaign: 'b' });
    await asset.cost({ date: day, channel: 'Carrier pigeon', cost: '1', campaign: 'c', longKey: 'digest' });
    await asset.cost({ date: day, channel: 'free', cost: '0' });

    const file = await asset.file('channels');
    expect(file.text).toBe(golden('channels.csv'));
    expect(file).toMatchObject({
      name: 'tallyport-channels-2026-03-01_2026-03-31.csv',
      rows: 11,
      limit: 5000,
      truncated: 0,
      formulasEscaped: 2,
      columnsOmitted: [],
      holdsCost: true,
    });
  });

  it('has no cost columns for a member with the restriction', async () => {
    const asset = tables.newAsset();
    await visits(asset, [['Google Ads', 'paid', { sessions: 5 }]]);
    await asset.cost({ date: '2026-03-01', channel: 'google', cost: '1' });
    const file = await asset.file('channels', { omitCost: true });
    expect(file.text).toBe('channel,channel_type,users,sessions,pageviews,conversions\nGoogle Ads,paid,5,5,0,0\n');
    expect(file).toMatchObject({
      columnsOmitted: ['spend', 'currency', 'reported_revenue', 'reported_roas'],
      holdsCost: false,
    });
    expect(await asset.file('sources', { omitCost: true })).toMatchObject({ columnsOmitted: [], holdsCost: false });
  });

  it('rounds half away from zero, on exact numbers', async () => {
    const asset = tables.newAsset();
    const amounts = [
      ['a', '0.005', '0.004999', '0.01,USD,0.00,1.00'],
      ['b', '3', '1', '3.00,USD,1.00,0.33'],
      ['c', '3', '2', '3.00,USD,2.00,0.67'],
      ['d', '8', '0.04', '8.00,USD,0.04,0.01'],
      ['e', '999999999999999.999999', '0.000001', '1000000000000000.00,USD,0.00,0.00'],
      ['f', '0.000001', '999999999999999.999999', '0.00,USD,1000000000000000.00,999999999999999999999.00'],
      ['g', '1', '0', '1.00,USD,0.00,0.00'],
    ] as const;
    for (const [channel, cost, revenue] of amounts) await asset.cost({ date: '2026-03-01', channel, cost, revenue });
    expect(rowsOf((await asset.file('channels')).text)).toEqual(
      amounts.map(([channel, , , cells]) => `${channel},,0,0,0,0,${cells}`),
    );
  });

  it('takes currency and name of a channel without events from rows of nothing too, whichever comes first', async () => {
    const asset = tables.newAsset();
    await asset.cost({ date: '2026-03-01', channel: 'a', cost: '0', currency: 'EUR' });
    await asset.cost({ date: '2026-03-02', channel: 'a', cost: '5', currency: 'USD', revenue: '10' });
    await asset.cost({ date: '2026-03-01', channel: 'b', cost: '5', currency: 'EUR', revenue: '10' });
    await asset.cost({ date: '2026-03-02', channel: 'b', cost: '0', currency: 'USD' });
    await asset.cost({ date: '2026-03-01', channel: 'C d', cost: '0' });
    await asset.cost({ date: '2026-03-01', channel: 'c-D', cost: '5', revenue: '9' });
    await asset.cost({ date: '2026-03-01', channel: 'e', cost: '0', currency: 'EUR' });
    await asset.cost({ date: '2026-03-02', channel: 'e', cost: '0', currency: 'USD', revenue: '0' });
    expect(rowsOf((await asset.file('channels')).text)).toEqual([
      'C d,,0,0,0,0,5.00,USD,9.00,1.80',
      'a,,0,0,0,0,,MIXED,,',
      'b,,0,0,0,0,,MIXED,,',
    ]);
  });

  it('counts channels of the cost table among those left out', async () => {
    const asset = tables.newAsset();
    await visits(asset, [['zz', '', { sessions: 1 }]]);
    await tables.dataSource.query(
      `INSERT INTO imports.cost_row (asset_id, import_id, line, date, cost, currency, channel, source, campaign)
       SELECT $1, $1, n, '2026-03-01', 1, 'USD', 'c' || n, '', '' FROM generate_series(10000, 15001) AS n`,
      [asset.assetId],
    );
    const file = await asset.file('channels');
    expect(file).toMatchObject({ rows: 5000, truncated: 3 });
    expect(rowsOf(file.text).filter((_, row) => [0, 1, 4999].includes(row))).toEqual([
      'zz,,1,1,0,0,,,,',
      'c10000,,0,0,0,0,1.00,USD,,',
      'c14998,,0,0,0,0,1.00,USD,,',
    ]);
  });
});

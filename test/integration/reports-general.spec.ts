import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { golden, reportingTables, type ReportingTables } from '../fixtures/reporting-rows.js';

let tables: ReportingTables;
beforeAll(async () => {
  tables = await reportingTables();
});
afterAll(() => tables.stop());

describe('reports by one dimension', () => {
  it('sources: most sessions first, then by source and medium in byte order, empty first', async () => {
    const asset = tables.newAsset();
    const one = [{ users: 1 }];
    await asset.day('source', ['google', 'cpc'], '2026-03-01', { sessions: 4, pageviews: 9, conversions: 1 }, [
      { users: 3 },
    ]);
    await asset.day('source', ['google', 'cpc'], '2026-03-05', { sessions: 2, pageviews: 2 }, [
      { users: 1 },
      { users: 1, seen: '2026-03-01' },
      { users: 5, seen: '2026-02-27' },
    ]);
    for (const cells of [
      ['ä', 'x'],
      ['z', 'x'],
      ['', 'x'],
      ['', ''],
      ['Z', 'x'],
      ['z', ''],
      ['😀', 'x'],
      ['\uffee', 'x'],
    ])
      await asset.day('source', cells, '2026-03-31', { sessions: 1, pageviews: 1 }, one);
    await asset.day('source', ['nobody', ''], '2026-03-02', {}, []);
    await asset.day('source', ['before', ''], '2026-02-28', { sessions: 50 }, [{ users: 50 }]);
    await asset.day('source', ['after', ''], '2026-04-01', { sessions: 50 }, [{ users: 50 }]);
    await asset.day('source', ['went on', ''], '2026-03-01', { pageviews: 3 }, [{ users: 2, seen: '2026-02-28' }]);
    await asset.day('source', ['clicked', ''], '2026-03-01', { events: 1 }, one);

    const file = await asset.file('sources');
    expect(file.text).toBe(golden('sources.csv'));
    expect(file).toMatchObject({
      name: 'tallyport-sources-2026-03-01_2026-03-31.csv',
      rows: 11,
      limit: 5000,
      truncated: 0,
      formulasEscaped: 0,
      columnsOmitted: [],
      holdsCost: false,
    });
    expect(file).not.toHaveProperty('generated');
  });

  it('geo and tech have their own cells', async () => {
    const asset = tables.newAsset();
    await asset.day('geo', ['DE', 'BE', 'Berlin'], '2026-03-01', { sessions: 1, pageviews: 2 }, [{ users: 1 }]);
    await asset.day('geo', ['DE', '', ''], '2026-03-01', { sessions: 1, conversions: 1 }, [{ users: 1 }]);
    await asset.day('geo', ['', '', ''], '2026-03-02', { sessions: 1 }, [{ users: 1 }]);
    await asset.day('tech', ['Firefox', 'Linux'], '2026-03-01', { sessions: 1, pageviews: 2 }, [{ users: 1 }]);
    await asset.day('tech', ['Firefox', '"Linux", they say'], '2026-03-02', { sessions: 2 }, [{ users: 2 }]);
    expect((await asset.file('geo')).text).toBe(golden('geo.csv'));
    expect((await asset.file('tech')).text).toBe(golden('tech.csv'));
    expect((await asset.file('tech', { bom: true })).text).toBe(`\ufeff${golden('tech.csv')}`);
  });

  it('reads the version that the asset is at, and never another asset', async () => {
    const [asset, other] = [tables.newAsset(), tables.newAsset()];
    await asset.day('tech', ['old', ''], '2026-03-01', { sessions: 1 }, [{ users: 1 }], 1);
    await asset.day('tech', ['new', ''], '2026-03-01', { sessions: 2 }, [{ users: 1 }], 2);
    await other.day('tech', ['other', ''], '2026-03-01', { sessions: 3 }, [{ users: 1 }]);
    expect((await asset.file('tech')).text).toContain('\nold,,1,1,0,0\n');
    await asset.insert('asset_state', { version: 2, building: 3 });
    expect((await asset.file('tech')).text).toBe('browser,os,users,sessions,pageviews,conversions\nnew,,1,2,0,0\n');
  });

  it('keeps the 5,000 rows with most sessions and says how many it left out', async () => {
    const asset = tables.newAsset();
    await tables.dataSource.query(
      `WITH d AS (
         INSERT INTO reporting.dimension (asset_id, kind, key_sha256, cells)
         SELECT $1, 4, sha256(n::text::bytea), ARRAY[n::text, ''] FROM generate_series(1, 5003) AS n RETURNING dim_id, cells
       )
       INSERT INTO reporting.rollup_day SELECT $1, 1, 4, '2026-03-01', dim_id, cells[1]::int, 0, 0, cells[1]::int FROM d`,
      [asset.assetId],
    );
    const file = await asset.file('tech');
    expect(file).toMatchObject({ rows: 5000, limit: 5000, truncated: 3 });
    const lines = file.text.split('\n');
    expect(lines.length).toBe(5002);
    expect([lines[1], lines[5000]]).toEqual(['5003,,0,5003,0,0', '4,,0,4,0,0']);
    const estimate = await asset.estimate('tech');
    expect(estimate).toMatchObject({ rows: 5003, limit: 5000 });
    expect(estimate.bytesPerRow).toBe('5003,,0,5003,0,0\n'.length);
  });

  it('guards text that looks like a formula, unless told not to', async () => {
    const asset = tables.newAsset();
    await asset.day('tech', ['=1+1', '-'], '2026-03-01', { sessions: 1 }, [{ users: 1 }]);
    await asset.day('tech', ['＝1', 'a=1'], '2026-03-01', { sessions: 2 }, [{ users: 1 }]);
    const file = await asset.file('tech');
    expect(file.text.split('\n').slice(1, 3)).toEqual(["'＝1,a=1,1,2,0,0", "'=1+1,'-,1,1,0,0"]);
    expect(file.formulasEscaped).toBe(3);
    const raw = await asset.file('tech', { escapeFormulas: false });
    expect(raw.text.split('\n').slice(1, 3)).toEqual(['＝1,a=1,1,2,0,0', '=1+1,-,1,1,0,0']);
    expect(raw.formulasEscaped).toBe(0);
  });
});

describe('overview', () => {
  it('has a row for each day with events; new users are those never there before', async () => {
    const asset = tables.newAsset();
    await asset.day('all', [], '2026-03-01', { sessions: 2, pageviews: 5, conversions: 1, events: 9 }, [
      { users: 2 },
      { users: 3, seen: '2026-02-01' },
    ]);
    await asset.day('all', [], '2026-03-02', { events: 0 });
    await asset.day('all', [], '2026-03-31', { events: 1 }, [{ users: 1, seen: '2026-03-01' }]);
    await asset.day('all', [], '2026-02-28', { events: 1 }, [{ users: 1 }]);
    const file = await asset.file('overview');
    expect(file.text).toBe(golden('overview.csv'));
    expect(file).toMatchObject({ name: 'tallyport-overview-2026-03-01_2026-03-31.csv', rows: 2, limit: 5000 });
  });
});

describe('a range without data', () => {
  it.each([
    [
      'channels',
      'channel,channel_type,users,sessions,pageviews,conversions,spend,currency,reported_revenue,reported_roas\n',
    ],
    ['sources', 'source,medium,users,sessions,pageviews,conversions\n'],
    ['geo', 'country,region,city,users,sessions,pageviews,conversions\n'],
    ['tech', 'browser,os,users,sessions,pageviews,conversions\n'],
    ['overview', 'date,users,new_users,sessions,pageviews,events,conversions\n'],
    ['users', 'global_user_id,email,phone,crm_client_id,first_seen_at,identified_at\n'],
    [
      'raw-events',
      'event_time,event_type,event_name,distinct_id,global_user_id,page_host,page_path,ft_channel,ft_source,lt_channel,ip,geo_country,geo_region,geo_city,ua_browser,ua_os\n',
    ],
    ['consent-records', 'consent_id,consent_at,action,accepted,rejected,mode,revision,config_version,locale\n'],
  ] as const)('%s is its header', async (name, header) => {
    const file = await tables.newAsset().file(name);
    expect(file.text).toBe(header);
    expect(file).toMatchObject({ rows: 0, truncated: 0, formulasEscaped: 0 });
    expect(await tables.newAsset().estimate(name)).toEqual({
      rows: 0,
      bytesPerRow: 0,
      limit: file.limit,
      bytesBeside: Buffer.byteLength(header),
    });
  });
});

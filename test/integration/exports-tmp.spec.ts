import { execFileSync } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { afterAll, beforeAll, it } from '@jest/globals';
import { ObjectStore } from '#storage/object-store.js';
import { Partitions, monthOf } from '#apps/reporting/src/ingest/partitions.js';
import { startService, type TestAsset, type TestService } from '../support/service.js';
let service: TestService; let asset: TestAsset;
const DAY = '2026-01-05';
beforeAll(async () => { service = await startService({JOB_POLL_MS: '250'}); asset = await service.newAsset();
  await new Partitions(service.dataSource).ensure([monthOf(Date.parse(DAY) * 1_000)]);
  await service.dataSource.query(
    `INSERT INTO reporting.event (asset_id, event_time, event_id, event_type, distinct_id, page_host, page_path, lt_channel, ip,
            geo_country, geo_region, geo_city, ua_browser, ua_os, formula_cells)
     SELECT $1, $2::date + i * interval '86 ms', 'e' || lpad(i::text, 9, '0'), 'page_view', md5((i / 7)::text),
            'shop.example.com', '/p/' || md5(i::text), 'Google Ads', '203.0.113.' || i % 250, 'DE', 'BE', 'Berlin', 'Firefox', 'Linux', 0
       FROM generate_series(1, $3::int) AS i`, [asset.assetId, DAY, 1_000_000]);
  await service.dataSource.query(
    `INSERT INTO reporting.rollup_day (asset_id, version, kind, day, dim_id, sessions, pageviews, conversions, events)
     VALUES ($1, 1, 0, $2, 0, 0, $3, 0, $3)`, [asset.assetId, DAY, 1_000_000]);
  await service.dataSource.query('VACUUM ANALYZE reporting.event'); 
}, 120_000);
afterAll(() => service.stop());
it('times', async () => {
  const store = service.app.get(ObjectStore);
  const put = store.put.bind(store); let putMs = 0; let putAt = 0;
  store.put = async (...args) => { putAt = performance.now(); await put(...args); putMs = performance.now() - putAt; };
  for (let i = 0; i < 4; i++) {
    const b = performance.now();
    const r = await fetch(`${service.baseUrl}/api/v1/events/raw?format=csv&from=${DAY}&to=${DAY}`, { headers: { Authorization: `Bearer ${asset.token}` } });
    const head = performance.now();
    await pipeline(r.body as never, createWriteStream('/tmp/ours.csv'));
    const end = performance.now();
    const p = performance.now();
    execFileSync('psql', ['-X', '-q', service.databaseUrl, '-c', `\\copy (SELECT to_char(event_time AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS event_time, event_type, event_name, distinct_id, global_user_id, page_host, page_path, ft_channel, ft_source, lt_channel, ip, geo_country, geo_region, geo_city, ua_browser, ua_os FROM reporting.event e WHERE asset_id = '${asset.assetId}' AND e.event_time >= '2026-01-05T00:00:00Z' AND e.event_time < '2026-01-06T00:00:00Z' ORDER BY e.event_time, e.event_id) TO '/tmp/theirs.csv' WITH (FORMAT csv, HEADER)`]);
    const psqlMs = performance.now() - p;
    process.stderr.write(`build ${(putAt - b).toFixed(0)} put ${putMs.toFixed(0)} to head ${(head - b).toFixed(0)} body ${(end - head).toFixed(0)} total ${(end - b).toFixed(0)}; psql ${psqlMs.toFixed(0)} ratio ${((end - b) / psqlMs).toFixed(2)} load ${''}\n`);
  }
}, 300_000);

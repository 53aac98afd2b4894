import { monthOf, Partitions } from '#apps/reporting/src/ingest/partitions.js';
import type { TestAsset } from '../support/service.js';
import type { Services } from './processes.js';

const DAY = '2026-08-01';

/** Events of one day, without the ingest: only the raw file knows of them, and how many there are. */
export async function fillEvents({ dataSource }: Services, { assetId }: TestAsset, count: number): Promise<void> {
  await new Partitions(dataSource).ensure([monthOf(Date.parse(DAY) * 1000)]);
  await dataSource.query(
    `INSERT INTO reporting.event (asset_id, event_time, event_id, event_type, distinct_id, page_path, formula_cells)
     SELECT $1, $2::timestamptz + n * interval '10 ms', lpad(n::text, 12, '0'), 'page_view', 'visitor-' || n % 9999,
            '/' || n % 977, 0
       FROM generate_series(1, $3::int) AS n`,
    [assetId, `${DAY}T00:00:00Z`, count],
  );
  await dataSource.query(
    `INSERT INTO reporting.rollup_day (asset_id, version, kind, day, dim_id, sessions, pageviews, conversions, events)
     VALUES ($1, 1, 0, $2, 0, 0, $3, 0, $3)`,
    [assetId, DAY, count],
  );
}

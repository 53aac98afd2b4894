import { createHash } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { Partitions, monthOf } from '#apps/reporting/src/ingest/partitions.js';
import { KIND } from '#apps/reporting/src/ingest/dimension-ids.js';
import type { TestAsset } from '../support/service.js';
import type { ServiceProcess } from './processes.js';

/** The day of all events below. */
export const DAY = '2026-01-05';
export const RAW = `/api/v1/events/raw?format=csv&from=${DAY}&to=${DAY}`;

/** So many raw events of one day, about 200 bytes each in the file, behind the back of the ingest. */
export async function fillRawEvents(dataSource: DataSource, { assetId }: TestAsset, count: number): Promise<void> {
  await new Partitions(dataSource).ensure([monthOf(Date.parse(DAY) * 1_000)]);
  await dataSource.query(
    `INSERT INTO reporting.event (asset_id, event_time, event_id, event_type, distinct_id, page_host, page_path, lt_channel, ip,
            geo_country, geo_region, geo_city, ua_browser, ua_os, formula_cells)
     SELECT $1, $2::date + i * interval '86 ms', 'e' || lpad(i::text, 9, '0'), 'page_view', md5((i / 7)::text),
            'shop.example.com', '/p/' || md5(i::text), 'Google Ads', '203.0.113.' || i % 250, 'DE', 'BE', 'Berlin', 'Firefox', 'Linux', 0
       FROM generate_series(1, $3::int) AS i`,
    [assetId, DAY, Math.min(count, 1_000_000)],
  );
  await dataSource.query(
    `INSERT INTO reporting.rollup_day (asset_id, version, kind, day, dim_id, sessions, pageviews, conversions, events)
     VALUES ($1, 1, $2, $3, 0, 0, $4, 0, $4)`,
    [assetId, KIND.all, DAY, count],
  );
}

export interface Download {
  status: number;
  headers: Headers;
  bytes: number;
  /** Of what came, in hex. */
  sha256: string;
  /** Of a problem. */
  text: string;
}

/** Reads a file to its end without keeping it. */
export async function download(
  { url }: ServiceProcess,
  { token }: TestAsset,
  path: string,
  headers: Record<string, string> = {},
): Promise<Download> {
  const response = await fetch(url + path, { headers: { Authorization: `Bearer ${token}`, ...headers } });
  const hash = createHash('sha256');
  let bytes = 0;
  let text = '';
  for await (const chunk of response.body ?? []) {
    hash.update(chunk);
    bytes += chunk.length;
    if (text.length < 2_000) text += Buffer.from(chunk).toString();
  }
  return { status: response.status, headers: response.headers, bytes, sha256: hash.digest('hex'), text };
}

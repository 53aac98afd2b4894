import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { join } from 'node:path';
import { Partitions, monthOf } from '#apps/reporting/src/ingest/partitions.js';
import { createDataSource } from '#database/data-source.js';
import { type Credentials, tallyport } from '#deploy/stack/first-start.js';
import { eventStream, type StreamEvent } from './event-stream.js';
import { psql } from './psql.js';

const COLUMNS = [
  'event_time', 'event_id', 'event_type', 'distinct_id', 'global_user_id', 'page_host', 'page_path', 'ft_channel', 'ft_source',
  'lt_channel', 'lt_channel_type', 'lt_source', 'lt_medium', 'lt_campaign', 'ip', 'geo_country', 'geo_region', 'geo_city',
  'ua_browser', 'ua_os',
] as const satisfies (keyof StreamEvent)[]; // prettier-ignore

/** Events of 90 days behind the back of the ingest, and their rollups rebuilt: ten million would take it a quarter of an hour. */
export async function fillEvents(
  { asset_id: assetId, database_url: url }: Credentials,
  count: number,
  folder: string,
): Promise<void> {
  const until = new Date();
  await makePartitions(url, until);
  const file = join(folder, 'events.tsv');
  await pipeline(Readable.from(lines(assetId, count, until)), createWriteStream(file));
  await psql(
    url,
    `\\copy reporting.event (asset_id, formula_cells, ${COLUMNS.join(', ')}) FROM '${file}'
     VACUUM ANALYZE reporting.event;`,
  );
  await rm(file);
  await tallyport(['rollups', 'rebuild', '--asset', assetId], { DATABASE_URL: url });
  await psql(
    url,
    'VACUUM ANALYZE reporting.session_part, reporting.rollup_day, reporting.user_gap, reporting.person, reporting.person_span, reporting.outcome_rollup; CHECKPOINT;',
  );
}

async function makePartitions(url: string, until: Date): Promise<void> {
  const dataSource = await createDataSource({ DATABASE_URL: url, DATABASE_POOL_SIZE: 2 }).initialize();
  try {
    const last = monthOf(until.getTime() * 1_000);
    await new Partitions(dataSource).ensure([last - 3, last - 2, last - 1, last]);
  } finally {
    await dataSource.destroy();
  }
}

function* lines(assetId: string, count: number, until: Date): Generator<string> {
  let piece = '';
  for (const event of eventStream(count, 90, until)) {
    piece += `${assetId}\t0\t${COLUMNS.map((column) => event[column] ?? '\\N').join('\t')}\n`;
    if (piece.length < 1_000_000) continue;
    yield piece;
    piece = '';
  }
  yield piece;
}

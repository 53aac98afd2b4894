import { createHash } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { channelKey } from '#contracts/channels/channel-key.js';
import type { EventRecord } from '#contracts/collect/collected.js';
import { KIND, type DimensionIds } from './dimension-ids.js';
import { numbers, texts } from '#ingest/sql.js';

/** Combinations of all assets; then all are forgotten and read again. About 30 MB, and more than most shops ever have. */
const MOST_KNOWN = 100_000;

type DimensionKind = Exclude<(typeof KIND)[keyof typeof KIND], 0>;

/** The fields that make up dimensions. */
export type DimensionFields = Pick<
  EventRecord,
  | 'lt_channel'
  | 'lt_channel_type'
  | 'lt_source'
  | 'lt_medium'
  | 'lt_campaign'
  | 'geo_country'
  | 'geo_region'
  | 'geo_city'
  | 'ua_browser'
  | 'ua_os'
>;

interface Value {
  kind: DimensionKind;
  cells: string[];
  key: string;
}

/** The ids of one asset's dimension values. They never change, so that what was read once stays known. */
class AssetDimensions {
  readonly combinations = new Map<string, DimensionIds>();
  readonly ids = new Map<string, number>();
}

/** Turns the texts of events into dimension ids, and makes those that are new. */
export class Dimensions {
  private readonly assets = new Map<string, AssetDimensions>();
  private count = 0;

  constructor(private readonly dataSource: DataSource) {}

  /**
   * The ids for each record. New values are committed in a statement of their own, so that two writers never wait for
   * each other's transactions here, and ids are known only once they are there.
   */
  async resolve(assetId: string, records: readonly DimensionFields[]): Promise<DimensionIds[]> {
    const known = this.knownOf(assetId);
    const keys = records.map(combinationKey);
    const missing = new Map<string, Value[]>();
    for (const [index, key] of keys.entries()) {
      const record = records[index];
      if (record !== undefined && !known.combinations.has(key) && !missing.has(key)) missing.set(key, valuesOf(record));
    }
    if (missing.size > 0) {
      await this.learn(assetId, known, [...missing.values()].flat());
      for (const [key, values] of missing) known.combinations.set(key, idsOf(known, values));
      this.count += missing.size;
    }
    return keys.map((key) => {
      const ids = known.combinations.get(key);
      if (ids === undefined) throw new Error('A dimension value has no id.');
      return ids;
    });
  }

  private knownOf(assetId: string): AssetDimensions {
    if (this.count > MOST_KNOWN) {
      this.assets.clear();
      this.count = 0;
    }
    let known = this.assets.get(assetId);
    if (known === undefined) {
      known = new AssetDimensions();
      this.assets.set(assetId, known);
    }
    return known;
  }

  private async learn(assetId: string, known: AssetDimensions, values: readonly Value[]): Promise<void> {
    const wanted = [...new Map(values.map((value) => [value.key, value])).values()]
      .filter(({ key }) => !known.ids.has(key))
      .map((value) => ({ ...value, digest: createHash('sha256').update(value.key).digest('hex') }))
      .sort((a, b) => a.kind - b.kind || (a.digest < b.digest ? -1 : 1));
    if (wanted.length === 0) return;
    const keys = [assetId, numbers(wanted.map(({ kind }) => kind)), texts(wanted.map(({ digest }) => `\\x${digest}`))];
    const found = await this.find(keys);
    const fresh = wanted.filter((_, index) => !found.has(index));
    if (fresh.length > 0) {
      await this.dataSource.query(
        `INSERT INTO reporting.dimension (asset_id, kind, key_sha256, cells)
         SELECT $1, kind, key, ARRAY(SELECT cell FROM jsonb_array_elements_text(cells::jsonb) WITH ORDINALITY AS c (cell, place) ORDER BY place)
           FROM unnest($2::smallint[], $3::bytea[], $4::text[]) AS v (kind, key, cells)
          ORDER BY kind, key ON CONFLICT DO NOTHING`,
        [
          assetId,
          numbers(fresh.map(({ kind }) => kind)),
          texts(fresh.map(({ digest }) => `\\x${digest}`)),
          texts(fresh.map(({ cells }) => JSON.stringify(cells))),
        ],
      );
      for (const [index, id] of await this.find(keys)) found.set(index, id);
    }
    for (const [index, id] of found) {
      const value = wanted[index];
      if (value !== undefined) known.ids.set(value.key, id);
    }
  }

  /** By the place in the parameters. */
  private async find(parameters: readonly unknown[]): Promise<Map<number, number>> {
    const rows = await this.dataSource.query<{ place: string; dim_id: number }[]>(
      `SELECT v.place, d.dim_id
         FROM unnest($2::smallint[], $3::bytea[]) WITH ORDINALITY AS v (kind, key, place)
        CROSS JOIN LATERAL (
          SELECT dim_id FROM reporting.dimension k
           WHERE k.asset_id = $1 AND k.kind = v.kind AND k.key_sha256 = v.key LIMIT 1) d`,
      [...parameters],
    );
    return new Map(rows.map(({ place, dim_id }) => [Number(place) - 1, dim_id]));
  }
}

/** NUL is in no text, so that no two combinations have one key. */
function combinationKey(record: DimensionFields): string {
  const { lt_channel, lt_channel_type, lt_source, lt_medium, lt_campaign } = record;
  const { geo_country, geo_region, geo_city, ua_browser, ua_os } = record;
  return `${lt_channel ?? ''}\0${lt_channel_type ?? ''}\0${lt_source ?? ''}\0${lt_medium ?? ''}\0${lt_campaign ?? ''}\0${geo_country ?? ''}\0${geo_region ?? ''}\0${geo_city ?? ''}\0${ua_browser ?? ''}\0${ua_os ?? ''}`;
}

function valuesOf(record: DimensionFields): Value[] {
  const channel = record.lt_channel ?? '';
  const channelType = record.lt_channel_type ?? '';
  const source = record.lt_source ?? '';
  const medium = record.lt_medium ?? '';
  const slug = channelKey(channel);
  return [
    valueOf(KIND.channel, [slug]),
    valueOf(KIND.source, [source, medium]),
    valueOf(KIND.geo, [record.geo_country ?? '', record.geo_region ?? '', record.geo_city ?? '']),
    valueOf(KIND.tech, [record.ua_browser ?? '', record.ua_os ?? '']),
    valueOf(KIND.campaign, [channel, channelType, source, medium, record.lt_campaign ?? '']),
    valueOf(KIND.spelling, [slug, channel, channelType]),
  ];
}

function valueOf(kind: DimensionKind, cells: string[]): Value {
  return { kind, cells, key: `${kind}\0${cells.join('\0')}` };
}

/** @param values in the order of `valuesOf` */
function idsOf(known: AssetDimensions, values: readonly Value[]): DimensionIds {
  const [channel = 0, source = 0, geo = 0, tech = 0, campaign = 0, spelling = 0] = values.map(({ key }) => {
    const id = known.ids.get(key);
    if (id === undefined) throw new Error('A dimension value was not stored.');
    return id;
  });
  return [0, channel, source, geo, tech, campaign, spelling];
}

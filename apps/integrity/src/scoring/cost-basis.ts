import { dayNumber } from '#contracts/calendar-day.js';
import type { PoolClient } from 'pg';
import { channelKey } from '#contracts/channels/channel-key.js';
import { spreadCosts } from '#contracts/costs/weekly-spread.js';
import { date } from '#ingest/sql.js';
import type { IntegrityConfig } from '../integrity.config.js';
import type { Ledger } from '../ledger/ledger.js';
import type { CostBasisPayload } from '../ledger/payloads.js';
import { queryOn, type Query } from './query.js';

const HOUR_MS = 3_600_000;
/** Stands where no import is known any more. */
const NO_IMPORT = '00000000-0000-0000-0000-000000000000';

interface SessionCount {
  channel: string;
  day: number;
  sessions: number;
}

interface CostRow {
  /** The key of the channel. */
  channel: string;
  day: string;
  currency: string;
  spend: string;
  import_id: string;
}

interface StoredBasis {
  channel: string;
  day: number;
  currency: string;
  spend: string;
  paid_sessions: number;
  import_id: string;
  appended_at: Date;
}

/** All sessions of the channels that are not unpaid, by channel as sessions spell it and local day. */
async function sessionCounts(query: Query, assetId: string, days: readonly number[]): Promise<SessionCount[]> {
  return query<SessionCount>(
    `SELECT channel, day - date '1970-01-01' AS day, count(*)::integer AS sessions FROM integrity.ivt_session
      WHERE asset_id = $1 AND day = ANY($2::date[]) AND NOT unpaid GROUP BY channel, day`,
    [assetId, days.map(date)],
  );
}

/**
 * Appends the cost basis of channels and days whose spend or number of paid sessions is not what the ledger says. While a
 * day is open that happens at most hourly, unless the spend changed.
 *
 * @param changed local days with changed sessions or costs
 */
export async function writeCostBasis(
  client: PoolClient,
  assetId: string,
  changed: ReadonlySet<number>,
  {
    ledger,
    now,
    openDay,
    granularity,
  }: { ledger: Ledger; now: Date; openDay: number; granularity: IntegrityConfig['COST_GRANULARITY'] },
): Promise<void> {
  if (changed.size === 0) return;
  const query = queryOn(client);
  // The spend of a week is spread by the sessions of all of its days.
  const days = [...new Set([...changed].flatMap(daysOfWeek))];
  const counts = await sessionCounts(query, assetId, days);
  const spellings = new Map<string, Set<string>>();
  const paid = new Map<string, Map<number, number>>();
  for (const { channel, day, sessions } of counts) {
    const key = channelKey(channel);
    add(spellings, key, () => new Set<string>()).add(channel);
    const byDay = add(paid, key, () => new Map<number, number>());
    byDay.set(day, (byDay.get(day) ?? 0) + sessions);
  }
  const costs = await query<CostRow>(
    `SELECT channel, to_char(day, 'YYYY-MM-DD') AS day, currency, spend::text, import_id FROM integrity.cost_day
      WHERE asset_id = $1 AND channel = ANY($2) ORDER BY import_id`,
    [assetId, [...paid.keys()]],
  );
  const imports = importsByWeek(costs);
  const stored = await storedBasis(query, assetId, days);
  const payloads: CostBasisPayload[] = [];
  const wanted = new Set(days);
  const note = (key: string, day: number, currency: string, spend: string): void => {
    const sessions = paid.get(key)?.get(day) ?? 0;
    for (const channel of spellings.get(key) ?? []) {
      const old = stored.get(basisKey({ channel, day, currency }));
      stored.delete(basisKey({ channel, day, currency }));
      if (old !== undefined && sameAmount(old.spend, spend)) {
        if (old.paid_sessions === sessions) continue;
        if (day >= openDay && old.appended_at.getTime() + HOUR_MS > now.getTime()) continue;
      }
      const import_id = imports.get(weekKey(key, currency, mondayOf(day))) ?? old?.import_id ?? NO_IMPORT;
      payloads.push({
        channel,
        day: date(day),
        currency,
        spend,
        paid_sessions: sessions,
        import_id,
        formula: 'wasted/1',
      });
    }
  };
  const weight = (key: string, day: string): number => paid.get(key)?.get(dayNumber(day)) ?? 0;
  for (const { channel: key, day, currency, spend } of spreadCosts(costs, granularity, weight)) {
    if (wanted.has(dayNumber(day)) && weight(key, day) > 0) note(key, dayNumber(day), currency, spend);
  }
  // A spend that was taken back.
  for (const { channel, day, currency, spend } of [...stored.values()]) {
    if (!sameAmount(spend, '0')) note(channelKey(channel), day, currency, '0');
  }
  await append(client, assetId, payloads, ledger, now);
}

async function append(
  client: PoolClient,
  assetId: string,
  payloads: readonly CostBasisPayload[],
  ledger: Ledger,
  now: Date,
): Promise<void> {
  if (payloads.length === 0) return;
  const appended = await ledger.append(
    client,
    assetId,
    payloads.map((payload) => ({ kind: 'cost_basis', payload })),
    now,
  );
  await client.query(
    `INSERT INTO integrity.cost_basis (asset_id, channel, day, currency, spend, paid_sessions, import_id, ledger_seq)
     SELECT $1, * FROM unnest($2::text[], $3::date[], $4::text[], $5::numeric[], $6::integer[], $7::uuid[], $8::bigint[])
     ON CONFLICT (asset_id, channel, day, currency) DO UPDATE SET spend = excluded.spend, appended_at = clock_timestamp(),
       paid_sessions = excluded.paid_sessions, import_id = excluded.import_id, ledger_seq = excluded.ledger_seq`,
    [
      assetId,
      payloads.map(({ channel }) => channel),
      payloads.map(({ day }) => day),
      payloads.map(({ currency }) => currency),
      payloads.map(({ spend }) => spend),
      payloads.map(({ paid_sessions }) => paid_sessions),
      payloads.map(({ import_id }) => import_id),
      appended.map(({ seq }) => seq),
    ],
  );
}

async function storedBasis(query: Query, assetId: string, days: readonly number[]): Promise<Map<string, StoredBasis>> {
  const rows = await query<StoredBasis>(
    `SELECT channel, day - date '1970-01-01' AS day, currency, spend::text, paid_sessions, import_id, appended_at
       FROM integrity.cost_basis WHERE asset_id = $1 AND day = ANY($2::date[])`,
    [assetId, days.map(date)],
  );
  return new Map(rows.map((row) => [basisKey(row), row]));
}

function basisKey({ channel, day, currency }: Pick<StoredBasis, 'channel' | 'day' | 'currency'>): string {
  return JSON.stringify([channel, day, currency]);
}

/** The newest import of each channel, currency and week; costs come with the newest import last. */
function importsByWeek(costs: readonly CostRow[]): Map<string, string> {
  return new Map(
    costs.map(({ channel, day, currency, import_id }) => [
      weekKey(channel, currency, mondayOf(dayNumber(day))),
      import_id,
    ]),
  );
}

function weekKey(channel: string, currency: string, monday: number): string {
  return JSON.stringify([channel, currency, monday]);
}

function daysOfWeek(day: number): number[] {
  return [0, 1, 2, 3, 4, 5, 6].map((offset) => mondayOf(day) + offset);
}

/** 1970-01-01 was a Thursday. */
function mondayOf(day: number): number {
  return day - ((((day + 3) % 7) + 7) % 7);
}

function sameAmount(a: string, b: string): boolean {
  return plain(a) === plain(b);
}

/** `12.50` and `12.5` are one amount. */
function plain(amount: string): string {
  return amount.includes('.') ? amount.replace(/\.?0+$/, '') : amount;
}

function add<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  let value = map.get(key);
  if (value === undefined) map.set(key, (value = make()));
  return value;
}

import type { PoolClient } from 'pg';
import type { DataSource } from 'typeorm';
import { readIdentity } from '#contracts/collect/identity-record.js';
import { parseInstant } from '#contracts/collect/instant.js';
import type { IdentityRecord } from '#contracts/collect/collected.js';
import { KnownAssets } from '#ingest/known-assets.js';
import { assetVersions } from './asset-versions.js';
import type { CollectedMessage, Refuse } from '#ingest/collected-message.js';
import { ingestTransaction } from '#ingest/ingest-transaction.js';
import { lockAllBuckets } from './locks.js';
import { addProcessed, noteMessages } from '#ingest/processed.js';
import { readRecords } from './read-records.js';
import { numbers, texts, timestamp } from '#ingest/sql.js';
import { SubjectIds } from './subjects.js';
import type { Move } from './namings.js';
import { Visitors } from './visitors.js';
import { writeChange } from './write-change.js';

/** Takes identities: who visitors are, also in retrospect. */
export class IdentityIngest {
  private readonly assets: KnownAssets;

  constructor(
    private readonly dataSource: DataSource,
    private readonly ids: SubjectIds = new SubjectIds(),
  ) {
    this.assets = new KnownAssets(dataSource);
  }

  /** @throws UnknownAssetError */
  async ingest(
    assetId: string,
    messages: readonly CollectedMessage[],
    refuse: Refuse = () => Promise.resolve(),
    now = new Date(),
  ): Promise<void> {
    await this.assets.require(assetId);
    const { records, bad } = readRecords(messages, readIdentity, now);
    for (const [place, refused] of bad.entries()) if (refused.length > 0) await refuse(place, refused);
    await ingestTransaction(this.dataSource, async (client) => {
      // Which visitors an identity touches is known only when it is stored: all of the asset are held.
      await lockAllBuckets(client, assetId);
      const asset = await assetVersions(client, assetId);
      const counted = await noteMessages(client, 'reporting', messages);
      const moves = await this.store(client, assetId, [...merged(records).values()]);
      if (moves.length > 0)
        await writeChange(client, assetId, asset, { visitors: [], moves, outcomes: [] }, () => false);
      await addProcessed(client, 'reporting', assetId, 'users.identified.v1', counted);
    });
  }

  private async store(client: PoolClient, assetId: string, records: readonly IdentityRecord[]): Promise<Move[]> {
    if (records.length === 0) return [];
    const persons = await this.storePersons(client, assetId, records);
    const visitors = new Visitors(client, this.ids, assetId);
    const known = await visitors.require(new Set(records.flatMap(({ distinct_ids }) => distinct_ids)));
    const pairs = records.flatMap(({ global_user_id, distinct_ids }) =>
      distinct_ids.map((distinctId) => ({
        visitor: known.get(distinctId) ?? 0,
        person: persons.get(global_user_id) ?? 0,
      })),
    );
    await client.query(
      `INSERT INTO reporting.identity_visitor (asset_id, visitor_id, person_id)
       SELECT $1, visitor, person FROM unnest($2::bigint[], $3::bigint[]) AS n (visitor, person) ON CONFLICT DO NOTHING`,
      [assetId, numbers(pairs.map(({ visitor }) => visitor)), numbers(pairs.map(({ person }) => person))],
    );
    return visitors.identify([...persons.values()]);
  }

  /** @returns ids by global user id */
  private async storePersons(
    client: PoolClient,
    assetId: string,
    records: readonly IdentityRecord[],
  ): Promise<Map<string, number>> {
    const sorted = [...records].sort((a, b) => (a.global_user_id < b.global_user_id ? -1 : 1));
    const { rows } = await client.query<{ global_user_id: string; person_id: string }>(
      `INSERT INTO reporting.person AS p (asset_id, global_user_id, person_id, email, phone, crm_client_id, first_seen_at,
                                          identified_at, identified)
       SELECT $1, id, person, email, phone, crm, seen, identified, true
         FROM unnest($2::text[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::timestamptz[], $8::timestamptz[])
           AS n (id, person, email, phone, crm, seen, identified)
       ON CONFLICT (asset_id, global_user_id) DO UPDATE SET
         email = coalesce(excluded.email, p.email), phone = coalesce(excluded.phone, p.phone),
         crm_client_id = coalesce(excluded.crm_client_id, p.crm_client_id),
         first_seen_at = coalesce(excluded.first_seen_at, p.first_seen_at),
         identified_at = coalesce(excluded.identified_at, p.identified_at), identified = true
       RETURNING global_user_id, person_id`,
      [
        assetId,
        texts(sorted.map(({ global_user_id }) => global_user_id)),
        numbers(await this.ids.take(client, sorted.length)),
        texts(sorted.map(({ email }) => email)),
        texts(sorted.map(({ phone }) => phone)),
        texts(sorted.map(({ crm_client_id }) => crm_client_id)),
        texts(sorted.map(({ first_seen_at }) => instant(first_seen_at))),
        texts(sorted.map(({ identified_at }) => instant(identified_at))),
      ],
    );
    return new Map(rows.map(({ global_user_id, person_id }) => [global_user_id, Number(person_id)]));
  }
}

/** One record per person: a later one changes what it names. */
function merged(records: readonly IdentityRecord[]): Map<string, IdentityRecord> {
  const persons = new Map<string, IdentityRecord>();
  for (const record of records) {
    const known = persons.get(record.global_user_id);
    persons.set(
      record.global_user_id,
      known === undefined
        ? record
        : {
            global_user_id: record.global_user_id,
            distinct_ids: [...new Set([...known.distinct_ids, ...record.distinct_ids])],
            email: record.email ?? known.email,
            phone: record.phone ?? known.phone,
            crm_client_id: record.crm_client_id ?? known.crm_client_id,
            first_seen_at: record.first_seen_at ?? known.first_seen_at,
            identified_at: record.identified_at ?? known.identified_at,
          },
    );
  }
  return persons;
}

/** Cut to microseconds as events are; PostgreSQL would round. */
function instant(text: string | null): string | null {
  const us = text === null ? undefined : parseInstant(text);
  return us === undefined ? null : timestamp(us);
}

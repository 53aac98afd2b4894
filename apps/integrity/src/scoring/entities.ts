import { createHash, randomBytes } from 'node:crypto';
import { date } from '#ingest/sql.js';
import type { Detection, EntityType } from '../detection/traffic.js';
import { parseAddress } from '../networks/address.js';
import { networkEntityId, networkKey } from '../networks/network-key.js';
import type { Query } from './query.js';

interface Entity {
  id: string;
  type: EntityType;
  key: string;
  first: number;
  last: number;
}

/** Names of entities in the ledger: no full address stands there, so a host is its network and a commitment. */
export type LedgerNames = ReadonlyMap<string, string>;

/** The names of entities that are known. */
export async function knownNames(query: Query, assetId: string, ids: Iterable<string>): Promise<LedgerNames> {
  const rows = await query<Pick<Entity, 'id' | 'type' | 'key'> & { salt: Buffer }>(
    'SELECT entity_id AS id, type, key, salt FROM integrity.ivt_entity WHERE asset_id = $1 AND entity_id = ANY($2)',
    [assetId, [...ids]],
  );
  return new Map(rows.map((entity) => [entity.id, ledgerName(entity, entity.salt)]));
}

/** Notes the entities of detections. */
export async function noteEntities(query: Query, assetId: string, detections: readonly Detection[]): Promise<void> {
  const entities = [...entitiesOf(detections).values()];
  if (entities.length === 0) return;
  await query(
    `INSERT INTO integrity.ivt_entity AS e (asset_id, entity_id, type, key, salt, first_seen, last_seen)
     SELECT $1, * FROM unnest($2::text[], $3::text[], $4::text[], $5::bytea[], $6::date[], $7::date[])
     ON CONFLICT (asset_id, entity_id) DO UPDATE
       SET first_seen = least(e.first_seen, excluded.first_seen), last_seen = greatest(e.last_seen, excluded.last_seen)`,
    [
      assetId,
      entities.map(({ id }) => id),
      entities.map(({ type }) => type),
      entities.map(({ key }) => key),
      entities.map(() => randomBytes(16)),
      entities.map(({ first }) => date(first)),
      entities.map(({ last }) => date(last)),
    ],
  );
}

/** An entity as it stands in the ledger: its id, but of a host the id of its network, `#` and SHA-256(salt ‖ address). */
export function ledgerName({ id, type, key }: Pick<Entity, 'id' | 'type' | 'key'>, salt: Buffer): string {
  return type === 'host' ? hostCommitment(key, salt) : id;
}

/** @param prefix an address or a prefix longer than a network's */
export function hostCommitment(prefix: string, salt: Buffer): string {
  const address = parseAddress(prefix.split('/', 1)[0] ?? '');
  if (address === undefined) throw new Error(`${prefix} is no address.`);
  const hash = createHash('sha256').update(salt).update(prefix, 'ascii').digest('hex');
  return `${networkEntityId(networkKey(address))}#${hash}`;
}

function entitiesOf(detections: readonly Detection[]): Map<string, Entity> {
  const entities = new Map<string, Entity>();
  for (const { entityId: id, entityType: type, entityKey: key, day } of detections) {
    const known = entities.get(id);
    if (known === undefined) entities.set(id, { id, type, key, first: day, last: day });
    else {
      known.first = Math.min(known.first, day);
      known.last = Math.max(known.last, day);
    }
  }
  return entities;
}

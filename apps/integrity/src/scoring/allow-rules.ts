import { randomBytes } from 'node:crypto';
import type { PoolClient } from 'pg';
import { date } from '#ingest/sql.js';
import type { AllowRule, Detection } from '../detection/traffic.js';
import type { Ledger } from '../ledger/ledger.js';
import type { LedgerPayloads, NewEntry } from '../ledger/payloads.js';
import { parseAddress } from '../networks/address.js';
import { hostCommitment, type LedgerNames } from './entities.js';
import type { Query } from './query.js';
import { queryOn } from './query.js';

interface RuleRow {
  rule_id: string;
  cidr: string | null;
  asn: string | null;
  reason: string;
  by: string;
  until: string | null;
  until_day: number | null;
  salt: Buffer | null;
  removed_by: string | null;
  is_removed: boolean;
  added_seq: string | null;
}

const COLUMNS = `rule_id, cidr, asn, reason, by, to_char(until, 'YYYY-MM-DD') AS until, until - date '1970-01-01' + 1 AS until_day, salt,
  removed_by, removed_at IS NOT NULL AS is_removed, added_seq`;

/** Rules that hold, those that were just added among them. */
export async function allowRules(query: Query, assetId: string): Promise<AllowRule[]> {
  const rows = await query<RuleRow>(
    `SELECT ${COLUMNS} FROM integrity.ivt_allow WHERE asset_id = $1 AND removed_at IS NULL ORDER BY created_at, rule_id`,
    [assetId],
  );
  return rows.map(({ rule_id, cidr, asn, until_day }) => ({
    id: rule_id,
    cidr,
    asn: asn === null ? null : Number(asn),
    untilDay: until_day,
  }));
}

/**
 * Writes rules that were added or removed into the ledger.
 *
 * @returns whether there were any: everything that is flagged or allowed is to be looked at again
 */
export async function noteRules(client: PoolClient, assetId: string, ledger: Ledger, now: Date): Promise<boolean> {
  const query = queryOn(client);
  const rows = await query<RuleRow>(
    `SELECT ${COLUMNS} FROM integrity.ivt_allow
      WHERE asset_id = $1 AND ((added_seq IS NULL AND removed_at IS NULL)
         OR (removed_at IS NOT NULL AND added_seq IS NOT NULL AND removed_seq IS NULL))
      ORDER BY created_at, rule_id FOR UPDATE`,
    [assetId],
  );
  if (rows.length === 0) return false;
  for (const row of rows) row.salt ??= randomBytes(16);
  const appended = await ledger.append(
    client,
    assetId,
    rows.map((row) => ({ kind: 'allowlist', payload: payloadOf(row, row.is_removed ? 'removed' : 'added') })),
    now,
  );
  for (const [place, { seq }] of appended.entries()) {
    const row = rows[place];
    if (row === undefined) continue;
    await query(
      `UPDATE integrity.ivt_allow SET ${row.is_removed ? 'removed_seq' : 'added_seq'} = $3, salt = $4
        WHERE asset_id = $1 AND rule_id = $2`,
      [assetId, row.rule_id, seq, row.salt],
    );
  }
  return true;
}

/** Every use of a rule stands in the ledger, once per entity and day. */
export async function noteUses(
  client: PoolClient,
  assetId: string,
  detections: readonly Detection[],
  names: LedgerNames,
  { ledger, now }: { ledger: Ledger; now: Date },
): Promise<void> {
  const used = new Map<string, Detection>();
  for (const detection of detections) {
    if (detection.allowed === undefined) continue;
    used.set(JSON.stringify([detection.allowed.rule, detection.entityId, detection.day]), detection);
  }
  if (used.size === 0) return;
  const query = queryOn(client);
  const rules = new Map(
    (await query<RuleRow>(`SELECT ${COLUMNS} FROM integrity.ivt_allow WHERE asset_id = $1`, [assetId])).map((rule) => [
      rule.rule_id,
      rule,
    ]),
  );
  const known = new Set(
    (
      await query<{ rule_id: string; entity_id: string; day: number }>(
        `SELECT rule_id, entity_id, day - date '1970-01-01' AS day FROM integrity.ivt_allow_use WHERE asset_id = $1`,
        [assetId],
      )
    ).map(({ rule_id, entity_id, day }) => JSON.stringify([rule_id, entity_id, day])),
  );
  const entries: NewEntry[] = [];
  const uses: Detection[] = [];
  for (const [key, detection] of used) {
    const rule = rules.get(detection.allowed?.rule ?? '');
    if (known.has(key) || rule === undefined || detection.allowed === undefined) continue;
    uses.push(detection);
    entries.push({
      kind: 'allowlist',
      payload: {
        ...payloadOf(rule, 'applied'),
        entity: names.get(detection.entityId) ?? detection.entityId,
        day: date(detection.day),
        severity: detection.allowed.severity,
      },
    });
  }
  const appended = await ledger.append(client, assetId, entries, now);
  await query(
    `INSERT INTO integrity.ivt_allow_use (asset_id, rule_id, entity_id, day, ledger_seq)
     SELECT $1, * FROM unnest($2::uuid[], $3::text[], $4::date[], $5::bigint[])`,
    [
      assetId,
      uses.map(({ allowed }) => allowed?.rule),
      uses.map(({ entityId }) => entityId),
      uses.map(({ day }) => date(day)),
      appended.map(({ seq }) => seq),
    ],
  );
}

function payloadOf(row: RuleRow, act: 'added' | 'removed' | 'applied'): LedgerPayloads['allowlist'] {
  return {
    act,
    rule: row.rule_id,
    network: row.cidr === null ? null : ledgerNetwork(row.cidr, row.salt ?? Buffer.alloc(0)),
    asn: row.asn === null ? null : Number(row.asn),
    by: act === 'removed' ? (row.removed_by ?? '') : row.by,
    reason: row.reason,
    until: row.until,
  };
}

/** No prefix longer than a network stands in the ledger in clear. */
function ledgerNetwork(cidr: string, salt: Buffer): string {
  const [text = '', bits = ''] = cidr.split('/');
  const address = parseAddress(text);
  if (address === undefined) return cidr;
  const isWide = Number(bits) <= (address.version === 4 ? 24 : 48);
  return isWide ? cidr : hostCommitment(cidr, salt);
}

import type { PoolClient } from 'pg';
import type { OutboxTransaction } from '#messaging/outbox.js';
import { date } from '#ingest/sql.js';
import type { EntityType, IvtClass, Severity } from '../detection/traffic.js';
import type { IntegrityConfig } from '../integrity.config.js';
import type { Ledger } from '../ledger/ledger.js';
import { ledgerName } from './entities.js';
import { queryOn } from './query.js';
import { rank } from './write-detections.js';

type Patience = Pick<IntegrityConfig, 'VERDICT_FALL_DAYS' | 'VERDICT_END_DAYS'>;

interface EntityRow {
  entity_id: string;
  entity_type: EntityType;
  entity_key: string;
  salt: Buffer;
  /** The strongest verdict of the days that still count; null without any. */
  severity: Severity | null;
  ivt_class: IvtClass | null;
  p: string | null;
  evidence_day: number | null;
  asn: string | null;
  network_type: string | null;
  window_from: string | null;
  window_to: string | null;
  ledger_seq: string | null;
  old_severity: Severity | null;
  old_class: IvtClass | null;
  old_p: string | null;
  old_evidence_day: number | null;
  old_seq: string | null;
}

/** The severity that holds now. It rises at once; after quiet days it falls to `suspected`, after more of them to `clean`. */
export function currentSeverity(
  recent: Severity,
  old: { severity: Severity; quietDays: number } | undefined,
  { VERDICT_FALL_DAYS, VERDICT_END_DAYS }: Patience,
): Severity {
  if (old === undefined) return recent;
  const kept: Severity =
    old.quietDays >= VERDICT_END_DAYS
      ? 'clean'
      : old.quietDays >= VERDICT_FALL_DAYS && rank(old.severity) > rank('suspected')
        ? 'suspected'
        : old.severity;
  return rank(recent) >= rank(kept) ? recent : kept;
}

/**
 * Brings the current severity of entities up to date: in its row, in the ledger, and as `integrity.verdict-changed.v1`.
 *
 * @param entityIds those with new verdicts; undefined: those that have been quiet
 * @param today the local day
 */
export async function updateCurrentVerdicts(
  client: PoolClient,
  tx: OutboxTransaction,
  assetId: string,
  {
    entityIds,
    today,
    ledger,
    now,
    patience,
  }: {
    entityIds: readonly string[] | undefined;
    today: number;
    ledger: Ledger;
    now: Date;
    patience: Patience;
  },
): Promise<void> {
  if (entityIds?.length === 0) return;
  const query = queryOn(client);
  const rows = await query<EntityRow>(
    `SELECT e.entity_id, e.type AS entity_type, e.key AS entity_key, e.salt,
            v.severity, v.ivt_class, v.p, v.day - date '1970-01-01' AS evidence_day, v.asn, v.network_type,
            to_char(v.window_from, 'YYYY-MM-DD') AS window_from, to_char(v.window_to, 'YYYY-MM-DD') AS window_to, v.ledger_seq,
            c.severity AS old_severity, c.ivt_class AS old_class, c.p AS old_p, c.evidence_day - date '1970-01-01' AS old_evidence_day,
            c.ledger_seq AS old_seq
       FROM integrity.ivt_entity AS e
       LEFT JOIN integrity.ivt_current AS c USING (asset_id, entity_id)
       LEFT JOIN (
         SELECT DISTINCT ON (entity_id) * FROM integrity.ivt_verdict
          WHERE asset_id = $1 AND day > $2 AND superseded_by IS NULL AND severity <> 'clean'
          ORDER BY entity_id, array_position('{confirmed,likely,suspected}', severity), day DESC, p DESC
       ) AS v USING (asset_id, entity_id)
      WHERE e.asset_id = $1 AND ${
        entityIds === undefined
          ? `c.severity <> 'clean' AND c.evidence_day <= $2 AND $3::text[] IS NULL`
          : 'e.entity_id = ANY($3)'
      }`,
    [assetId, date(today - patience.VERDICT_FALL_DAYS), entityIds ?? null],
  );
  const changed = rows.flatMap((row) => {
    // Found only on days that are long over: it never had a current verdict.
    if (row.severity === null && row.old_severity === null) return [];
    const old = row.old_severity ?? 'clean';
    const quietDays = today - (row.old_evidence_day ?? today);
    const severity = currentSeverity(
      row.severity ?? 'clean',
      row.old_severity === null ? undefined : { severity: row.old_severity, quietDays },
      patience,
    );
    const evidenceDay = Math.max(row.evidence_day ?? -Infinity, row.old_evidence_day ?? -Infinity);
    return severity === old && evidenceDay === row.old_evidence_day ? [] : [{ row, old, severity, evidenceDay }];
  });
  if (changed.length === 0) return;
  const moved = changed.filter(({ old, severity }) => old !== severity);
  const appended = await ledger.append(
    client,
    assetId,
    moved.map(({ row, old, severity }) => ({
      kind: 'verdict',
      payload: {
        entity: ledgerName({ id: row.entity_id, type: row.entity_type, key: row.entity_key }, row.salt),
        entity_type: row.entity_type,
        old_severity: old,
        new_severity: severity,
        ivt_class: row.ivt_class ?? row.old_class ?? 'SIVT',
        p: (row.severity === null ? row.old_p : row.p) ?? '0.0000',
        day: date(today),
        detection: row.ledger_seq === null ? null : Number(row.ledger_seq),
      },
    })),
    now,
  );
  const seqs = new Map(moved.map(({ row }, place) => [row.entity_id, appended[place]?.seq]));
  for (const { row, old, severity } of moved) {
    tx.emit('integrity.verdict-changed.v1', assetId, {
      asset_id: assetId,
      entity_id: row.entity_id,
      entity_type: row.entity_type,
      cidr: cidrOf(row),
      asn: row.asn === null ? null : Number(row.asn),
      network_type: row.network_type ?? 'unknown',
      old_severity: old,
      new_severity: severity,
      ivt_class: row.ivt_class ?? row.old_class ?? 'SIVT',
      p: (row.severity === null ? row.old_p : row.p) ?? '0.0000',
      window_from: row.window_from ?? date(today),
      window_to: row.window_to ?? date(today),
      ledger_seq: seqs.get(row.entity_id),
    });
  }
  await query(
    `INSERT INTO integrity.ivt_current (asset_id, entity_id, severity, ivt_class, p, evidence_day, ledger_seq)
     SELECT $1, * FROM unnest($2::text[], $3::text[], $4::text[], $5::numeric[], $6::date[], $7::bigint[])
     ON CONFLICT (asset_id, entity_id) DO UPDATE SET severity = excluded.severity, ivt_class = excluded.ivt_class,
       p = excluded.p, evidence_day = excluded.evidence_day, ledger_seq = excluded.ledger_seq, changed_at = clock_timestamp()`,
    [
      assetId,
      changed.map(({ row }) => row.entity_id),
      changed.map(({ severity }) => severity),
      changed.map(({ row }) => row.ivt_class ?? row.old_class ?? 'SIVT'),
      changed.map(({ row }) => (row.severity === null ? row.old_p : row.p) ?? '0'),
      changed.map(({ evidenceDay }) => date(evidenceDay)),
      changed.map(({ row }) => seqs.get(row.entity_id) ?? row.old_seq),
    ],
  );
}

function cidrOf({ entity_type, entity_key }: EntityRow): string | null {
  if (entity_type === 'network') return entity_key;
  if (entity_type !== 'host') return null;
  return entity_key.includes('/') ? entity_key : `${entity_key}/32`;
}

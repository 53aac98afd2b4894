import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { EntityItem } from '#contracts/integrity/entity-list.js';
import { SEVERITIES, type EntityType, type Severity } from '#contracts/integrity/severity.js';
import type { DateRange } from '../exports/date-range.js';
import type { Page } from '../lists/paging.js';
import { entityCursor, entityPosition } from './entity-cursor.js';

export interface EntityFilter {
  severity?: Severity | undefined;
  type?: EntityType | undefined;
}

interface EntityRow {
  entity_id: string;
  entity_type: EntityType;
  rank: number;
  asn: string | null;
  asn_org: string | null;
  network_type: string;
  sessions: string;
  flagged_sessions: string;
  score: string;
}

/** Entities of an asset in a range of days, to find the id of one. */
@Injectable()
export class EntityList {
  constructor(@Inject(DataSource) private readonly dataSource: DataSource) {}

  /**
   * Most severe first, then most sessions, then by id. Without a severity those that are suspected at least; `clean`
   * lists networks with sessions and nothing found.
   *
   * @throws AppError `invalid_parameter` for a wrong cursor
   */
  async list(
    assetId: string,
    { from, to }: DateRange,
    { severity, type }: EntityFilter,
    page: { limit: number; cursor?: string | undefined },
  ): Promise<Page<EntityItem>> {
    const position = entityPosition(page.cursor);
    if (severity === 'clean' && type !== undefined && type !== 'network') return { items: [], next_cursor: null };
    const rank = severity === undefined ? null : SEVERITIES.indexOf(severity);
    const rows = await this.ask(
      `WITH found AS (${severity === 'clean' ? CLEAN : FLAGGED})
       SELECT * FROM found
        WHERE ($4::int IS NULL OR rank = $4) AND ($5::text IS NULL OR entity_type = $5)
          AND ($6::int IS NULL OR rank < $6 OR (rank = $6 AND (sessions < $7 OR (sessions = $7 AND entity_id > $8 COLLATE "C"))))
        ORDER BY rank DESC, sessions DESC, entity_id COLLATE "C" LIMIT $9`,
      [assetId, from, to, rank, type ?? null, ...(position ?? [null, null, null]), page.limit + 1],
    );
    const last = rows[page.limit - 1];
    const more = rows.length > page.limit && last !== undefined;
    return {
      items: rows.slice(0, page.limit).map(itemOf),
      next_cursor: more ? entityCursor([last.rank, Number(last.sessions), last.entity_id]) : null,
    };
  }

  /** The planner takes the rows of an asset that is newer than its statistics for almost none, and compares each with each. */
  private ask(sql: string, parameters: unknown[]): Promise<EntityRow[]> {
    return this.dataSource.transaction(async (manager) => {
      await manager.query(`SELECT set_config('enable_nestloop', 'off', true), set_config('work_mem', '32MB', true)`);
      return manager.query<EntityRow[]>(sql, parameters);
    });
  }
}

function itemOf(row: EntityRow): EntityItem {
  return {
    entity_id: row.entity_id,
    entity_type: row.entity_type,
    severity: SEVERITIES[row.rank] ?? 'clean',
    asn: row.asn === null ? null : Number(row.asn),
    asn_org: row.asn_org,
    network_type: row.network_type,
    sessions: Number(row.sessions),
    flagged_sessions: Number(row.flagged_sessions),
    score: Number(row.score),
  };
}

/** What was found of an entity: its strongest day says what it is; its sessions are counted where they are. */
const FLAGGED = `
  WITH verdict AS (
    SELECT *, array_position(ARRAY['clean', 'suspected', 'likely', 'confirmed'], severity) - 1 AS rank
      FROM integrity.ivt_verdict
     WHERE asset_id = $1 AND day BETWEEN $2 AND $3 AND superseded_by IS NULL AND severity <> 'clean'
  ), entity AS (
    SELECT DISTINCT ON (entity_id) entity_id, entity_type, e.key, rank, asn, asn_org, network_type, p AS score,
           sum(CASE WHEN rank >= 2 THEN flagged_sessions ELSE 0 END) OVER (PARTITION BY entity_id) AS flagged_sessions
      FROM verdict JOIN integrity.ivt_entity AS e USING (asset_id, entity_id)
     ORDER BY entity_id, rank DESC, p DESC, day DESC, ledger_seq DESC
  ), session AS (
    SELECT net, host, asn::text AS asn, visitor FROM integrity.ivt_session WHERE asset_id = $1 AND day BETWEEN $2 AND $3
  ), counted AS (
    ${(
      [
        ['network', 'net'],
        ['host', 'host'],
        ['asn', 'asn'],
        ['visitor', 'visitor'],
      ] as const
    )
      .map(
        ([type, column]) => `
    SELECT '${type}' AS entity_type, ${column} AS key, count(*) AS sessions FROM session
     WHERE ${column} IN (SELECT key FROM entity WHERE entity_type = '${type}') GROUP BY ${column}`,
      )
      .join(' UNION ALL ')}
  )
  SELECT entity_id, entity_type, rank, asn, asn_org, network_type, coalesce(sessions, 0) AS sessions, flagged_sessions, score
    FROM entity LEFT JOIN counted USING (entity_type, key)`;

/** Networks as the entity ids write them; who an AS number belongs to is known from what was found of it. */
const CLEAN = `
  SELECT c.entity_id, 'network' AS entity_type, 0 AS rank, c.asn, o.asn_org, c.network_type, c.sessions,
         0 AS flagged_sessions, 0 AS score
    FROM (SELECT CASE WHEN net LIKE '%:%' THEN 'net6-' || substr(encode(inet_send(net::inet), 'hex'), 9, 12) || '-48'
                      ELSE 'net-' || replace(net, '/', '-') END AS entity_id,
                 mode() WITHIN GROUP (ORDER BY asn) AS asn, mode() WITHIN GROUP (ORDER BY network_type) AS network_type,
                 count(*) AS sessions
            FROM integrity.ivt_session
           WHERE asset_id = $1 AND day BETWEEN $2 AND $3 AND net <> '' AND network_type <> 'reserved'
           GROUP BY net) AS c
    LEFT JOIN (SELECT DISTINCT ON (asn) asn, asn_org FROM integrity.ivt_verdict
                WHERE asset_id = $1 AND asn_org IS NOT NULL ORDER BY asn, ledger_seq DESC) AS o ON o.asn = c.asn
   WHERE NOT EXISTS (SELECT FROM integrity.ivt_verdict AS v
                      WHERE v.asset_id = $1 AND v.entity_id = c.entity_id AND v.day BETWEEN $2 AND $3
                        AND v.superseded_by IS NULL AND v.severity <> 'clean')`;

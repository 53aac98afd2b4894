import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import type { AllowlistRule, NewAllowlistRule } from '#contracts/integrity/allowlist.js';
import { CREATED_TEXT, pageOf, positionOf, type Page } from '../lists/paging.js';

interface RuleRow extends Omit<AllowlistRule, 'asn' | 'created_at'> {
  asn: string | null;
  created_at: Date;
}

const COLUMNS = `rule_id, cidr, asn, reason, by, to_char(until, 'YYYY-MM-DD') AS until, created_at`;

/** The rules of an asset. Integrity writes what changes here into the ledger before it applies it. */
@Injectable()
export class Allowlist {
  constructor(@Inject(DataSource) private readonly dataSource: DataSource) {}

  async add(assetId: string, { cidr, asn, reason, until }: NewAllowlistRule, by: string): Promise<AllowlistRule> {
    const [row] = await this.dataSource.query<[RuleRow]>(
      `INSERT INTO integrity.ivt_allow (asset_id, rule_id, cidr, asn, reason, by, until)
       VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING ${COLUMNS}`,
      [assetId, uuidv7(), cidr, asn, reason, by, until],
    );
    return ruleOf(row);
  }

  /** Rules that were not removed, newest first. */
  async list(assetId: string, limit: number, cursor?: string): Promise<Page<AllowlistRule>> {
    const [time = null, id = null] = positionOf(cursor) ?? [];
    const rows = await this.dataSource.query<(RuleRow & { created_text: string })[]>(
      `SELECT ${COLUMNS}, ${CREATED_TEXT} FROM integrity.ivt_allow
        WHERE asset_id = $1 AND removed_at IS NULL AND ($2::timestamptz IS NULL OR (created_at, rule_id) < ($2, $3::uuid))
        ORDER BY created_at DESC, rule_id DESC LIMIT $4`,
      [assetId, time, id, limit + 1],
    );
    return pageOf(rows, limit, ({ rule_id }) => rule_id, rows.slice(0, limit).map(ruleOf));
  }

  /** @returns false: there is no such rule, or it was removed before */
  async remove(assetId: string, ruleId: string, by: string): Promise<boolean> {
    const [rows] = await this.dataSource.query<[unknown[], number]>(
      `UPDATE integrity.ivt_allow SET removed_at = clock_timestamp(), removed_by = $3
        WHERE asset_id = $1 AND rule_id = $2 AND removed_at IS NULL RETURNING rule_id`,
      [assetId, ruleId, by],
    );
    return rows.length > 0;
  }
}

function ruleOf({ rule_id, cidr, asn, reason, by, until, created_at }: RuleRow): AllowlistRule {
  return {
    rule_id,
    cidr,
    asn: asn === null ? null : Number(asn),
    reason,
    by,
    until,
    created_at: created_at.toISOString(),
  };
}

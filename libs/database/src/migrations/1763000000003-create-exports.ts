import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Files to be written and the audit of those that were. The gateway creates a row, the service of the file ends it. */
export class CreateExports1763000000003 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE SCHEMA exports;

      CREATE TABLE exports.job (
        asset_id uuid NOT NULL,
        export_id uuid NOT NULL,
        kind text NOT NULL DEFAULT 'file', -- or 'estimate': what a file would be, never shown in lists
        service text NOT NULL,
        file text NOT NULL,
        path text NOT NULL,
        query jsonb NOT NULL,
        parameters jsonb NOT NULL,
        status text NOT NULL DEFAULT 'queued',
        awaited boolean NOT NULL,
        requested_by text NOT NULL,
        traceparent text,
        attempt integer NOT NULL DEFAULT 0,
        locked_by text,
        lease_until timestamptz,
        deadline_at timestamptz NOT NULL,
        object_key text,
        file_name text,
        content_type text,
        bytes bigint,
        sha256 text,
        etag text,
        rows bigint,
        row_limit bigint,
        truncated bigint,
        formulas_escaped bigint,
        columns_omitted text[],
        holds_cost boolean NOT NULL DEFAULT false,
        error json,
        created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        started_at timestamptz,
        finished_at timestamptz,
        PRIMARY KEY (asset_id, export_id)
      );
      COMMENT ON COLUMN exports.job.query IS 'The query parameters as they were understood, for the audit';
      COMMENT ON COLUMN exports.job.awaited IS 'A client waits for it: claimed before the others';
      COMMENT ON COLUMN exports.job.holds_cost IS 'The file holds columns that a cost-restricted member may not see';
      CREATE INDEX export_id_idx ON exports.job (export_id);
      CREATE INDEX export_newest_idx ON exports.job (asset_id, created_at, export_id) WHERE kind = 'file';
      CREATE INDEX export_active_idx ON exports.job (service, status, created_at, export_id) WHERE status IN ('queued', 'running');
      CREATE INDEX export_finished_idx ON exports.job (finished_at);
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP SCHEMA exports CASCADE');
  }
}

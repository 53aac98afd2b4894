import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Import jobs with their reports, and the cost table itself. */
export class CreateImports1763000000001 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE SCHEMA imports;

      CREATE TABLE imports.job (
        asset_id uuid NOT NULL,
        import_id uuid NOT NULL,
        status text NOT NULL DEFAULT 'queued',
        outcome text,
        sync boolean NOT NULL,
        format text NOT NULL,
        content_type text NOT NULL,
        object_key text NOT NULL,
        file_bytes bigint NOT NULL,
        file_sha256 text NOT NULL,
        requested_by text NOT NULL,
        traceparent text,
        attempt integer NOT NULL DEFAULT 0,
        locked_by text,
        lease_until timestamptz,
        deadline_at timestamptz,
        time_limit_ms integer NOT NULL,
        bytes_read bigint NOT NULL DEFAULT 0,
        rows_read bigint NOT NULL DEFAULT 0,
        error json,
        created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        started_at timestamptz,
        finished_at timestamptz,
        PRIMARY KEY (asset_id, import_id)
      );
      CREATE INDEX job_import_id_idx ON imports.job (import_id);
      CREATE INDEX job_newest_idx ON imports.job (asset_id, created_at, import_id);
      CREATE INDEX job_queued_idx ON imports.job (created_at, import_id) WHERE status = 'queued';
      CREATE INDEX job_active_idx ON imports.job (asset_id, created_at, import_id) WHERE status IN ('queued', 'running');
      CREATE UNIQUE INDEX job_one_running_per_asset ON imports.job (asset_id) WHERE status = 'running';

      CREATE TABLE imports.report (
        asset_id uuid NOT NULL,
        import_id uuid NOT NULL,
        report json NOT NULL, -- keeps the order of members
        PRIMARY KEY (asset_id, import_id)
      );

      CREATE TABLE imports.channel_mapping (
        asset_id uuid NOT NULL,
        name text NOT NULL,
        family text NOT NULL,
        PRIMARY KEY (asset_id, name)
      );

      -- Absent source and campaign are empty text: NULLs would be distinct in the key. An index entry holds at most
      -- 2,704 bytes and 3 x 256 characters can be 3,072, so the key of a long row is a digest.
      CREATE TABLE imports.cost_row (
        asset_id uuid NOT NULL,
        import_id uuid NOT NULL,
        line integer NOT NULL,
        date date NOT NULL,
        cost numeric(21,6) NOT NULL,
        revenue numeric(21,6),
        currency text NOT NULL,
        channel text NOT NULL,
        source text NOT NULL,
        campaign text NOT NULL,
        long_key text
      );
      COMMENT ON COLUMN imports.cost_row.import_id IS 'The import that last changed this row';
      COMMENT ON COLUMN imports.cost_row.line IS 'Its record number in that file: comments do not count, the header is 1';
      COMMENT ON COLUMN imports.cost_row.long_key IS 'SHA-256 of channel, source and campaign when they are over 2,000 bytes together';
      CREATE UNIQUE INDEX cost_row_key ON imports.cost_row (asset_id, date, channel, source, campaign) WHERE long_key IS NULL;
      CREATE UNIQUE INDEX cost_row_long_key ON imports.cost_row (asset_id, date, long_key) WHERE long_key IS NOT NULL;
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP SCHEMA imports CASCADE');
  }
}

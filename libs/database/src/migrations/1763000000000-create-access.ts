import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Who may do what, and what the gateway counts and remembers. */
export class CreateAccess1763000000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE SCHEMA access;

      CREATE TABLE access.asset (
        asset_id uuid PRIMARY KEY,
        name text NOT NULL,
        timezone text NOT NULL,
        currency text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now()
      );

      CREATE TABLE access.principal (
        principal_id uuid PRIMARY KEY,
        name text NOT NULL CONSTRAINT principal_name_key UNIQUE,
        created_at timestamptz NOT NULL DEFAULT now()
      );

      CREATE TABLE access.membership (
        asset_id uuid NOT NULL CONSTRAINT membership_asset_id_fkey REFERENCES access.asset ON DELETE CASCADE,
        principal_id uuid NOT NULL CONSTRAINT membership_principal_id_fkey REFERENCES access.principal ON DELETE CASCADE,
        permissions text[] NOT NULL DEFAULT '{}',
        restrictions text[] NOT NULL DEFAULT '{}',
        PRIMARY KEY (asset_id, principal_id)
      );

      CREATE TABLE access.api_token (
        token_id text PRIMARY KEY,
        principal_id uuid NOT NULL CONSTRAINT api_token_principal_id_fkey REFERENCES access.principal ON DELETE CASCADE,
        secret_sha256 bytea NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        expires_at timestamptz,
        revoked_at timestamptz
      );

      -- Requests of one subject in one window; lost in a crash without harm.
      CREATE UNLOGGED TABLE access.rate_window (
        subject text NOT NULL,
        window_start timestamptz NOT NULL,
        requests int NOT NULL,
        PRIMARY KEY (subject, window_start)
      );

      -- Written in the transaction that creates the job; the job's record holds the answer. A request that was answered
      -- without a job keeps its problem here.
      CREATE TABLE access.idempotency_key (
        asset_id uuid NOT NULL,
        endpoint text NOT NULL,
        key text NOT NULL,
        body_sha256 text NOT NULL,
        content_type text NOT NULL,
        resource_id uuid,
        problem json,
        created_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (asset_id, endpoint, key)
      );
      CREATE INDEX idempotency_key_age_idx ON access.idempotency_key (created_at);
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP SCHEMA access CASCADE');
  }
}

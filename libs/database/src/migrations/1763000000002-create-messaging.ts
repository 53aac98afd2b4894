import type { MigrationInterface, QueryRunner } from 'typeorm';

/** An outbox in the schema of each writing service, and the dead letters of the in-process bus. */
export class CreateMessaging1763000000002 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const schema of ['access', 'imports']) {
      await queryRunner.query(`
        CREATE TABLE ${schema}.outbox (
          id uuid PRIMARY KEY,
          topic text NOT NULL,
          key text NOT NULL,
          payload jsonb NOT NULL,
          headers jsonb NOT NULL DEFAULT '{}',
          created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
          claimed_until timestamptz,
          published_at timestamptz,
          parked_at timestamptz,
          attempts integer NOT NULL DEFAULT 0,
          last_error text
        );
        CREATE INDEX outbox_pending_idx ON ${schema}.outbox (created_at) WHERE published_at IS NULL AND parked_at IS NULL;
        CREATE INDEX outbox_published_idx ON ${schema}.outbox (published_at) WHERE published_at IS NOT NULL;
      `);
    }
    await queryRunner.query(`
      CREATE SCHEMA messaging;
      CREATE TABLE messaging.dead_letter (
        id uuid PRIMARY KEY,
        topic text NOT NULL,
        key text NOT NULL,
        value text NOT NULL,
        headers jsonb NOT NULL,
        created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        replayed_at timestamptz
      );
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP SCHEMA messaging CASCADE; DROP TABLE imports.outbox; DROP TABLE access.outbox;');
  }
}

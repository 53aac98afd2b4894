import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The users report reads the persons of an asset in the order of its file, and counts their spans. Its queries alone name the
 * condition, which always holds: the planner of an asset that is newer than its statistics would else look up by these what
 * has a key, and read all of the asset for each.
 */
export class IndexUsers1763000000008 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE INDEX person_order_idx ON reporting.person (asset_id, identified_at DESC NULLS LAST, global_user_id)
        WHERE person_id > 0;
      CREATE INDEX person_span_asset_idx ON reporting.person_span (asset_id, version) WHERE person_id > 0;
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      DROP INDEX reporting.person_span_asset_idx;
      DROP INDEX reporting.person_order_idx;
    `);
  }
}

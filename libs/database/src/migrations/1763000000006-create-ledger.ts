import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The evidence ledger of each asset: entries and checkpoints that are only ever added to. */
export class CreateLedger1763000000006 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(TABLES);
    await queryRunner.query(TRIGGERS);
    await queryRunner.query(RIGHTS);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      DROP TABLE integrity.signing_key, integrity.checkpoint_pending, integrity.checkpoint,
                 integrity.evidence_sample, integrity.evidence_entry, integrity.ledger_head;
      DROP FUNCTION integrity.refuse_change(), integrity.check_entry();
    `);
  }
}

const TABLES = `
  -- Where the log of an asset ends. What an append needs, so that it reads no entry.
  CREATE TABLE integrity.ledger_head (
    asset_id uuid PRIMARY KEY,
    origin text NOT NULL,
    size bigint NOT NULL,
    last_hash bytea NOT NULL,
    range bytea[] NOT NULL,
    broken_at timestamptz,
    broken_reason text,
    verified_at timestamptz NOT NULL DEFAULT clock_timestamp()
  );
  COMMENT ON COLUMN integrity.ledger_head.origin IS 'Name of the log and of its keys, fixed when it starts';
  COMMENT ON COLUMN integrity.ledger_head.range IS 'Compact Merkle range: roots of the perfect subtrees, largest first';
  COMMENT ON COLUMN integrity.ledger_head.broken_at IS 'Since then nothing is appended';
  COMMENT ON COLUMN integrity.ledger_head.verified_at IS 'When a check from the first entry began last, whatever it found';

  CREATE TABLE integrity.evidence_entry (
    asset_id uuid NOT NULL,
    seq bigint NOT NULL,
    kind text NOT NULL,
    body text NOT NULL,
    prev_hash bytea NOT NULL,
    entry_hash bytea NOT NULL,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (asset_id, seq),
    UNIQUE (asset_id, entry_hash)
  );
  COMMENT ON COLUMN integrity.evidence_entry.body IS 'Canonical JSON; entry_hash is over these very bytes';

  -- Addresses behind the commitments of entries. They may go; entries stay.
  CREATE TABLE integrity.evidence_sample (
    asset_id uuid NOT NULL,
    entry_hash bytea NOT NULL,
    salt bytea NOT NULL,
    ip text NOT NULL,
    expires_at timestamptz NOT NULL,
    PRIMARY KEY (asset_id, entry_hash, salt)
  );
  CREATE INDEX evidence_sample_expiry_idx ON integrity.evidence_sample (expires_at);

  CREATE TABLE integrity.checkpoint (
    asset_id uuid NOT NULL,
    size bigint NOT NULL CHECK (size > 0),
    root bytea NOT NULL,
    range bytea[] NOT NULL,
    note text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (asset_id, size)
  );
  COMMENT ON COLUMN integrity.checkpoint.range IS 'From which the next checkpoint is shown to go on from this one';

  -- Checkpoints that are not in the object storage yet.
  CREATE TABLE integrity.checkpoint_pending (
    asset_id uuid NOT NULL,
    size bigint NOT NULL,
    PRIMARY KEY (asset_id, size)
  );

  -- Public halves; the private ones never are in the database.
  CREATE TABLE integrity.signing_key (
    name text NOT NULL,
    key_id text NOT NULL,
    public_key bytea NOT NULL,
    valid_from timestamptz NOT NULL DEFAULT clock_timestamp(),
    valid_to timestamptz,
    PRIMARY KEY (name, key_id, valid_from)
  );
  COMMENT ON COLUMN integrity.signing_key.name IS 'The origin of the log it signs';
  COMMENT ON COLUMN integrity.signing_key.valid_to IS 'When the next key took over; its old signatures stay good';
`;

/**
 * ALWAYS: also in sessions that replay as replicas do. The planner's costs of a small table are no guide here: a plan
 * that is kept while the table grows must be by index.
 */
const TRIGGERS = `
  CREATE FUNCTION integrity.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    RAISE EXCEPTION '% of %.% is refused: it is only ever added to', TG_OP, TG_TABLE_SCHEMA, TG_TABLE_NAME
      USING ERRCODE = 'insufficient_privilege';
  END $$;

  CREATE FUNCTION integrity.check_entry() RETURNS trigger LANGUAGE plpgsql VOLATILE SET enable_seqscan = off AS $$
  DECLARE
    before bytea;
  BEGIN
    IF NEW.seq = 1 THEN
      before := sha256(convert_to('genesis:' || NEW.asset_id::text, 'UTF8'));
    ELSE
      SELECT entry_hash INTO before FROM integrity.evidence_entry WHERE asset_id = NEW.asset_id AND seq = NEW.seq - 1;
    END IF;
    IF before IS NULL OR NEW.seq < 1 THEN
      RAISE EXCEPTION 'entry % of asset % has no entry before it', NEW.seq, NEW.asset_id USING ERRCODE = 'check_violation';
    END IF;
    IF NEW.prev_hash <> before THEN
      RAISE EXCEPTION 'entry % of asset % does not follow the one before it', NEW.seq, NEW.asset_id USING ERRCODE = 'check_violation';
    END IF;
    IF NEW.entry_hash <> sha256('\\x00'::bytea || convert_to(NEW.body, 'UTF8')) THEN
      RAISE EXCEPTION 'entry % of asset % does not have the hash of its body', NEW.seq, NEW.asset_id USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
  END $$;

  CREATE TRIGGER check_entry BEFORE INSERT ON integrity.evidence_entry
    FOR EACH ROW EXECUTE FUNCTION integrity.check_entry();
  ALTER TABLE integrity.evidence_entry ENABLE ALWAYS TRIGGER check_entry;
  ${refusals('evidence_entry')}
  ${refusals('checkpoint')}
`;

function refusals(table: string): string {
  return `
  CREATE TRIGGER refuse_change BEFORE UPDATE OR DELETE ON integrity.${table}
    FOR EACH ROW EXECUTE FUNCTION integrity.refuse_change();
  CREATE TRIGGER refuse_truncate BEFORE TRUNCATE ON integrity.${table}
    FOR EACH STATEMENT EXECUTE FUNCTION integrity.refuse_change();
  ALTER TABLE integrity.${table} ENABLE ALWAYS TRIGGER refuse_change, ENABLE ALWAYS TRIGGER refuse_truncate;`;
}

/**
 * The owner too gives up the rights to change and remove: that needs no right to create roles, and holds when the
 * services run as the role that migrates. It can be taken back by the owner, on purpose; superusers have every right.
 */
const RIGHTS = `
  REVOKE UPDATE, DELETE, TRUNCATE ON integrity.evidence_entry, integrity.checkpoint FROM PUBLIC, CURRENT_USER;
`;

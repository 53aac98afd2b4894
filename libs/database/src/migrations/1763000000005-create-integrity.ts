import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Sessions as integrity counts them, what was found in them, and what it cost. */
export class CreateIntegrity1763000000005 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE SCHEMA integrity;

      -- Partitions of a month of local days each, made when the first session of it comes.
      CREATE TABLE integrity.ivt_session (
        asset_id uuid NOT NULL,
        day date NOT NULL,
        session_key uuid NOT NULL,
        visitor text NOT NULL,
        net text NOT NULL,
        host text NOT NULL,
        asn bigint,
        network_type text NOT NULL,
        channel text NOT NULL,
        unpaid boolean NOT NULL,
        ft_channel text NOT NULL,
        ua_class text NOT NULL,
        ua_browser text NOT NULL,
        ua_os text NOT NULL,
        started_at timestamptz NOT NULL,
        ended_at timestamptz NOT NULL,
        first_event_id text NOT NULL,
        events integer NOT NULL,
        conversions integer NOT NULL,
        other_events integer NOT NULL,
        landing_hits integer NOT NULL,
        distinct_paths integer NOT NULL,
        views bytea NOT NULL,
        path_sig text NOT NULL,
        geo_country text NOT NULL,
        geo_country_at timestamptz,
        global_user_id text,
        global_user_at timestamptz,
        sampled boolean NOT NULL,
        flagged_by text,
        flagged_entity text
      ) PARTITION BY RANGE (day);
      COMMENT ON COLUMN integrity.ivt_session.day IS 'Local day of the first event';
      COMMENT ON COLUMN integrity.ivt_session.net IS '/24 or /48; empty without an address';
      COMMENT ON COLUMN integrity.ivt_session.channel IS 'Slug of a known name, else as given';
      COMMENT ON COLUMN integrity.ivt_session.unpaid IS 'By the words of its name or type';
      COMMENT ON COLUMN integrity.ivt_session.session_key IS 'The first 16 bytes of SHA-256 of the id of the first event';
      COMMENT ON COLUMN integrity.ivt_session.views IS
        'Of each page view, by time: microseconds since 1970 as a big-endian double, and the first 6 bytes of SHA-256 of its path';
      COMMENT ON COLUMN integrity.ivt_session.sampled IS 'views holds the first 5,000 only; the counters are exact';
      COMMENT ON COLUMN integrity.ivt_session.flagged_by IS 'host, network, asn or visitor: the entity under which it counts';

      -- Event ids that were seen: the first 16 bytes of SHA-256.
      CREATE TABLE integrity.seen_event (
        asset_id uuid NOT NULL,
        event uuid NOT NULL,
        day date NOT NULL,
        PRIMARY KEY (asset_id, event)
      );
      CREATE INDEX seen_event_day_idx ON integrity.seen_event (day);

      -- When a known person converted first.
      CREATE TABLE integrity.converter (
        asset_id uuid NOT NULL,
        global_user_id text NOT NULL,
        first_at timestamptz NOT NULL,
        PRIMARY KEY (asset_id, global_user_id)
      );

      CREATE TABLE integrity.dirty (
        asset_id uuid NOT NULL,
        net text NOT NULL,
        day date NOT NULL,
        since timestamptz NOT NULL DEFAULT clock_timestamp(),
        waiting_since timestamptz NOT NULL DEFAULT clock_timestamp(),
        not_before timestamptz NOT NULL DEFAULT '-infinity',
        PRIMARY KEY (asset_id, day, net)
      );
      COMMENT ON COLUMN integrity.dirty.since IS 'The last change';
      COMMENT ON COLUMN integrity.dirty.waiting_since IS 'The first change since it was scored';
      COMMENT ON TABLE integrity.dirty IS 'Networks and days whose sessions changed since they were scored';

      -- How far an asset is scored.
      CREATE TABLE integrity.asset_state (
        asset_id uuid PRIMARY KEY,
        scored_through date,
        scored_at timestamptz,
        config_seq bigint,
        config_hash text
      );

      -- Events that no session shows. Apart from asset_state: ingest must not wait for the scorer's transaction.
      CREATE TABLE integrity.ingest_count (
        asset_id uuid PRIMARY KEY,
        skipped_no_ip bigint NOT NULL,
        duplicates bigint NOT NULL,
        too_old bigint NOT NULL
      );

      CREATE TABLE integrity.ivt_entity (
        asset_id uuid NOT NULL,
        entity_id text NOT NULL,
        type text NOT NULL,
        key text NOT NULL,
        salt bytea NOT NULL,
        first_seen date NOT NULL,
        last_seen date NOT NULL,
        PRIMARY KEY (asset_id, entity_id)
      );
      COMMENT ON COLUMN integrity.ivt_entity.salt IS 'Of the commitment by which a host stands in the ledger';

      -- Each detection of the ledger once more, to be asked: history, only superseded_by is set later.
      CREATE TABLE integrity.ivt_verdict (
        asset_id uuid NOT NULL,
        ledger_seq bigint NOT NULL,
        entity_id text NOT NULL,
        entity_type text NOT NULL,
        day date NOT NULL,
        window_from date NOT NULL,
        window_to date NOT NULL,
        channel text NOT NULL,
        paid boolean,
        asn bigint,
        asn_org text,
        network_type text NOT NULL,
        severity text NOT NULL,
        p numeric(5,4) NOT NULL,
        ivt_class text NOT NULL,
        sessions integer NOT NULL,
        paid_sessions integer NOT NULL,
        flagged_sessions integer NOT NULL,
        flagged_events integer NOT NULL,
        conversions integer NOT NULL,
        scores real[] NOT NULL,
        reasons jsonb NOT NULL,
        content_hash text NOT NULL,
        detector_version text NOT NULL,
        superseded_by bigint,
        appended_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        PRIMARY KEY (asset_id, ledger_seq)
      );
      COMMENT ON COLUMN integrity.ivt_verdict.content_hash IS 'Of what an entry must differ in to be appended';
      CREATE UNIQUE INDEX ivt_verdict_current_idx ON integrity.ivt_verdict
        (asset_id, day, entity_id, channel, paid, asn, network_type) NULLS NOT DISTINCT WHERE superseded_by IS NULL;
      CREATE INDEX ivt_verdict_entity_idx ON integrity.ivt_verdict (asset_id, entity_id, day);

      -- The severity at this moment, which drives pushes: it rises at once and falls after quiet days.
      CREATE TABLE integrity.ivt_current (
        asset_id uuid NOT NULL,
        entity_id text NOT NULL,
        severity text NOT NULL,
        ivt_class text NOT NULL,
        p numeric(5,4) NOT NULL,
        evidence_day date NOT NULL,
        ledger_seq bigint,
        changed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        PRIMARY KEY (asset_id, entity_id)
      );

      -- The gateway adds rows and marks their removal; integrity writes both into the ledger and then applies them.
      CREATE TABLE integrity.ivt_allow (
        asset_id uuid NOT NULL,
        rule_id uuid NOT NULL,
        cidr text,
        asn bigint,
        reason text NOT NULL,
        by text NOT NULL,
        until date,
        created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        removed_at timestamptz,
        removed_by text,
        salt bytea,
        added_seq bigint,
        removed_seq bigint,
        PRIMARY KEY (asset_id, rule_id),
        CHECK ((cidr IS NULL) <> (asn IS NULL))
      );
      -- Uses of a rule that stand in the ledger.
      CREATE TABLE integrity.ivt_allow_use (
        asset_id uuid NOT NULL,
        rule_id uuid NOT NULL,
        entity_id text NOT NULL,
        day date NOT NULL,
        ledger_seq bigint NOT NULL,
        PRIMARY KEY (asset_id, rule_id, entity_id, day)
      );

      -- Spend as imported, by the key of the channel.
      CREATE TABLE integrity.cost_day (
        asset_id uuid NOT NULL,
        channel text NOT NULL,
        day date NOT NULL,
        currency text NOT NULL,
        spend numeric NOT NULL,
        import_id uuid NOT NULL,
        PRIMARY KEY (asset_id, channel, day, currency)
      );
      -- Completed imports whose cost rows are to be read, and by whom nobody waits: the scorer takes them.
      CREATE TABLE integrity.cost_pending (
        asset_id uuid NOT NULL,
        import_id uuid NOT NULL,
        received_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        PRIMARY KEY (asset_id, import_id)
      );
      -- The newest cost_basis of the ledger.
      CREATE TABLE integrity.cost_basis (
        asset_id uuid NOT NULL,
        channel text NOT NULL,
        day date NOT NULL,
        currency text NOT NULL,
        spend numeric NOT NULL,
        paid_sessions integer NOT NULL,
        import_id uuid NOT NULL,
        ledger_seq bigint NOT NULL,
        appended_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        PRIMARY KEY (asset_id, channel, day, currency)
      );

      CREATE TABLE integrity.inbox (LIKE reporting.inbox INCLUDING ALL);
      CREATE TABLE integrity.processed (LIKE reporting.processed INCLUDING ALL);
      CREATE TABLE integrity.outbox (LIKE imports.outbox INCLUDING ALL);
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP SCHEMA integrity CASCADE');
  }
}

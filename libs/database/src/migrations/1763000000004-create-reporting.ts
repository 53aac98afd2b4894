import type { MigrationInterface, QueryRunner } from 'typeorm';

const TEXT = [
  'event_name', 'global_user_id', 'page_host', 'page_path', 'ft_channel', 'ft_source', 'lt_channel', 'lt_channel_type',
  'lt_source', 'lt_medium', 'lt_campaign', 'ip', 'geo_country', 'geo_region', 'geo_city', 'ua_browser', 'ua_os',
].map((column) => `${column} text`).join(', '); // prettier-ignore

/**
 * Events, what they sum up to, people and consent. Numbers of days and users are exact; see apps/reporting/src/ingest.
 *
 * Of the indexes of a table that ingest looks rows up in, only one begins with the asset; the others begin with an id that
 * is unique by itself. Between two indexes that begin alike the planner chooses by statistics, and those of a new asset
 * say that it has two rows: it then reads all rows of the asset for each key, through the wrong index.
 */
export class CreateReporting1763000000004 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE SCHEMA reporting;

      -- Files are in the byte order of these ids, whatever the collation of the database: COLLATE "C".

      -- As sent; absent text is NULL. Partitions of a UTC month each, event_YYYY_MM, with two indexes of their own: unique
      -- (asset_id, event_id), and (asset_id, event_time, event_id).
      CREATE TABLE reporting.event (
        asset_id uuid NOT NULL,
        event_time timestamptz NOT NULL,
        event_id text COLLATE "C" NOT NULL,
        event_type text NOT NULL,
        distinct_id text NOT NULL,
        ${TEXT},
        value numeric,
        currency text,
        formula_cells smallint NOT NULL
      ) PARTITION BY RANGE (event_time);
      COMMENT ON COLUMN reporting.event.formula_cells IS 'Cells of the raw file that look like a formula: a file without any needs no look at each cell';
      CREATE INDEX event_formula_idx ON reporting.event (asset_id, event_time) INCLUDE (formula_cells) WHERE formula_cells > 0;

      -- Ids of visitors and of named persons, of one space: a visitor whom nothing names is a person by its own id.
      -- A writer takes 1,000 at a time.
      CREATE SEQUENCE reporting.subject_id INCREMENT BY 1000;

      -- The earliest naming by an event is kept here; the person is that of the earliest naming at all, else the visitor.
      CREATE TABLE reporting.visitor (
        asset_id uuid NOT NULL,
        distinct_id text NOT NULL,
        visitor_id bigint NOT NULL,
        person_id bigint NOT NULL,
        event_named_us bigint,
        event_named_by text,
        event_named_person bigint,
        PRIMARY KEY (asset_id, distinct_id)
      );
      CREATE UNIQUE INDEX visitor_id_idx ON reporting.visitor (visitor_id, asset_id);

      -- A global_user_id that an event or an identity record has named; the rest comes from identity records.
      CREATE TABLE reporting.person (
        asset_id uuid NOT NULL,
        global_user_id text COLLATE "C" NOT NULL,
        person_id bigint NOT NULL,
        email text,
        phone text,
        crm_client_id text,
        first_seen_at timestamptz,
        identified_at timestamptz,
        identified boolean NOT NULL DEFAULT false,
        PRIMARY KEY (asset_id, global_user_id)
      );
      CREATE UNIQUE INDEX person_id_idx ON reporting.person (person_id, asset_id);
      COMMENT ON COLUMN reporting.person.identified IS 'There is an identity record';

      -- When named persons were there, by their parts.
      CREATE TABLE reporting.person_span (
        asset_id uuid NOT NULL,
        version integer NOT NULL,
        person_id bigint NOT NULL,
        first_day date NOT NULL,
        last_day date NOT NULL,
        first_at timestamptz NOT NULL,
        PRIMARY KEY (person_id, version, asset_id)
      ) WITH (fillfactor = 70);

      -- Visitors that identity records name.
      CREATE TABLE reporting.identity_visitor (
        asset_id uuid NOT NULL,
        visitor_id bigint NOT NULL,
        person_id bigint NOT NULL,
        PRIMARY KEY (visitor_id, person_id, asset_id)
      );
      CREATE INDEX identity_visitor_person_idx ON reporting.identity_visitor (person_id, asset_id);

      -- Values of dimensions by a short id; the key is a digest because an index entry holds 2,704 bytes at most.
      CREATE TABLE reporting.dimension (
        asset_id uuid NOT NULL,
        dim_id integer NOT NULL GENERATED ALWAYS AS IDENTITY,
        kind smallint NOT NULL,
        key_sha256 bytea NOT NULL,
        cells text[] NOT NULL,
        PRIMARY KEY (dim_id, asset_id)
      );
      CREATE UNIQUE INDEX dimension_key_idx ON reporting.dimension (asset_id, kind, key_sha256);

      -- Which version of the rollups is read, and which is being rebuilt beside it.
      CREATE TABLE reporting.asset_state (
        asset_id uuid PRIMARY KEY,
        version integer NOT NULL DEFAULT 1,
        building integer,
        ip_key bytea
      );

      -- The events of one session on one local day that name one person (0: that name nobody).
      CREATE TABLE reporting.session_part (
        asset_id uuid NOT NULL,
        version integer NOT NULL,
        visitor_id bigint NOT NULL,
        started_at timestamptz NOT NULL,
        day date NOT NULL,
        named_id bigint NOT NULL,
        person_id bigint NOT NULL,
        starts boolean NOT NULL,
        first_at timestamptz NOT NULL,
        ended_at timestamptz,
        first_event_id text,
        spelling integer NOT NULL,
        channel integer NOT NULL,
        source integer NOT NULL,
        geo integer NOT NULL,
        tech integer NOT NULL,
        campaign integer NOT NULL,
        pageviews integer NOT NULL,
        conversions integer NOT NULL,
        events integer NOT NULL,
        PRIMARY KEY (visitor_id, version, started_at, day, named_id, asset_id)
      ) WITH (fillfactor = 90);
      COMMENT ON COLUMN reporting.session_part.person_id IS 'named_id, or the person of the visitor when it is 0';
      COMMENT ON COLUMN reporting.session_part.starts IS 'Exactly one part of a session counts as the session: that of its first event';
      COMMENT ON COLUMN reporting.session_part.first_at IS 'The first event of this part';
      COMMENT ON COLUMN reporting.session_part.ended_at IS 'The last event of the session; only where starts, NULL on the other parts';
      COMMENT ON COLUMN reporting.session_part.first_event_id IS 'The first event of the session; only where starts';
      CREATE INDEX session_part_person_idx ON reporting.session_part (person_id, version, day, asset_id)
        INCLUDE (channel, source, geo, tech, campaign);

      -- Days of persons who have more parts than can be read with every batch: bots, and visitors whose collector gives all
      -- the same id. For such a person, and only then, the parts by day of each dimension value are kept here.
      CREATE TABLE reporting.frequent_person (
        asset_id uuid NOT NULL,
        version integer NOT NULL,
        person_id bigint NOT NULL,
        PRIMARY KEY (person_id, version, asset_id)
      );
      CREATE TABLE reporting.frequent_person_day (
        asset_id uuid NOT NULL,
        version integer NOT NULL,
        person_id bigint NOT NULL,
        kind smallint NOT NULL,
        dim_id integer NOT NULL,
        day date NOT NULL,
        parts integer NOT NULL,
        PRIMARY KEY (person_id, version, kind, dim_id, day, asset_id)
      ) WITH (fillfactor = 70);

      CREATE TABLE reporting.rollup_day (
        asset_id uuid NOT NULL,
        version integer NOT NULL,
        kind smallint NOT NULL,
        day date NOT NULL,
        dim_id integer NOT NULL,
        sessions bigint NOT NULL,
        pageviews bigint NOT NULL,
        conversions bigint NOT NULL,
        events bigint NOT NULL,
        PRIMARY KEY (asset_id, version, kind, day, dim_id)
      ) WITH (fillfactor = 70);

      -- Persons by a day on which they were there with one dimension value and the day before it on which they were
      -- ('-infinity': never). Summing those with prev_day before a range counts each person of the range once.
      CREATE TABLE reporting.user_gap (
        asset_id uuid NOT NULL,
        version integer NOT NULL,
        kind smallint NOT NULL,
        day date NOT NULL,
        dim_id integer NOT NULL,
        prev_day date NOT NULL,
        users bigint NOT NULL,
        PRIMARY KEY (asset_id, version, kind, day, dim_id, prev_day)
      ) WITH (fillfactor = 70);

      -- What events bring to the targets of models, by local day and place. An event stands under its own day, place and last
      -- touch and not under those of its session, so that merging sessions never moves it. The currency of counts is ''.
      -- A place is a dimension of the kind geo; its names are kept here too, since whoever reads places reads years of them.
      CREATE TABLE reporting.outcome_rollup (
        asset_id uuid NOT NULL,
        version integer NOT NULL,
        target text COLLATE "C" NOT NULL,
        day date NOT NULL,
        place integer NOT NULL,
        currency text COLLATE "C" NOT NULL,
        country text NOT NULL,
        region text NOT NULL,
        city text NOT NULL,
        value numeric NOT NULL,
        organic_value numeric NOT NULL,
        events bigint NOT NULL,
        PRIMARY KEY (asset_id, version, target, day, place, currency)
      ) WITH (fillfactor = 70);

      CREATE VIEW reporting.outcome_day AS
      SELECT a.asset_id, o.day, o.country, o.region, o.city, o.target, o.value, o.organic_value, nullif(o.currency, '') AS currency, o.events
        FROM access.asset a
        LEFT JOIN reporting.asset_state s ON s.asset_id = a.asset_id
        JOIN reporting.outcome_rollup o ON o.asset_id = a.asset_id AND o.version = coalesce(s.version, 1);
      COMMENT ON VIEW reporting.outcome_day IS 'What models explain: one row per asset, local day, place (empty text where unknown), target and currency (NULL for counts). Targets: conversions, goal:<event_name> (events of any type with that name), revenue (sum of value, a missing currency is the asset''s). organic_value is the part of events whose own last touch is unpaid. An event stands under its own local day, place and last touch, so that merging sessions never moves it. A row of conversions exists for every asset, day and place with any event, and its events are all events of that day and place, of any type; the events of every other row are 0. So events summed over any rows count each event once, and a day without them had no tracking. Changes in the same transaction as the rollups of reports.';

      -- What ingest did while a version is being rebuilt: applied to it before the swap.
      CREATE TABLE reporting.rebuild_log (
        asset_id uuid NOT NULL,
        entry_id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
        entry jsonb NOT NULL,
        PRIMARY KEY (asset_id, entry_id)
      );

      CREATE TABLE reporting.consent (
        asset_id uuid NOT NULL,
        consent_id text COLLATE "C" NOT NULL,
        consent_at timestamptz NOT NULL,
        action text NOT NULL,
        accepted text[] NOT NULL,
        rejected text[] NOT NULL,
        mode text,
        revision text,
        config_version text,
        locale text,
        distinct_id text,
        ip_hmac bytea,
        PRIMARY KEY (asset_id, consent_id)
      );
      CREATE INDEX consent_newest_idx ON reporting.consent (asset_id, consent_at DESC, consent_id);

      -- Messages that were finished with: each counts once.
      CREATE TABLE reporting.inbox (
        message_id text PRIMARY KEY,
        received_at timestamptz NOT NULL DEFAULT clock_timestamp()
      );
      CREATE INDEX inbox_age_idx ON reporting.inbox (received_at);

      -- Records of the gateway that reporting has finished with, per asset and topic.
      CREATE TABLE reporting.processed (
        asset_id uuid NOT NULL,
        topic text NOT NULL,
        records bigint NOT NULL,
        newest_event_time timestamptz,
        PRIMARY KEY (asset_id, topic)
      );

      CREATE TABLE reporting.outbox (LIKE imports.outbox INCLUDING ALL);

      -- Records that the gateway took, per asset and topic.
      CREATE TABLE access.collected (
        asset_id uuid NOT NULL,
        topic text NOT NULL,
        records bigint NOT NULL,
        PRIMARY KEY (asset_id, topic)
      );
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE access.collected; DROP SCHEMA reporting CASCADE');
  }
}

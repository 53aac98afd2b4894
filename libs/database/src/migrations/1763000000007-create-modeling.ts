import type { MigrationInterface, QueryRunner } from 'typeorm';

const RUNNER = `
        attempt integer NOT NULL DEFAULT 0,
        locked_by text,
        lease_until timestamptz,
        deadline_at timestamptz,
        requested_by text,
        traceparent text,
        created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        started_at timestamptz,
        finished_at timestamptz,
        error_code text,
        error json`;

/** Marketing mix models and lift tests. The gateway creates what is asked for; mmm-lift creates automatic runs and ends all. */
export class CreateModeling1763000000007 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE SCHEMA modeling;

      CREATE TABLE modeling.asset_setting (
        asset_id uuid PRIMARY KEY,
        targets text[],
        conversion_value numeric
      );
      COMMENT ON COLUMN modeling.asset_setting.targets IS 'NULL: the default, conversions, and revenue once any value exists';

      -- Outside influences, weekly, loaded by the command line.
      CREATE TABLE modeling.control (
        asset_id uuid NOT NULL,
        name text NOT NULL,
        week_end date NOT NULL,
        value double precision NOT NULL,
        PRIMARY KEY (asset_id, name, week_end)
      );
      -- Units of one common currency for one unit of this: two of them give the rate between two currencies.
      CREATE TABLE modeling.fx_rate (
        currency text NOT NULL,
        day date NOT NULL,
        rate numeric NOT NULL,
        PRIMARY KEY (currency, day)
      );

      CREATE TABLE modeling.run (
        asset_id uuid NOT NULL,
        run_id uuid NOT NULL,
        target text NOT NULL,
        trigger text NOT NULL,
        status text NOT NULL DEFAULT 'queued',
        not_before timestamptz NOT NULL DEFAULT '-infinity',
        asked_from date,
        asked_to date,
        seed integer NOT NULL DEFAULT 1,
        ${RUNNER},
        same_as uuid,
        input_hash text,
        model_version text,
        window_from date,
        window_to date,
        trust_tier text,
        n_weeks integer,
        n_channels integer,
        currency text,
        interval_level double precision,
        r2 double precision,
        mape double precision,
        converged boolean,
        baseline_share double precision,
        holdout_mape double precision,
        calibrated_channels text[],
        warnings text[],
        diagnostics json,
        generated timestamptz,
        PRIMARY KEY (asset_id, run_id)
      );
      COMMENT ON COLUMN modeling.run.not_before IS 'Automatic runs wait for further imports';
      COMMENT ON COLUMN modeling.run.interval_level IS 'Probability of the intervals';
      COMMENT ON COLUMN modeling.run.asked_from IS 'As requested, widened to whole weeks; NULL: all complete weeks';
      CREATE UNIQUE INDEX run_id_idx ON modeling.run (run_id);
      CREATE INDEX run_newest_idx ON modeling.run (asset_id, created_at, run_id);
      CREATE INDEX run_succeeded_idx ON modeling.run (asset_id, target, generated) WHERE status = 'succeeded';
      CREATE INDEX run_active_idx ON modeling.run (not_before, created_at, run_id) WHERE status IN ('queued', 'running');
      CREATE UNIQUE INDEX run_one_automatic ON modeling.run (asset_id, target) WHERE status = 'queued' AND trigger <> 'request';

      CREATE TABLE modeling.run_input (
        asset_id uuid NOT NULL,
        run_id uuid NOT NULL,
        input json NOT NULL,
        PRIMARY KEY (asset_id, run_id)
      );
      COMMENT ON TABLE modeling.run_input IS 'What the model was fitted to: repeats a run after later imports';

      CREATE TABLE modeling.run_channel (
        asset_id uuid NOT NULL,
        run_id uuid NOT NULL,
        position integer NOT NULL,
        channel text NOT NULL,
        family text NOT NULL,
        identified boolean NOT NULL,
        contribution double precision,
        contribution_share double precision,
        contribution_share_lo double precision,
        contribution_share_hi double precision,
        spend double precision NOT NULL,
        roi double precision,
        roi_lo double precision,
        roi_hi double precision,
        mroi double precision,
        mroi_lo double precision,
        mroi_hi double precision,
        cpa double precision,
        p_effect double precision,
        rhat double precision,
        alpha_mean double precision,
        reasons text[] NOT NULL,
        PRIMARY KEY (asset_id, run_id, position)
      );
      COMMENT ON COLUMN modeling.run_channel.position IS 'In the file, from 0: contribution descending, then name';

      CREATE TABLE modeling.run_week (
        asset_id uuid NOT NULL,
        run_id uuid NOT NULL,
        week_end date NOT NULL,
        observed double precision,
        baseline double precision NOT NULL,
        fitted double precision NOT NULL,
        contributions json NOT NULL,
        PRIMARY KEY (asset_id, run_id, week_end)
      );

      CREATE TABLE modeling.run_curve (
        asset_id uuid NOT NULL,
        run_id uuid NOT NULL,
        position integer NOT NULL,
        channel text NOT NULL,
        multiplier double precision NOT NULL,
        response double precision NOT NULL,
        lo double precision NOT NULL,
        hi double precision NOT NULL,
        PRIMARY KEY (asset_id, run_id, position)
      );

      CREATE TABLE modeling.run_test (
        asset_id uuid NOT NULL,
        run_id uuid NOT NULL,
        position integer NOT NULL,
        test_id uuid NOT NULL,
        channel text NOT NULL,
        value double precision NOT NULL,
        se double precision NOT NULL,
        predicted double precision NOT NULL,
        z double precision NOT NULL,
        PRIMARY KEY (asset_id, run_id, position)
      );

      CREATE TABLE modeling.lift_test (
        asset_id uuid NOT NULL,
        test_id uuid NOT NULL,
        name text NOT NULL,
        metric text NOT NULL,
        channels text[] NOT NULL,
        request json NOT NULL,
        status text NOT NULL DEFAULT 'scheduled',
        not_before timestamptz NOT NULL,
        test_from date NOT NULL,
        window_to date NOT NULL,
        seed integer NOT NULL DEFAULT 1,
        ${RUNNER},
        PRIMARY KEY (asset_id, test_id)
      );
      COMMENT ON COLUMN modeling.lift_test.not_before IS 'When the window, tail included, is over in the time zone of the asset';
      COMMENT ON COLUMN modeling.lift_test.window_to IS 'The last day, tail included';
      CREATE UNIQUE INDEX lift_test_id_idx ON modeling.lift_test (test_id);
      CREATE INDEX lift_test_newest_idx ON modeling.lift_test (asset_id, created_at, test_id);
      CREATE INDEX lift_test_active_idx ON modeling.lift_test (not_before, created_at, test_id) WHERE status IN ('scheduled', 'queued', 'running');

      CREATE TABLE modeling.lift_result (
        asset_id uuid NOT NULL,
        test_id uuid NOT NULL,
        model_version text NOT NULL,
        method text NOT NULL,
        pre_from date NOT NULL,
        pre_to date NOT NULL,
        test_from date NOT NULL,
        test_to date NOT NULL,
        n_days integer NOT NULL,
        confidence_level double precision NOT NULL,
        observed_total double precision NOT NULL,
        counterfactual_total double precision NOT NULL,
        lift_total double precision NOT NULL,
        lift_lo double precision NOT NULL,
        lift_hi double precision NOT NULL,
        lift_pct double precision,
        lift_pct_lo double precision,
        lift_pct_hi double precision,
        p_value double precision NOT NULL,
        currency text,
        trust_tier text NOT NULL,
        treated text[] NOT NULL,
        n_controls integer NOT NULL,
        tail_days integer NOT NULL,
        calibration_factor double precision NOT NULL,
        mde_pct double precision,
        organic_shift double precision,
        organic_shift_lo double precision,
        organic_shift_hi double precision,
        warnings text[] NOT NULL,
        spend_window double precision,
        incremental_roas double precision,
        incremental_roas_lo double precision,
        incremental_roas_hi double precision,
        cpa double precision,
        diagnostics json NOT NULL,
        generated timestamptz NOT NULL,
        PRIMARY KEY (asset_id, test_id)
      );
      COMMENT ON COLUMN modeling.lift_result.diagnostics IS 'weights, dropped_controls, placebo_z, missing_days, fit_error_pct';

      CREATE TABLE modeling.lift_day (
        asset_id uuid NOT NULL,
        test_id uuid NOT NULL,
        day date NOT NULL,
        observed double precision,
        counterfactual double precision NOT NULL,
        cf_lo double precision NOT NULL,
        cf_hi double precision NOT NULL,
        lift double precision,
        organic double precision,
        spend_window double precision,
        incremental_roas double precision,
        cpa double precision,
        PRIMARY KEY (asset_id, test_id, day)
      );

      -- Events that were acted on: a second delivery makes no second run.
      CREATE TABLE modeling.consumer_inbox (
        event_id text PRIMARY KEY,
        seen_at timestamptz NOT NULL DEFAULT clock_timestamp()
      );
      CREATE INDEX consumer_inbox_age_idx ON modeling.consumer_inbox (seen_at);

      CREATE TABLE modeling.outbox (LIKE imports.outbox INCLUDING ALL);
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP SCHEMA modeling CASCADE');
  }
}

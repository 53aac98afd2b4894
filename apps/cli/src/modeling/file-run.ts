import { inFileOrder } from '#contracts/layouts/mix-channels.layout.js';
import { ABOUT_LIFT, ABOUT_MIX, type About } from '#contracts/modeling/about.js';
import type { LiftNumbers, LiftRequest, LiftTest } from '#contracts/modeling/lift-test.js';
import type { MixNumbers, MixRun } from '#contracts/modeling/mix-run.js';

/** What a file has none of: it was never asked for, queued or stored. */
interface NoRun {
  generated: null;
  created_at: null;
  started_at: null;
  finished_at: null;
  requested_by: null;
  error_code: null;
  error: null;
}

const NO_RUN: NoRun = {
  generated: null,
  created_at: null,
  started_at: null,
  finished_at: null,
  requested_by: null,
  error_code: null,
  error: null,
};

/** The object of `GET /api/v1/mmm/runs/{id}` with everything in it, for a file: without an id and without times. */
export type FileMixRun = Omit<MixRun, keyof NoRun | 'run_id'> & NoRun & { run_id: null; about: About };

/** The object of `GET /api/v1/lift/tests/{id}` with everything in it, for a file. */
export type FileLiftTest = Omit<LiftTest, keyof NoRun | 'test_id' | 'days'> &
  NoRun &
  Pick<LiftNumbers, 'days'> & { test_id: null; about: About };

export function fileMixRun(target: string, numbers: MixNumbers): FileMixRun {
  const { channels, weeks, curves, tests, diagnostics, ...summary } = numbers;
  return {
    run_id: null,
    target,
    status: 'succeeded',
    trigger: 'request',
    ...summary,
    ...NO_RUN,
    same_as: null,
    channels: inFileOrder(channels),
    weeks,
    curves,
    tests,
    diagnostics,
    about: ABOUT_MIX,
  };
}

export function fileLiftTest(name: string, request: Omit<LiftRequest, 'name'>, numbers: LiftNumbers): FileLiftTest {
  const { days, diagnostics, ...summary } = numbers;
  return {
    test_id: null,
    name,
    metric: request.metric,
    channels: request.channels,
    status: 'succeeded',
    ...summary,
    ...NO_RUN,
    request: { name, ...request },
    days,
    diagnostics,
    about: ABOUT_LIFT,
  };
}

import { LiftTestCompleted } from '#contracts/events/lift-test-completed.js';
import { LiftTestRequested } from '#contracts/events/lift-test-requested.js';
import { MmmRunCompleted } from '#contracts/events/mmm-run-completed.js';
import { MmmRunRequested } from '#contracts/events/mmm-run-requested.js';
import { event, EXAMPLE_ASSET } from './event-text.asyncapi.js';

const RUN_ID = '7c9e6679-7425-40de-944b-e07fc1f90ae7';
const TEST_ID = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';

/** Marketing mix models and lift tests. */
export const MODELING_EVENTS = {
  'mmm.run-requested.v1': event({
    type: MmmRunRequested,
    from: ['gateway'],
    to: ['mmm-lift'],
    descriptions: { run_id: 'The run, which is there already.', asset_id: 'Whose data.' },
    example: { run_id: RUN_ID, asset_id: EXAMPLE_ASSET },
  }),
  'mmm.run-completed.v1': event({
    type: MmmRunCompleted,
    from: ['mmm-lift'],
    to: [],
    descriptions: {
      target: '`conversions`, `revenue` or `goal:<event_name>`.',
      trust_tier: 'How far the numbers can be trusted; null for a failed run.',
      n_weeks: 'Weeks that the model was fitted to.',
      n_channels: 'Channels with spend.',
      error_code: 'Why there are no numbers.',
    },
    example: {
      asset_id: EXAMPLE_ASSET,
      run_id: RUN_ID,
      target: 'conversions',
      status: 'succeeded',
      trust_tier: 'medium',
      n_weeks: 104,
      n_channels: 4,
      error_code: null,
    },
  }),
  'lift.test-requested.v1': event({
    type: LiftTestRequested,
    from: ['gateway'],
    to: ['mmm-lift'],
    descriptions: { test_id: 'The test, which is there already.', asset_id: 'Whose data.' },
    example: { test_id: TEST_ID, asset_id: EXAMPLE_ASSET },
  }),
  'lift.test-completed.v1': event({
    type: LiftTestCompleted,
    from: ['mmm-lift'],
    to: ['mmm-lift'],
    descriptions: {
      metric: 'The target that was measured.',
      channels: 'What was tested.',
      trust_tier: 'How far the numbers can be trusted; null for a failed test.',
      error_code: 'Why there are no numbers.',
    },
    example: {
      asset_id: EXAMPLE_ASSET,
      test_id: TEST_ID,
      metric: 'conversions',
      channels: ['Google Ads'],
      status: 'succeeded',
      trust_tier: 'high',
      error_code: null,
    },
  }),
};

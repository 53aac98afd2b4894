import { expect, it } from '@jest/globals';
import type { Restriction } from '#contracts/permissions.js';
import { RUN_WITH_CHANNELS, SUCCEEDED_TEST, TEST_WITH_REQUEST } from '../published/modeling-examples.js';
import { liftItemFor, liftTestFor, mixRunFor } from './without-cost.js';

const RESTRICTED: { restrictions: Restriction[] } = { restrictions: ['cost_data'] };

it('nobody else loses anything', () => {
  for (const restrictions of [[], ['raw_data']] as Restriction[][]) {
    expect(mixRunFor({ restrictions }, RUN_WITH_CHANNELS)).toEqual(RUN_WITH_CHANNELS);
    expect(liftTestFor({ restrictions }, TEST_WITH_REQUEST)).toEqual(TEST_WITH_REQUEST);
    expect(liftItemFor({ restrictions }, SUCCEEDED_TEST)).toEqual(SUCCEEDED_TEST);
  }
});

it('what is told does not depend on the spend, whatever it was', () => {
  const told = (factor: number): string => {
    const run = {
      ...RUN_WITH_CHANNELS,
      channels: RUN_WITH_CHANNELS.channels.map((channel) => ({
        ...channel,
        spend: channel.spend * factor,
        roi: (channel.roi ?? 0) / factor,
        roi_lo: (channel.roi_lo ?? 0) / factor,
        roi_hi: (channel.roi_hi ?? 0) / factor,
        mroi: (channel.mroi ?? 0) / factor,
        mroi_lo: (channel.mroi_lo ?? 0) / factor,
        mroi_hi: (channel.mroi_hi ?? 0) / factor,
        cpa: (channel.cpa ?? 0) * factor,
      })),
      curves: [{ channel: 'Google Ads', multiplier: factor, response: 1, lo: 0, hi: 2 }],
      tests: [{ test_id: null, channel: 'Google Ads', value: 1 / factor, se: 1 / factor, predicted: 1 / factor, z: 0 }],
    };
    const test = {
      ...TEST_WITH_REQUEST,
      spend_window: factor,
      incremental_roas: 1 / factor,
      incremental_roas_lo: 1 / factor,
      incremental_roas_hi: 1 / factor,
      cpa: factor,
      request: { ...TEST_WITH_REQUEST.request, spend: { amount: String(factor), currency: 'EUR' } },
      days: (TEST_WITH_REQUEST.days ?? []).map((day) => ({
        ...day,
        spend_window: factor,
        incremental_roas: 1 / factor,
        cpa: factor,
      })),
    };
    return JSON.stringify([
      mixRunFor(RESTRICTED, run),
      liftTestFor(RESTRICTED, test),
      liftItemFor(RESTRICTED, { ...SUCCEEDED_TEST, spend_window: factor }).lift_total,
    ]);
  };
  expect(told(1)).toBe(told(7));
  expect(told(1)).toContain('"lift_total":329.6');
});

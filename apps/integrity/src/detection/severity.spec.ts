import { describe, expect, it } from '@jest/globals';
import { findingsOf } from '../../../../test/fixtures/traffic-sessions.js';
import type { NetworkType } from '../networks/network-types.js';
import { severityOf } from './severity.js';
import type { Detector } from './traffic.js';

type Scores = Partial<Record<Detector, number>>;

function severity(n: number, p: number, scores: Scores, part: { converted?: number; networkType?: NetworkType } = {}) {
  return severityOf({ n, converted: 0, networkType: 'isp', ...part }, { p, findings: findingsOf(scores) });
}

const TWO: Scores = { no_engagement: 0.5, night_flat: 0.5 };
const THREE: Scores = { ...TWO, geo_conflict: 0.5 };

describe('severity', () => {
  it.each<[number, number, Scores, string]>([
    [2, 0.99, THREE, 'clean'],
    [3, 0.4, {}, 'suspected'],
    [3, 0.39, THREE, 'clean'],
    [4, 0.99, THREE, 'suspected'],
    [5, 0.65, TWO, 'likely'],
    [5, 0.64, TWO, 'suspected'],
    [5, 0.65, { no_engagement: 1 }, 'suspected'],
    [9, 0.99, THREE, 'likely'],
    [10, 0.85, THREE, 'confirmed'],
    [10, 0.84, THREE, 'likely'],
    [10, 0.99, TWO, 'likely'],
    [5, 0.65, { declared_bot: 0.7 }, 'likely'],
    [10, 0.85, { declared_bot: 0.7 }, 'confirmed'],
    [10, 0.85, { declared_bot: 0.69 }, 'suspected'],
  ])('of %p sessions with P %p and %p is %p', (n, p, scores, expected) => {
    expect(severity(n, p, scores)).toBe(expected);
  });

  it('never confirms for a data-centre address or for missing engagement alone', () => {
    expect(severity(1_000, 0.99, { hosting_network: 1 }, { networkType: 'vpn', converted: 1 })).toBe('suspected');
    expect(severity(1_000, 0.99, { hosting_network: 1, no_engagement: 1 })).toBe('likely');
    expect(severity(1_000, 0.99, { no_engagement: 1, conversion_void: 1 })).toBe('suspected');
  });

  it('wants a sign that people do not give, outside data centres', () => {
    const office = { repeat_click: 1, click_flood: 1, conversion_void: 1, id_churn: 1, night_flat: 1, paid_only: 0.7 };
    expect(severity(100, 0.99, office)).toBe('suspected');
    expect(severity(100, 0.99, { ...office, ua_impossible: 0.24 })).toBe('suspected');
    expect(severity(100, 0.99, { ...office, ua_impossible: 0.25 })).toBe('likely');
    expect(severity(100, 0.99, { ...office, path_template: 0.5 })).toBe('confirmed');
    expect(severity(100, 0.99, office, { networkType: 'hosting' })).toBe('confirmed');
  });

  it('takes a clicker without engagement for likely, at home and in data centres', () => {
    const clicks = { click_flood: 0.95, no_engagement: 0.25 };
    expect(severity(10, 0.3, clicks)).toBe('likely');
    expect(severity(10, 0.3, { repeat_click: 0.95, no_engagement: 0.25 }, { networkType: 'vpn' })).toBe('likely');
    expect(severity(9, 0.3, clicks)).toBe('clean');
    expect(severity(10, 0.3, clicks, { converted: 1 })).toBe('clean');
    expect(severity(10, 0.3, clicks, { networkType: 'business' })).toBe('clean');
    expect(severity(10, 0.3, { ...clicks, no_engagement: 0.24 })).toBe('clean');
    expect(severity(10, 0.3, { ...clicks, click_flood: 0.94 })).toBe('clean');
  });

  it('takes one who only ever clicks ads, far over the limit, for likely', () => {
    const clicks = { repeat_click: 0.75, paid_only: 0.75 };
    expect(severity(10, 0.7, clicks)).toBe('likely');
    expect(severity(10, 0.69, clicks)).toBe('suspected');
    expect(severity(10, 0.75, { ...clicks, paid_only: 0.74 })).toBe('suspected');
    expect(severity(10, 0.75, clicks, { networkType: 'education' })).toBe('suspected');
  });

  it.each<[NetworkType, number, string]>([
    ['hosting', 0.55, 'likely'],
    ['hosting', 0.54, 'suspected'],
    ['vpn', 0.6, 'likely'],
    ['vpn', 0.59, 'suspected'],
    ['tor', 0.6, 'likely'],
    ['isp', 0.84, 'suspected'],
    ['cdn', 0.84, 'suspected'],
  ])('of %p without a conversion and P %p is %p', (networkType, p, expected) => {
    expect(severity(10, p, {}, { networkType })).toBe(expected);
    expect(severity(9, p, {}, { networkType })).toBe('suspected');
    expect(severity(10, p, {}, { networkType, converted: 1 })).toBe('suspected');
  });
});

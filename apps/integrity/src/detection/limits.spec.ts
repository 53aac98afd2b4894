import { describe, expect, it } from '@jest/globals';
import { configPayload, constantsHash, DETECTOR_VERSION, LIMITS, WEIGHTS } from './limits.js';
import { DETECTORS } from './traffic.js';

describe('the limits', () => {
  it('are frozen to the last number', () => {
    const isFrozen = (value: object): boolean =>
      Object.isFrozen(value) &&
      Object.values(value).every((member) => typeof member !== 'object' || isFrozen(member as object));
    expect(isFrozen(LIMITS) && isFrozen(WEIGHTS)).toBe(true);
  });

  it('go into the ledger as text, every one of them', () => {
    const { detector_version, limits, weights } = configPayload();
    expect(detector_version).toBe(DETECTOR_VERSION);
    expect(limits).toMatchObject({ windowDays: '7', 'clickFlood.other': '8', 'severity.confirmed.p': '0.85' });
    expect(Object.values(limits).every((value) => /^\d+(\.\d+)?$/.test(value))).toBe(true);
    expect(Object.keys(weights)).toEqual([...DETECTORS]);
    expect(weights.declared_bot).toBe('0.97');
  });

  it('have a hash', () => {
    expect(constantsHash()).toMatch(/^[0-9a-f]{64}$/);
    expect(constantsHash()).toBe(constantsHash());
  });
});

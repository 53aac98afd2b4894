import { describe, expect, it } from '@jest/globals';
import type { Severity } from '../detection/traffic.js';
import { currentSeverity } from './current-verdicts.js';

const PATIENCE = { VERDICT_FALL_DAYS: 14, VERDICT_END_DAYS: 30 };

describe('currentSeverity', () => {
  it.each<[Severity, Severity | undefined, number, Severity]>([
    ['suspected', undefined, 0, 'suspected'],
    ['clean', undefined, 0, 'clean'],
    ['confirmed', 'suspected', 0, 'confirmed'],
    ['suspected', 'confirmed', 0, 'confirmed'],
    ['clean', 'likely', 13, 'likely'],
    ['clean', 'confirmed', 14, 'suspected'],
    ['clean', 'suspected', 14, 'suspected'],
    ['likely', 'confirmed', 14, 'likely'],
    ['clean', 'suspected', 29, 'suspected'],
    ['clean', 'confirmed', 30, 'clean'],
    ['suspected', 'confirmed', 400, 'suspected'],
  ])('of %s now and %s %s quiet days ago is so', (recent, old, quietDays, expected) => {
    expect(currentSeverity(recent, old && { severity: old, quietDays }, PATIENCE)).toBe(expected);
  });
});

import { describe, expect, it } from '@jest/globals';
import { readRunRequest } from './run-request.js';

const SUNDAY_NOON = new Date('2026-01-11T12:00:00Z');

function fromAlone(from: string, timezone: string): string | null {
  return readRunRequest(JSON.stringify({ target: 'revenue', from }), timezone, SUNDAY_NOON).from;
}

describe('a range without its end', () => {
  it('ends with the last complete week where the asset is', () => {
    // Until 2026-01-04, as this week has not ended; 260 weeks before it begin on 2021-01-11.
    expect(fromAlone('2021-01-11', 'UTC')).toBe('2021-01-11');
    expect(() => fromAlone('2021-01-10', 'UTC')).toThrow(/2021-01-04\.\.2026-01-04 has more than 260 weeks/);
    // On Kiritimati it is Monday already.
    expect(fromAlone('2021-01-18', 'Pacific/Kiritimati')).toBe('2021-01-18');
    expect(() => fromAlone('2021-01-17', 'Pacific/Kiritimati')).toThrow(/2021-01-11\.\.2026-01-11 has/);
  });

  it('may begin in the future: then there is nothing to fit', () => {
    expect(fromAlone('2027-01-01', 'UTC')).toBe('2026-12-28');
  });
});

it('a range without its beginning may end anywhere', () => {
  const request = readRunRequest('{"target":"goal:a b","to":"1990-01-01"}', 'UTC', SUNDAY_NOON);
  expect(request).toEqual({ target: 'goal:a b', from: null, to: '1990-01-07', seed: 1 });
});

import { describe, expect, it } from '@jest/globals';
import { copyCell, nullable, numbers, texts, timestamp } from './sql.js';

describe('timestamp', () => {
  it.each([
    [0, '1970-01-01T00:00:00.000000Z'],
    [1_772_323_199_999_999, '2026-02-28T23:59:59.999999Z'],
    [-1, '1969-12-31T23:59:59.999999Z'],
    [-2_208_988_800_000_000, '1900-01-01T00:00:00.000000Z'],
  ])('writes %d microseconds', (us, text) => {
    expect(timestamp(us)).toBe(text);
  });
});

describe('texts for PostgreSQL', () => {
  it('escapes cells of COPY', () => {
    expect(copyCell('a\tb\nc\rd\\N')).toBe('a\\tb\\nc\\rd\\\\N');
    expect(copyCell(null)).toBe('\\N');
    expect(copyCell('')).toBe('');
  });

  it('writes arrays', () => {
    expect(numbers([1, -2])).toBe('{1,-2}');
    expect(nullable([1, null, undefined])).toBe('{1,NULL,NULL}');
    expect(texts(['a"b', '\\', '', null, 'NULL', 'a,{}'])).toBe('{"a\\"b","\\\\","",NULL,"NULL","a,{}"}');
  });
});

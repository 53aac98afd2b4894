import { describe, expect, it } from '@jest/globals';
import type { CheckedRecord, CollectIssue, EventRecord } from './collected.js';
import { readEvent } from './event-record.js';

const NOW = new Date('2026-03-01T12:00:00.000Z');
const FOUR = {
  event_id: 'e-1',
  event_time: '2026-03-01T11:59:59.123456Z',
  event_type: 'page_view',
  distinct_id: 'visitor-1',
};
const TEXTS = [
  'event_name', 'global_user_id', 'page_host', 'page_path', 'ft_channel', 'ft_source', 'lt_channel', 'lt_channel_type',
  'lt_source', 'lt_medium', 'lt_campaign', 'geo_country', 'geo_region', 'geo_city', 'ua_browser', 'ua_os',
] as const; // prettier-ignore
const LIMITS: Record<string, number> = { event_id: 64, event_type: 64, page_path: 2048 };

const read = (fields: object, now = NOW): CheckedRecord<EventRecord> => readEvent({ ...FOUR, ...fields }, now);

function accepted(fields: object): EventRecord {
  const checked = read(fields);
  if ('issue' in checked) throw new Error(JSON.stringify(checked.issue));
  return checked.record;
}

function issue(fields: object, now = NOW): CollectIssue {
  const checked = read(fields, now);
  if ('record' in checked) throw new Error('it was accepted');
  return checked.issue;
}

const said = (fields: object): string => `${issue(fields).field} ${issue(fields).code}`;

describe('readEvent', () => {
  it('gives the four required fields and null for all others', () => {
    const nothing = Object.fromEntries([...TEXTS, 'ip', 'value', 'currency'].map((field) => [field, null]));
    expect(readEvent(FOUR, NOW)).toEqual({
      record: { ...FOUR, time_us: Date.parse('2026-03-01T11:59:59Z') * 1000 + 123_456, ...nothing },
      ipDropped: false,
    });
  });

  it('accepts again what it gave, without what is absent', () => {
    const all = { ...Object.fromEntries(TEXTS.map((field) => [field, field])), ip: '2001:db8::1', value: -3.5, currency: 'eur' }; // prettier-ignore
    const first = accepted(all);
    const wire = Object.fromEntries(Object.entries(first).filter(([, value]) => value !== null));
    expect(readEvent(wire, NOW)).toEqual({ record: first, ipDropped: false });
    expect(first).toMatchObject({ ...all, value: '-3.5', currency: 'EUR' });
  });

  it.each([['text'], [7], [null], [undefined], [true], [[]], [[FOUR]]])('is no record: %j', (value) => {
    expect(readEvent(value, NOW)).toMatchObject({ issue: { field: '', code: 'invalid_json' } });
  });

  it.each(['event_id', 'event_time', 'event_type', 'distinct_id'])(
    'misses %s when it is absent, null or empty',
    (field) => {
      for (const value of [undefined, null, '']) {
        expect(issue({ [field]: value })).toEqual({ field, code: 'missing_field', message: `${field} is missing.` });
      }
    },
  );

  it.each(['event_id', 'event_type', 'distinct_id', ...TEXTS])('takes %s as text within its limit only', (field) => {
    const limit = LIMITS[field] ?? 256;
    for (const value of ['x'.repeat(limit), '😀'.repeat(limit), ' ', '\n', "'=1"])
      expect(accepted({ [field]: value })).toMatchObject({ [field]: value });
    for (const value of ['x'.repeat(limit + 1), '😀'.repeat(limit + 1), 'x'.repeat(100_000)])
      expect(issue({ [field]: value })).toEqual({
        field,
        code: 'field_too_long',
        message: `${field} has more than ${limit} characters.`,
      });
    for (const value of [
      0,
      1.5,
      true,
      false,
      {},
      [],
      ['x'],
      'a\0',
      '\ud83d',
      'a\ude00b',
      '\ude00\ud83d',
      '\ud83d\ud83d\ude00',
    ])
      expect(said({ [field]: value })).toBe(`${field} invalid_value`);
  });

  it.each(TEXTS)('takes an absent %s for none', (field) => {
    for (const value of [undefined, null, '']) expect(accepted({ [field]: value })[field]).toBeNull();
  });

  it('says only the first thing that is wrong, in the order of the fields', () => {
    expect(said({ event_id: 1, event_time: 'x', value: 'x' })).toBe('event_id invalid_value');
    expect(said({ event_time: 'x', event_type: '' })).toBe('event_time invalid_value');
    expect(said({ event_type: null, distinct_id: 7 })).toBe('event_type missing_field');
    expect(said({ currency: 'x', value: 'x', ua_os: 'x'.repeat(300) })).toBe('ua_os field_too_long');
    expect(said({ currency: 'x', value: 'x' })).toBe('value invalid_value');
  });

  it('takes times up to 24 hours ahead and ten calendar years behind', () => {
    const at = (text: string): object => ({ event_time: text });
    for (const good of ['2026-03-02T12:00:00Z', '2016-03-01T12:00:00Z', '2016-03-01T13:00:00.000001+01:00'])
      expect(accepted(at(good)).event_time).toBe(good);
    expect(issue(at('2026-03-02T12:00:00.000001Z')).message).toBe('event_time is more than 24 hours ahead.');
    expect(issue(at('2016-03-01T11:59:59.999999Z')).message).toBe('event_time is more than 10 years old.');
    const leapDay = new Date('2024-02-29T00:00:00Z');
    expect(read(at('2014-03-01T00:00:00Z'), leapDay)).toHaveProperty('record');
    expect(issue(at('2014-02-28T23:59:59Z'), leapDay).code).toBe('invalid_value');
  });

  it.each([1772366399, '2026-02-29T00:00:00Z', '2026-03-01', 'yesterday', {}, '2026-03-01T00:00:00Z\0'])(
    'refuses the time %j',
    (event_time) => {
      expect(said({ event_time })).toBe('event_time invalid_value');
    },
  );

  it.each(['203.0.113.7', '::1', '2001:DB8::1', '::ffff:1.2.3.4'])('keeps the address %s', (ip) => {
    expect(read({ ip })).toMatchObject({ record: { ip }, ipDropped: false });
  });

  it.each([
    'unknown',
    '1.2.3',
    '01.2.3.4',
    '1.2.3.4 ',
    '1.2.3.4:80',
    '1.2.3.0/24',
    '[::1]',
    'fe80::1%eth0',
    '\0',
    'x'.repeat(300),
  ])('drops %j, which is no address, and says so', (ip) => {
    expect(read({ ip })).toMatchObject({ record: { ip: null }, ipDropped: true });
  });

  it('counts no absent address as dropped, and refuses what is no text', () => {
    for (const ip of [null, '', undefined])
      expect(read({ ip })).toMatchObject({ record: { ip: null }, ipDropped: false });
    for (const ip of [16909060, ['1.2.3.4'], {}]) expect(said({ ip })).toBe('ip invalid_value');
  });

  it.each([
    [0, '0'],
    [-0, '0'],
    [49.9, '49.9'],
    [-12.345678, '-12.345678'],
    [1e3, '1000'],
    [0.000001, '0.000001'],
    [123456789012345, '123456789012345'],
    ['49.90', '49.90'],
    ['-0.10', '-0.10'],
    ['+5', '5'],
    ['.5', '0.5'],
    ['-.5', '-0.5'],
    ['007', '007'],
    ['123456789012345.678901', '123456789012345.678901'],
  ])('takes the money %j as %s', (value, digits) => {
    expect(accepted({ value }).value).toBe(digits);
  });

  it.each([
    NaN,
    Infinity,
    1e15,
    1e21,
    1e-7,
    0.1 + 0.2,
    12345678901.12345,
    123456789012345.67,
    true,
    {},
    [1],
    '1e3',
    '1,5',
    '1 000',
    '1.',
    '.',
    '-',
    ' 1',
    '0x10',
    'NaN',
    'Infinity',
    '1234567890123456',
    '0.1234567',
    '٣',
  ])('refuses the money %p', (value) => {
    expect(said({ value })).toBe('value invalid_value');
  });

  it('takes a currency of three letters', () => {
    for (const currency of ['EUR', 'eur', 'eUr']) expect(accepted({ currency }).currency).toBe('EUR');
    for (const currency of ['', null]) expect(accepted({ currency }).currency).toBeNull();
    for (const currency of ['EU', 'EURO', '€', 'E R', 'ſıK', 978, {}])
      expect(said({ currency })).toBe('currency invalid_value');
  });

  it('ignores unknown fields, and is harmed by none', () => {
    const value: unknown = JSON.parse(
      `{"__proto__":{"event_type":"click"},"constructor":1,"toString":"x","more":{"deep":[]},"event_id":"e-1","event_time":"${FOUR.event_time}","distinct_id":"v"}`,
    );
    expect(readEvent(value, NOW)).toMatchObject({ issue: { field: 'event_type', code: 'missing_field' } });
    expect(accepted({ time_us: 1, asset_id: 'x', more: '\0' })).toEqual(accepted({}));
  });
});

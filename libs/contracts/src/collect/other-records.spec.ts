import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { MAX_LIST_CHARACTERS, MAX_LIST_ENTRIES, VISITOR_BUCKETS } from './collected.js';
import { readConsent } from './consent-record.js';
import { readIdentity } from './identity-record.js';
import { collectedKey, visitorBucket } from './visitor-bucket.js';

const NOW = new Date('2026-03-01T12:00:00.000Z');
const CONSENT = { consent_id: 'c-1', consent_at: '1999-12-31T23:59:59+01:00', action: 'accept_all' };

const consent = (fields: object): unknown => readConsent({ ...CONSENT, ...fields }, NOW);
const identity = (fields: object): unknown => readIdentity({ global_user_id: 'u-1', ...fields }, NOW);
const refused = (field: string, code: string): unknown => expect.objectContaining({ issue: expect.objectContaining({ field, code }) }); // prettier-ignore

describe('readConsent', () => {
  it('needs three fields, and has none of the limits of an event time', () => {
    const nothing = { accepted: [], rejected: [], mode: null, revision: null, config_version: null, locale: null, distinct_id: null, ip: null }; // prettier-ignore
    expect(consent({})).toEqual({ record: { ...CONSENT, ...nothing }, ipDropped: false });
    expect(consent({ consent_at: '2090-01-01T00:00:00Z' })).toHaveProperty('record');
    expect(consent({ consent_at: '2090-01-32T00:00:00Z' })).toEqual(refused('consent_at', 'invalid_value'));
    for (const field of ['consent_id', 'consent_at', 'action'])
      expect(consent({ [field]: '' })).toEqual(refused(field, 'missing_field'));
    expect(readConsent([], NOW)).toEqual(refused('', 'invalid_json'));
  });

  it.each(['accepted', 'rejected'])('takes %s as texts', (field) => {
    for (const none of [undefined, null, '', []])
      expect(consent({ [field]: none })).toMatchObject({ record: { [field]: [] } });
    const texts = ['analytics', 'a, b', '"'];
    expect(consent({ [field]: texts })).toMatchObject({ record: { [field]: texts } });
    for (const wrong of ['analytics', {}, 1, [1], [null], [''], [['a']], ['a\0'], ['\ud800']])
      expect(consent({ [field]: wrong })).toEqual(refused(field, 'invalid_value'));
    expect(consent({ [field]: ['x'.repeat(257)] })).toEqual(refused(field, 'field_too_long'));
  });

  it('bounds its lists, so that a record always fits into a message', () => {
    const most = new Array<string>(MAX_LIST_ENTRIES).fill('x'.repeat(32));
    expect(consent({ accepted: most })).toHaveProperty('record');
    expect(consent({ accepted: [...most, 'x'] })).toEqual(refused('accepted', 'field_too_long'));
    const long = new Array<string>(MAX_LIST_CHARACTERS / 256).fill('\u0001'.repeat(256));
    const largest = { ...CONSENT, accepted: long, rejected: long, mode: '\u0001'.repeat(256) };
    expect(consent(largest)).toHaveProperty('record');
    expect(JSON.stringify(largest).length).toBeLessThan(480_000);
    expect(consent({ rejected: [...long, 'x'] })).toEqual(refused('rejected', 'field_too_long'));
  });

  it('takes texts and an address, and drops what is none', () => {
    const texts = { mode: 'opt-in', revision: '3', config_version: '2026', locale: 'de', distinct_id: 'v' };
    expect(consent({ ...texts, ip: '::1' })).toMatchObject({ record: { ...texts, ip: '::1' }, ipDropped: false });
    expect(consent({ ip: 'x' })).toMatchObject({ record: { ip: null }, ipDropped: true });
    expect(consent({ revision: 3 })).toEqual(refused('revision', 'invalid_value'));
  });
});

describe('readIdentity', () => {
  it('needs the person alone', () => {
    const nothing = { distinct_ids: [], email: null, phone: null, crm_client_id: null, first_seen_at: null, identified_at: null }; // prettier-ignore
    expect(identity({})).toEqual({ record: { global_user_id: 'u-1', ...nothing }, ipDropped: false });
    expect(identity({ global_user_id: null })).toEqual(refused('global_user_id', 'missing_field'));
    expect(identity({ global_user_id: 7 })).toEqual(refused('global_user_id', 'invalid_value'));
  });

  it('takes times of 1900 to 2100', () => {
    for (const field of ['first_seen_at', 'identified_at']) {
      for (const time of ['1900-01-01T00:00:00Z', '2100-12-31T23:59:59Z'])
        expect(identity({ [field]: time })).toMatchObject({ record: { [field]: time } });
      for (const none of [null, '']) expect(identity({ [field]: none })).toMatchObject({ record: { [field]: null } });
      for (const wrong of ['2101-01-01T00:00:00Z', '2026-01-01', 1])
        expect(identity({ [field]: wrong })).toEqual(refused(field, 'invalid_value'));
    }
  });

  it('takes visitors as texts that are not empty', () => {
    expect(identity({ distinct_ids: ['v-1', 'v-2'] })).toMatchObject({ record: { distinct_ids: ['v-1', 'v-2'] } });
    expect(identity({ distinct_ids: ['v-1', ''] })).toEqual(refused('distinct_ids', 'invalid_value'));
  });
});

describe('visitorBucket', () => {
  it('never changes', () => {
    expect(['', 'visitor-1', 'visitor-2', 'Zoë', '😀', 'x'.repeat(256)].map(visitorBucket)).toEqual([
      11, 11, 21, 11, 10, 5,
    ]);
    expect(collectedKey('a', visitorBucket('visitor-1'))).toBe(`a:${visitorBucket('visitor-1')}`);
  });

  it('is the same for equal bytes, whatever they are', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const bucket = visitorBucket(text);
        expect(bucket).toBe(visitorBucket(Buffer.from(text).toString()));
        expect(Number.isInteger(bucket) && bucket >= 0 && bucket < VISITOR_BUCKETS).toBe(true);
      }),
    );
  });

  it.each(['visitor-', '0193f1c2-7f3e-7a61-b0c4-', ''])('spreads ids that begin with %j evenly', (start) => {
    const counts = new Array<number>(VISITOR_BUCKETS).fill(0);
    for (let id = 0; id < 64_000; id++) counts[visitorBucket(`${start}${id}`)]! += 1;
    expect(Math.min(...counts)).toBeGreaterThan(1_700);
    expect(Math.max(...counts)).toBeLessThan(2_300);
  });
});

import { describe, expect, it } from '@jest/globals';
import { type AppError } from '#contracts/errors.js';
import { readEstimateRequest } from './estimate-request.js';

function refusalOf(body: string): { code: string; names: string[] | undefined } {
  try {
    readEstimateRequest(body);
  } catch (error) {
    const { code, extensions } = error as AppError;
    return { code, names: (extensions['errors'] as { name: string }[] | undefined)?.map(({ name }) => name) };
  }
  throw new Error('it was taken');
}

describe('readEstimateRequest', () => {
  it.each([
    ['/api/v1/export/geo.csv', 'geo', {}],
    ['/api/v1/export/users.csv?bom=1&formulas=raw', 'users', { bom: '1', formulas: 'raw' }],
    ['/api/v1/export/channels', 'channels-advanced', {}],
    ['/api/v1/export/channels?format=json', 'channels-advanced', { format: 'json' }],
    ['/api/v1/events/raw', 'raw-events', {}],
    ['/api/v1/events/raw?format=csv', 'raw-events', { format: 'csv' }],
    ['/api/v1/consent/export', 'consent-records', {}],
  ])('knows %s', (path, file, query) => {
    const range = { from: '2026-01-01', to: '2026-01-31' };
    expect(readEstimateRequest(JSON.stringify({ path, ...range }))).toEqual({
      file,
      path: path.split('?')[0],
      query: { ...query, ...range },
    });
  });

  it.each([
    ['evidence/refund.csv?bom=1', { file: 'refund-claim', query: { bom: '1' } }],
    ['evidence/bundle.json', { file: 'evidence-bundle', query: {}, onlyForm: 'json' }],
    ['blocklist/google.csv', { file: 'google-ip-exclusions', query: {} }],
    ['blocklist.csv', { file: 'blocklist', query: { cap: 1000 } }],
    ['blocklist.csv?cap=-3', { file: 'blocklist', query: { cap: 1 } }],
    ['blocklist.csv?cap=99999&bom=0', { file: 'blocklist', query: { cap: 5000, bom: '0' } }],
    ['blocklist/meta.csv', { file: 'meta-network-advisory', query: {} }],
    ['entities/asn-7/export.csv', { file: 'integrity-entity', query: {}, entityId: 'asn-7' }],
    ['entities/asn-7', { file: 'integrity-entity', query: {}, entityId: 'asn-7', onlyForm: 'json' }],
  ])('knows the file of integrity %s', (path, expected) => {
    const asked = `/api/v1/integrity/${path}`;
    expect(readEstimateRequest(JSON.stringify({ path: asked }))).toEqual({ path: asked.split('?')[0], ...expected });
  });

  it('needs no range', () => {
    expect(readEstimateRequest('{"path":"/api/v1/export/geo.csv"}').query).toEqual({});
  });

  it.each(['', '{', 'x', '[]', 'null', '"path"', '1', '{"path":"/api/v1/export/geo.csv"}x', "{'path': 1}"])(
    'calls %j no JSON object',
    (body) => {
      expect(refusalOf(body).code).toBe('invalid_json');
    },
  );

  it.each([
    ['{}', ['path']],
    ['{"path":1,"from":null,"to":[]}', ['path', 'from', 'to']],
    ['{"path":"/api/v1/export/geo.csv","asset_id":"x"}', ['asset_id']],
    ['{"path":"/api/v1/export/geo.csv","__proto__":{}}', ['__proto__']],
    ['{"path":"/api/v1/export/geo.csv","toString":"x"}', ['toString']],
    ['{"path":"/a","path":"/api/v1/export/geo.csv"}', ['path']],
    ['{"path":"/api/v1/export/geo.csv","from":"2026-01-01", "fr\\u006fm" : "2026-01-01"}', ['from']],
    ['{"path":"/api/v1/nothing"}', ['path']],
    ['{"path":"/api/v1/integrity/blocklist.csv?cap=1.5"}', ['path']],
    ['{"path":"/api/v1/integrity/blocklist.csv?cap=1&cap=2"}', ['path']],
    ['{"path":"/api/v1/integrity/blocklist/google.csv?cap=1"}', ['path']],
    ['{"path":"/api/v1/integrity/evidence/bundle.json?bom=1"}', ['path']],
    ['{"path":"/api/v1/integrity/entities/nonsense"}', ['path']],
    ['{"path":"/api/v1/export/geo"}', ['path']],
    ['{"path":"/api/v1/export/a/b.csv"}', ['path']],
    ['{"path":"constructor"}', ['path']],
    ['{"path":"https://service/api/v1/export/geo.csv"}', ['path']],
    ['{"path":"/api/v1/export/geo.csv?format=csv"}', ['path']],
    ['{"path":"/api/v1/events/raw?format=json"}', ['path']],
    ['{"path":"/api/v1/export/geo.csv?bom=1&bom=1"}', ['path']],
    ['{"path":"/api/v1/export/geo.csv?bom=1?x"}', ['path']],
    ['{"path":"/api/v1/export/geo.csv?from=2026-01-01"}', ['path']],
    ['{"path":"/api/v1/export/channels?format=json&bom=1"}', ['bom']],
    ['{"path":"/api/v1/export/geo.csv","from":"2026-02-30"}', ['from']],
    ['{"path":"/api/v1/export/geo.csv","from":"2026-02-02","to":"2026-02-01"}', ['from']],
  ])('refuses %s and names the member', (body, names) => {
    expect(refusalOf(body)).toEqual({ code: 'invalid_parameter', names });
  });

  it('is not misled by names inside of values', () => {
    const body = '{"path":"/api/v1/export/geo.csv","from":"2026-01-01","x":{"from":"1","path":["to",{"to":1}]}}';
    expect(refusalOf(body)).toEqual({ code: 'invalid_parameter', names: ['x'] });
  });

  it('tells an unknown report and a range that is too large by their codes', () => {
    expect(refusalOf('{"path":"/api/v1/export/nothing.csv"}').code).toBe('unknown_report');
    expect(refusalOf('{"path":"/api/v1/export/.csv"}').code).toBe('unknown_report');
    expect(refusalOf('{"path":"/api/v1/export/geo.csv","from":"2024-01-01","to":"2026-01-01"}').code).toBe(
      'range_too_large',
    );
  });
});

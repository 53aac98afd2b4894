import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { v4 as uuidv4 } from 'uuid';
import { COLLECT_MAX_BYTES } from '#contracts/collect/collect-report.js';
import { readConsent } from '#contracts/collect/consent-record.js';
import { readEvent } from '#contracts/collect/event-record.js';
import { readIdentity } from '#contracts/collect/identity-record.js';
import {
  ALL_ACCEPTED,
  COLLECT_SCHEMAS,
  CONSENT_LINES,
  EVENT_LINES,
  EVENT_LINES_WITH_MISTAKES,
  IDENTITY_LINES,
  ONE_ACCEPTED,
  ONE_REJECTED,
} from '#apps/gateway/src/published/collect.schemas.js';
import { anEvent, COLLECT_PATH, ndjson } from '../fixtures/collect-client.js';
import { askConforming, type Answer, type Ask } from '../support/ask-conforming.js';
import { expectValid } from '../support/conforms.js';
import { startService, type TestAsset, type TestService } from '../support/service.js';

const KINDS = ['events', 'consent', 'identities'];

let service: TestService;
let asset: TestAsset;

beforeAll(async () => {
  service = await startService({ SLOW_BODY_MS: '1000' });
  asset = await service.newAsset();
});

afterAll(async () => {
  await service.stop();
});

function ask(kind: string, body: Ask['body'], { headers, ...options }: Partial<Ask> = {}): Promise<Answer> {
  return askConforming(service.baseUrl, `${COLLECT_PATH}/${kind}`, {
    token: asset.token,
    method: 'POST',
    headers: { 'Content-Type': 'application/x-ndjson', ...headers },
    ...(body === undefined ? {} : { body }),
    ...options,
  });
}

describe('what the document shows is what the service does', () => {
  it.each([
    ['events', EVENT_LINES, ALL_ACCEPTED],
    ['events', EVENT_LINES_WITH_MISTAKES, ONE_REJECTED],
    ['consent', CONSENT_LINES, ONE_ACCEPTED],
    ['identities', IDENTITY_LINES, ONE_ACCEPTED],
  ])('the example of %s gives the report of its example', async (kind, lines, report) => {
    expect(await ask(kind, lines)).toMatchObject({ status: 202, body: report });
  });

  it.each([
    ['CollectedEvent', readEvent, EVENT_LINES],
    ['CollectedConsent', readConsent, CONSENT_LINES],
    ['CollectedIdentity', readIdentity, IDENTITY_LINES],
  ] as const)('%s has exactly the fields that are read, and its examples fit it', (name, read, lines) => {
    const records = lines.trim().split('\n').map((line) => JSON.parse(line) as unknown); // prettier-ignore
    for (const record of records) {
      expectValid(`/components/schemas/${name}`, record);
      const checked = read(record, new Date('2026-01-05T12:00:00Z'));
      if ('issue' in checked) throw new Error(checked.issue.message);
      const fields = Object.keys(checked.record).filter((field) => field !== 'time_us');
      expect(Object.keys(COLLECT_SCHEMAS[name]?.properties ?? {})).toEqual(fields);
    }
  });
});

describe.each(KINDS)('answers of %s', (kind) => {
  it.each([
    [400, 'empty_file', '', {}],
    [400, 'invalid_encoding', 'no gzip', { 'Content-Encoding': 'gzip' }],
    [413, 'body_too_large', Buffer.alloc(COLLECT_MAX_BYTES + 1, '\n'), {}],
    [415, 'unsupported_media_type', '{}', { 'Content-Type': 'application/json' }],
    [415, 'unsupported_media_type', '{}', { 'Content-Encoding': 'br' }],
  ])('%i %s', async (status, code, body, headers) => {
    expect(await ask(kind, body, { headers: headers })).toMatchObject({ status, code });
  });

  it('every code of a line', async () => {
    const lines = ['x', '{}', JSON.stringify({ global_user_id: 1, event_id: 1, consent_id: 1 }), JSON.stringify({ global_user_id: 'x'.repeat(257), event_id: 'x'.repeat(257), consent_id: 'x'.repeat(257) })]; // prettier-ignore
    const { body } = await ask(kind, lines.join('\n'));
    expect((body as { errors: { code: string }[] }).errors.map(({ code }) => code)).toEqual([
      'invalid_json',
      'missing_field',
      'invalid_value',
      'field_too_long',
    ]);
  });

  it('401, 403, 404, 400', async () => {
    const lines = ndjson([anEvent()]);
    expect(await ask(kind, lines, { token: null })).toMatchObject({ status: 401, code: 'unauthenticated' });
    const reader = await service.newToken(asset.assetId, ['events:read']);
    expect(await ask(kind, lines, { token: reader })).toMatchObject({ status: 403, code: 'forbidden' });
    const other = await service.newAsset();
    expect(await ask(`${kind}?asset_id=${other.assetId}`, lines)).toMatchObject({ status: 404, code: 'not_found' });
    expect(await ask(`${kind}?kind=x`, lines)).toMatchObject({ status: 400, code: 'invalid_parameter' });
    const principal = `of two assets ${uuidv4()}`;
    for (const { assetId } of [asset, other]) await service.admin.addMember(assetId, principal, ['events:write']);
    const { token } = await service.admin.createToken(principal);
    expect(await ask(kind, lines, { token })).toMatchObject({ status: 400, code: 'asset_required' });
    expect(await ask(kind, undefined, { method: 'GET' })).toMatchObject({ status: 405, code: 'method_not_allowed' });
  });

  it('408 for a body that does not come', async () => {
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(Buffer.from('{'));
      },
    });
    expect(await ask(kind, body)).toMatchObject({ status: 408, code: 'request_timeout' });
  });
});

it('the status and what it refuses', async () => {
  const status = (token: string | null, query = ''): Promise<Answer> =>
    askConforming(service.baseUrl, `${COLLECT_PATH}/status${query}`, { token });
  expect(await status(asset.token)).toMatchObject({ status: 200 });
  expect(await status((await service.newAsset()).token)).toMatchObject({
    body: { accepted: 0, processed: 0, pending: 0, newest_event_time: null },
  });
  expect(await status(null)).toMatchObject({ status: 401 });
  expect(await status(await service.newToken(asset.assetId, ['users:read']))).toMatchObject({ status: 403 });
  expect(await status(asset.token, '?from=2026-01-01')).toMatchObject({ status: 400, code: 'invalid_parameter' });
});

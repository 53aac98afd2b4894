import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startService, type TestAsset, type TestService } from '../support/service.js';

let service: TestService;
let asset: TestAsset;

beforeAll(async () => {
  service = await startService();
  asset = await service.newAsset();
});

afterAll(async () => {
  await service.stop();
});

/** Sends bytes as they are and reads until the server closes. */
async function raw(bytes: string): Promise<{ status: number; body: Record<string, unknown> }> {
  const { hostname, port } = new URL(service.baseUrl);
  const socket = connect(Number(port), hostname);
  socket.write(bytes);
  const answer = await text(socket);
  const [, status] = /^HTTP\/1\.1 (\d{3})/.exec(answer) ?? [];
  return { status: Number(status), body: JSON.parse(answer.slice(answer.indexOf('{'), answer.lastIndexOf('}') + 1)) };
}

describe('a Content-Type that is none', () => {
  it.each(['text', ';', 'text/csv, application/json'])(
    '%p is 415 and says what is accepted, after the token',
    async (type) => {
      const post = (headers: Record<string, string>) =>
        fetch(`${service.baseUrl}/api/v1/cost-import`, {
          method: 'POST',
          body: 'x',
          headers: { ...headers, 'Content-Type': type },
        });
      expect((await post({})).status).toBe(401);
      const response = await post({ Authorization: `Bearer ${asset.token}` });
      expect(response.status).toBe(415);
      expect(await response.json()).toMatchObject({
        code: 'unsupported_media_type',
        accepted: ['text/csv', 'application/json'],
      });
    },
  );
});

describe('what the framework refuses by itself', () => {
  it('a malformed percent-encoding is a problem like any other', async () => {
    const response = await fetch(`${service.baseUrl}/%E0%A4%A`);
    expect(response.status).toBe(400);
    expect(response.headers.get('content-type')).toMatch('application/problem+json');
    expect(await response.json()).toMatchObject({ code: 'invalid_parameter', instance: '/%E0%A4%A' });
  });

  it('a path parameter that is too long is a problem like any other', async () => {
    const response = await fetch(`${service.baseUrl}/api/v1/cost-import/jobs/${'x'.repeat(300)}`, {
      headers: { Authorization: `Bearer ${asset.token}` },
    });
    expect(response.status).toBe(404);
    expect(response.headers.get('content-type')).toMatch('application/problem+json');
  });

  it('broken HTTP is 400 in the same shape', async () => {
    const { status, body } = await raw('nonsense\r\n\r\n');
    expect(status).toBe(400);
    expect(body).toMatchObject({ status: 400, code: 'invalid_parameter', request_id: expect.any(String) });
  });

  it('headers that are too large are 431 in the same shape', async () => {
    const { status, body } = await raw(`GET / HTTP/1.1\r\nHost: x\r\nX-Large: ${'x'.repeat(100_000)}\r\n\r\n`);
    expect(status).toBe(431);
    expect(body).toMatchObject({ status: 431, code: 'invalid_parameter' });
  });
});

it('a path with a slash too many does not exist', async () => {
  const response = await fetch(`${service.baseUrl}/api/v1/cost-import/`, { method: 'POST' });
  expect(response.status).toBe(404);
  expect(await response.json()).toMatchObject({ code: 'not_found' });
});

it.each(['constructor', '__proto__', 'toString'])('a parameter named %s is refused on open paths too', async (name) => {
  const response = await fetch(`${service.baseUrl}/health/live?${name}=1`);
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ code: 'invalid_parameter', errors: [{ name }] });
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RAW_EVENTS_LAYOUT } from '#contracts/layouts/raw-events.layout.js';
import type { TestAsset } from '../support/service.js';
import { csvRecords, eventStream, RANGE, rawRows, shuffledBodies } from './events-data.js';
import { Services, type ServiceProcess } from './processes.js';
import {
  allProcessed,
  ask,
  collect,
  expectReported,
  exported,
  givenFile,
  RAW_EVENTS,
  recordOf,
} from './reporting-client.js';
import { stack } from './support.js';

const STREAM = eventStream({ events: 5_000 });
const ZONE = 'Europe/Berlin';
const UGLY = `"quo'te"\n=cmd|' /C calc'!A0 🦊; filename=x\r\nSet-Cookie: a=b`;

describe('events that are posted', () => {
  let services: Services;
  let gateway: ServiceProcess;
  let asset: TestAsset;

  beforeAll(async () => {
    services = await Services.on(stack.env);
    gateway = await services.start('gateway');
    const reporting = await services.start('reporting');
    await Promise.all([gateway.untilReady(), reporting.untilReady()]);
    asset = await services.newAsset({ name: UGLY, timezone: ZONE });
    await collect(gateway, asset, shuffledBodies(STREAM, 700));
    await allProcessed(gateway, asset);
  }, 180_000);

  afterAll(async () => {
    await services.stop();
  });

  it('end up in every number of the reports, once each, however late, doubled and mixed up they come', async () => {
    await expectReported(services, gateway, asset, STREAM, ZONE);
  });

  it('come back from the raw file as they were sent', async () => {
    const { bytes } = await exported(gateway, asset, RAW_EVENTS);
    const [header, ...rows] = await csvRecords(bytes);
    expect(header).toEqual(RAW_EVENTS_LAYOUT.map(({ key }) => key));
    expect(rows).toEqual(rawRows(STREAM));
  });

  it('give the same bytes to two who ask for the same file at once', async () => {
    const [one, other] = await Promise.all([0, 1].map(() => exported(gateway, asset, RAW_EVENTS)));
    expect(one?.exportId).not.toBe(other?.exportId);
    expect(one?.bytes.equals(other?.bytes ?? Buffer.of())).toBe(true);
    expect(one?.headers.get('etag')).toBe(other?.headers.get('etag'));
  });

  it('of an asset with an ugly name give a file with legal headers and one line for the name', async () => {
    const { bytes, headers } = await exported(gateway, asset, `/api/v1/export/channels?${RANGE}`);
    const lines = bytes.toString().split('\n');
    expect(lines[0]).toBe('\ufeff# Tallyport channels export');
    expect(lines[1]).toBe(`# Property: ${UGLY.replace(/\p{Cc}/gu, ' ')}`);
    expect(lines[2]).toBe('# Date range: 2026-06-01..2026-10-31');
    expect(headers.get('content-disposition')).toBe(
      'attachment; filename="tallyport-channels-advanced-2026-06-01_2026-10-31.csv"',
    );
    expect(headers.get('set-cookie')).toBeNull();
    for (const [name, value] of headers) expect([name, /^[\x20-\x7e]*$/.test(value)]).toEqual([name, true]);
  });

  it('are given out by the object storage too: redirect, presigned link, ranges, name', async () => {
    const { exportId, bytes } = await exported(gateway, asset, RAW_EVENTS);
    const redirect = await ask(gateway, asset, `/api/v1/exports/${exportId}/file`);
    expect(redirect.status).toBe(302);
    const { download_url: link } = await recordOf(gateway, asset, exportId);
    for (const url of [redirect.headers.get('location') ?? '', link ?? '']) {
      expect(url.startsWith(stack.env.S3_ENDPOINT)).toBe(true);
      const whole = await fetch(url);
      expect(whole.headers.get('content-disposition')).toBe('attachment; filename="raw-events.csv"');
      expect(whole.headers.get('content-type')).toBe('text/csv; charset=utf-8');
      expect(Buffer.from(await whole.arrayBuffer()).equals(bytes)).toBe(true);
      const part = await fetch(url, { headers: { Range: 'bytes=1000-1999' } });
      expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes 1000-1999/${bytes.length}`]);
      expect(Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(1000, 2000))).toBe(true);
    }
  });

  it('of no day give a file with its header alone', async () => {
    const reply = await ask(gateway, asset, '/api/v1/events/raw?format=csv&from=2026-01-01&to=2026-01-31');
    expect(givenFile(reply).bytes.toString()).toBe(`${RAW_EVENTS_LAYOUT.map(({ key }) => key).join(',')}\n`);
  });
});

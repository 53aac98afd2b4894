import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run } from '#apps/cli/src/run.js';
import { dayBefore } from '#apps/cli/src/demo-shop/calendar.js';
import { demoShop, type DemoShop } from '#apps/cli/src/demo-shop/demo-shop.js';
import type { LoadedShop } from '#apps/cli/src/demo-shop/load-demo-shop.js';
import { localDay } from '#contracts/local-day.js';
import { startService, type TestAsset, type TestService } from '../support/service.js';

const TIMEZONE = 'America/New_York';
const DEMO = fileURLToPath(new URL('../../dist/apps/standalone/src/demo.js', import.meta.url));

type Loaded = LoadedShop & { asset_id: string; seed: number; from: string; to: string };

describe('tallyport demo', () => {
  let service: TestService;
  let asset: TestAsset;
  let home: string;

  beforeAll(async () => {
    service = await startService();
    asset = await service.newAsset({ timezone: TIMEZONE });
    home = mkdtempSync(join(tmpdir(), 'tallyport-demo-home-'));
    connectTo(service.baseUrl);
  });

  afterAll(async () => {
    rmSync(home, { recursive: true, force: true });
    await service.stop();
  });

  /** Where the command finds the service and its token. */
  function connectTo(baseUrl: string): void {
    const credentials = { base_url: baseUrl, asset_id: asset.assetId, token: asset.token };
    writeFileSync(
      join(home, 'credentials.json'),
      JSON.stringify({ ...credentials, database_url: service.databaseUrl }),
    );
  }

  const demo = (...args: string[]) => run(['demo', ...args], { TALLYPORT_HOME: home });

  async function load(...args: string[]): Promise<Loaded> {
    const { code, stdout, stderr } = await demo('--json', '--seed', '7', ...args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return JSON.parse(stdout) as Loaded;
  }

  async function records(path: string, { from, to }: Loaded): Promise<string[]> {
    const response = await fetch(`${service.baseUrl}/api/v1/${path}from=${from}&to=${to}`, {
      headers: { Authorization: `Bearer ${asset.token}` },
    });
    expect(response.status).toBe(200);
    return (await response.text()).trimEnd().split('\n').slice(1);
  }

  /** What a load of these weeks takes from the shop. */
  const shopOf = (until: string, weeks: number, historyWeeks = 0) =>
    demoShop({ seed: 7, weeks, historyWeeks, until, timezone: TIMEZONE, currency: 'USD' });
  const costRows = async (shop: DemoShop) => (await shop.costs()).trimEnd().split('\n').length - 1;

  const reports = (range: Loaded) =>
    Promise.all(['channels', 'overview', 'geo', 'users'].map((name) => records(`export/${name}.csv?`, range)));

  it('loads weeks that end yesterday in the time zone of the asset, and reports show all of it', async () => {
    const today = localDay(TIMEZONE, new Date());
    const loaded = await load('--weeks', '1', '--history', '1');
    expect(loaded).toMatchObject({ asset_id: asset.assetId, seed: 7, to: dayBefore(today) });
    const { from, to, costs, events, consent, identities } = loaded;
    const shop = shopOf(to, 1, 1);
    const rows = await costRows(shop);
    expect(costs).toMatchObject({ ok: true, total: rows, inserted: rows, errors_total: 0, warnings_total: 0 });

    expect(shop.from).toBe(from);
    const days = [...shop.days()];
    const orders = [...shop.history()].reduce((sum, day) => sum + day.events.length, 0);
    expect(orders).toBeGreaterThan(0);
    const total = (count: (day: (typeof days)[number]) => number): number =>
      days.reduce((sum, day) => sum + count(day), 0);
    expect(events).toEqual({ accepted: orders + total((day) => day.events.length), rejected: 0 });
    expect(consent).toEqual({ accepted: total((day) => day.consents.length), rejected: 0 });
    expect(identities).toEqual({ accepted: total((day) => day.identities.length), rejected: 0 });

    const overview = (await records('export/overview.csv?', loaded)).map((row) => row.split(','));
    expect(overview.map(([date]) => date)).toEqual(days.slice(1).map(({ day }) => day));
    expect(overview.reduce((sum, row) => sum + Number(row[5]), 0)).toBe(events.accepted - orders);
    expect(await records('events/raw?format=csv&', loaded)).toHaveLength(events.accepted - orders);
    const channels = await records('export/channels.csv?', loaded);
    expect(channels.filter((row) => /^(Google Ads|Meta Ads),.*,USD,/.test(row))).toHaveLength(2);
  });

  it('changes nothing when the same shop is loaded again, and a longer one adds to it', async () => {
    const first = await load('--weeks', '1', '--history', '0');
    const before = await reports(first);
    const again = await load('--weeks', '1', '--history', '0');
    expect(again.costs).toMatchObject({ inserted: 0, updated: await costRows(shopOf(first.to, 1)) });
    expect(await reports(first)).toEqual(before);

    // The week before is known already, by its costs and orders.
    const longer = await load('--weeks', '2', '--history', '0');
    expect(longer.costs).toMatchObject({ inserted: 0, updated: await costRows(shopOf(first.to, 2)) });
    const [, overview = []] = await reports(longer);
    expect(overview).toHaveLength(14);
    expect(overview.reduce((sum, row) => sum + Number(row.split(',')[5]), 0)).toBe(longer.events.accepted);
  });

  it.each([
    [
      'an asset that is not there',
      ['--asset', '00000000-0000-7000-8000-000000000000'],
      /^There is no asset 0{8}-.*\.\n$/,
    ],
  ])('says in a sentence what is wrong with %s', async (_, args, sentence) => {
    const { code, stdout, stderr } = await demo(...args);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(sentence);
  });

  it('says in a sentence that no service is running', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    server.close();
    connectTo(`http://127.0.0.1:${port}`);
    const { code, stderr } = await demo('--weeks', '1', '--history', '0');
    expect(code).toBe(1);
    expect(stderr).toBe(`The gateway at http://127.0.0.1:${port} can't be reached (ECONNREFUSED).\n`);
    connectTo(service.baseUrl);
  });
});

describe('npm run demo', () => {
  it('shows the import, loads a shop, leaves every file in a folder and nothing else', async () => {
    if (!existsSync(DEMO)) throw new Error(`${DEMO} is missing: npm run build`);
    const folder = mkdtempSync(join(tmpdir(), 'tallyport-demo-spec-'));
    // Root's PostgreSQL runs as another user, who must be able to enter it.
    chmodSync(folder, 0o755);
    const out = join(folder, 'my files');
    const child = spawn(process.execPath, [DEMO, '--weeks', '1', '--history', '40', '--out', out], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: process.env['PATH'], TMPDIR: folder },
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (output += text.toString()));
    const [code] = (await once(child, 'close')) as [number];
    expect({ code, output }).toMatchObject({ code: 0 });

    const files = readdirSync(out).sort();
    expect(files.map((name) => name.replace(/\d{4}-\d\d-\d\d_\d{4}-\d\d-\d\d/, 'RANGE'))).toEqual([
      'consent-records.csv',
      'consent-records.json',
      expect.stringMatching(/^integrity-net-[\d.]+-24\.csv$/),
      expect.stringMatching(/^lift-[\da-f]{8}\.csv$/),
      expect.stringMatching(/^mmm-[\da-f]{8}\.csv$/),
      'raw-events.csv',
      'tallyport-blocklist.csv',
      'tallyport-channels-RANGE.csv',
      'tallyport-channels-advanced-RANGE.csv',
      'tallyport-channels-advanced-RANGE.json',
      'tallyport-evidence-bundle.json',
      'tallyport-fraud-refund-claim.csv',
      'tallyport-geo-RANGE.csv',
      'tallyport-google-ads-ip-exclusions.csv',
      'tallyport-meta-network-advisory.csv',
      'tallyport-overview-RANGE.csv',
      'tallyport-sources-RANGE.csv',
      'tallyport-tech-RANGE.csv',
      'tallyport-users-RANGE.csv',
      'tallyport_cost_example.csv',
      'tallyport_cost_template.csv',
    ]);
    for (const name of files) {
      expect(output).toContain(name);
      const text = readFileSync(join(out, name), 'utf8');
      if (name.endsWith('bundle.json')) expect(JSON.parse(text)).toMatchObject({ format: 'evidence-bundle/1' });
      else expect(text.split('\n').length).toBeGreaterThan(2);
    }
    expect(output).toContain(`files are in ${out}.`);
    expect(readdirSync(folder)).toEqual(['my files']);
    rmSync(folder, { recursive: true, force: true });
  }, 180_000);

  it.each([
    ['--weeks', '0'],
    ['--seed', 'abc'],
  ])('refuses %s %s before it starts anything', async (...args) => {
    const child = spawn(process.execPath, [DEMO, ...args], { env: { PATH: process.env['PATH'] } });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (output += text.toString()));
    const [code] = (await once(child, 'close')) as [number];
    expect(code).toBe(1);
    expect(output).toMatch(/^The (weeks|seed) of a demo shop must be a whole number from 1 to \d+\.\n$/);
  });

  it('says which options there are to who gives another', async () => {
    const child = spawn(process.execPath, [DEMO, '--help'], { env: { PATH: process.env['PATH'] } });
    let said = '';
    child.stderr.on('data', (text: Buffer) => (said += text.toString()));
    const [code] = (await once(child, 'close')) as [number];
    expect([code, said]).toEqual([
      2,
      "Unknown option '--help'. The demo takes --keep, --out, --seed, --weeks, --history.\n",
    ]);
  });
});

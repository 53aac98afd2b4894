import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DETECTORS, type Detection } from '#apps/integrity/src/detection/traffic.js';
import { newSigningKey } from '#runtime/signing-key-file.js';
import { visitorEntityId } from '#apps/integrity/src/networks/network-key.js';
import type { EntityDispute } from '#contracts/integrity/entity-dispute.js';
import type { Answer, ProblemBody } from '../fixtures/cost-import-client.js';
import { endOf, get, order } from '../fixtures/export-client.js';
import { FilesModule } from '../fixtures/integrity-files-module.js';
import { IntegrityRows } from '../fixtures/integrity-rows.js';
import { startService, type TestService } from '../support/service.js';

const SEPTEMBER = 'from=2026-09-01&to=2026-09-30';
const ISP = { networkType: 'isp', asn: 64_500, asnOrg: 'Example Access' } as const;
const NO_SCORES = Object.fromEntries(DETECTORS.map((code) => [code, 0])) as Detection['scores'];

let service: TestService;

beforeAll(async () => {
  service = await startService({ INTEGRITY_SIGNING_KEY: newSigningKey() }, FilesModule);
});

afterAll(async () => {
  await service.stop();
});

async function newRows(timezone = 'UTC'): Promise<IntegrityRows> {
  const rows = new IntegrityRows(service, await service.newAsset({ timezone }));
  await rows.config(timezone);
  return rows;
}

function dispute<T = string>(rows: IntegrityRows, entity: string, query = SEPTEMBER): Promise<Answer<T>> {
  return get<T>(service, rows.asset, `/api/v1/integrity/entities/${entity}/export.csv?${query}`);
}

async function known(rows: IntegrityRows, entity: string, query = SEPTEMBER): Promise<EntityDispute> {
  const { status, body } = await get<EntityDispute>(
    service,
    rows.asset,
    `/api/v1/integrity/entities/${entity}?${query}`,
  );
  expect(status).toBe(200);
  return body;
}

/** The fields of block 1 as they stand in the file. */
async function fields(rows: IntegrityRows, entity: string, query = SEPTEMBER): Promise<Record<string, string>> {
  const { status, body } = await dispute(rows, entity, query);
  expect(status).toBe(200);
  const [first = ''] = body.split('\n\n');
  const lines = first.split('\n');
  return Object.fromEntries(
    lines.slice(lines.indexOf('Field,Value') + 1).map((line) => line.split(/,(.*)/s).slice(0, 2)),
  ) as Record<string, string>;
}

describe('the dispute file', () => {
  it('has metadata and three blocks, with the scores of the strongest window', async () => {
    const rows = await newRows('Europe/Berlin');
    await service.dataSource.query('UPDATE access.asset SET name = $2 WHERE asset_id = $1', [
      rows.asset.assetId,
      'Acme\r\n=Shop, "1"',
    ]);
    const host = '203.0.114.7';
    const reasons = [
      { code: 'no_engagement', sentence: '97.2% of paid visits had no engagement (usual 52.0%)' },
      { code: 'click_flood', sentence: '48 paid clicks from one address in one hour (limit 8)' },
      { code: 'burst', sentence: '94% of visits, and more, inside 18 minutes' },
    ] as const;
    await rows.found(
      { visits: [{ day: '2026-09-03', host, sessions: 12, asnOrg: 'Older GmbH' }], severity: 'likely', p: 0.99 },
      {
        visits: [
          { day: '2026-09-05', host, sessions: 3 },
          { day: '2026-09-05', host: '203.0.114.19', sessions: 5, conversions: 1 },
        ],
        flagged: 7,
        p: 0.97314,
        scores: { ...NO_SCORES, hosting_network: 1, click_flood: 0.12345, no_engagement: 0.5 },
        reasons: [...reasons],
      },
      { visits: [{ day: '2026-09-06', host, sessions: 9, channel: 'meta_ads' }], p: 0.9 },
      {
        visits: [{ day: '2026-09-07', host, sessions: 2, channel: '=cmd', standing: 'unmatched' }],
        severity: 'suspected',
      },
      { visits: [{ day: '2026-10-01', host, sessions: 40 }] },
    );
    await rows.visits({ day: '2026-09-20', host, sessions: 4, channel: 'newsletter', standing: 'unpaid' });
    await rows.cost(
      { day: '2026-09-03', spend: '24.00', paid_sessions: 24, currency: 'USD' },
      { day: '2026-09-05', spend: '70.00', paid_sessions: 100, currency: 'EUR' },
      { day: '2026-09-06', channel: 'meta_ads', spend: '9', paid_sessions: 9, currency: 'EUR' },
      { day: '2026-09-07', channel: '=cmd', spend: '9', paid_sessions: 9 },
    );
    const { body, headers } = await dispute(rows, 'net-203.0.114.0-24');
    expect(headers.get('content-disposition')).toBe('attachment; filename="integrity-net-203.0.114.0-24.csv"');
    const text = body
      .replace(/Generated: \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/, 'Generated: <time>')
      .replace(/evidence_hash,[0-9a-f]{64}\n/, 'evidence_hash,<hash>\n');
    expect(text).toBe(`# Tallyport entity dispute file
# Property: Acme  =Shop, "1"
# Date range: 2026-09-01..2026-09-30
# Timezone: Europe/Berlin
# Generated: <time>
Field,Value
entity_id,net-203.0.114.0-24
entity_type,network
network,203.0.114.0/24
asn,24940
asn_org,Example Hosting GmbH
network_type,hosting
severity,confirmed
ivt_class,SIVT
score,0.9731
window_from,2026-09-02T22:00:00Z
window_to,2026-09-06T21:59:59Z
sessions,35
paid_sessions,29
flagged_sessions,28
distinct_visitors,35
distinct_ips,2
conversions,5
channels,google_ads=19;meta_ads=9
estimated_wasted,13.90;12.00
currency,EUR;USD
sample_ips,203.0.114.7 203.0.114.19
detector_version,2026.11.1
evidence_hash,<hash>
chain_verified,true

Reasons
no_engagement: 97.2% of paid visits had no engagement (usual 52.0%)
click_flood: 48 paid clicks from one address in one hour (limit 8)
"burst: 94% of visits, and more, inside 18 minutes"

Detector,Score
declared_bot,0.0000
hosting_network,1.0000
click_flood,0.1235
repeat_click,0.0000
no_engagement,0.5000
conversion_void,0.0000
path_template,0.0000
regular_interval,0.0000
night_flat,0.0000
clock_locked,0.0000
burst,0.0000
id_churn,0.0000
ua_impossible,0.0000
geo_conflict,0.0000
network_hopping,0.0000
paid_only,0.0000
`);
    expect(text.split('\n\n')).toHaveLength(3);
  });

  it('guards what others wrote, in the fields alone', async () => {
    const rows = await newRows();
    await rows.found({
      visits: [{ day: '2026-09-03', host: '203.0.114.7', channel: '=cmd', asnOrg: '@evil' }],
      reasons: [{}],
    });
    const guarded = await dispute(rows, 'net-203.0.114.0-24');
    expect(guarded.body).toContain("\nasn_org,'@evil\n");
    expect(guarded.body).toContain("\nchannels,'=cmd=10\n");
    expect(guarded.headers.get('x-service-formulas-escaped')).toBe('2');
    const raw = await dispute(rows, 'net-203.0.114.0-24', `${SEPTEMBER}&formulas=raw`);
    expect(raw.body).toContain('\nasn_org,@evil\n');
    expect(raw.headers.get('x-service-formulas-escaped')).toBeNull();
  });

  it('knows hosts, AS numbers, visitors and IPv6', async () => {
    const rows = await newRows();
    const visitor = visitorEntityId(rows.asset.assetId, 'robot 1');
    await rows.found(
      { type: 'host', visits: [{ ...ISP, day: '2026-09-03', host: '203.0.114.7' }] },
      { type: 'asn', visits: [{ day: '2026-09-03', host: '203.0.115.7', asn: 7 }], flagged: 0 },
      { type: 'visitor', visits: [{ ...ISP, day: '2026-09-03', host: '203.0.116.7', visitor: 'robot 1' }] },
      { visits: [{ day: '2026-09-03', host: '2001:db9:1:2::/64' }] },
    );
    await rows.visits({ ...ISP, day: '2026-09-04', host: '203.0.114.8' });
    expect(await fields(rows, 'host-203.0.114.7')).toMatchObject({
      entity_type: 'host',
      network: '203.0.114.0/24',
      sessions: '10',
      sample_ips: '203.0.114.7',
      chain_verified: 'true',
    });
    expect(await fields(rows, 'asn-7')).toMatchObject({ network: '', asn: '7', flagged_sessions: '0', sample_ips: '' });
    expect(await fields(rows, visitor)).toMatchObject({ entity_type: 'visitor', network: '', distinct_visitors: '1' });
    expect(await fields(rows, 'net6-20010db90001-48')).toMatchObject({
      network: '2001:db9:1::/48',
      sample_ips: '2001:db9:1:2::/64',
    });
  });

  it('says the same as JSON', async () => {
    const rows = await newRows();
    await rows.found({ visits: [{ day: '2026-09-03', host: '203.0.114.7' }], reasons: [{}] });
    const { summary, reasons, detectors } = await known(rows, 'net-203.0.114.0-24');
    const cells = await fields(rows, 'net-203.0.114.0-24');
    const { channels, estimated_wasted, sample_ips, score, ...same } = summary;
    expect(cells).toEqual({
      ...Object.fromEntries(Object.entries(same).map(([name, value]) => [name, String(value ?? '')])),
      score: score.toFixed(4),
      channels: channels.map((one) => `${one.channel}=${one.flagged_sessions}`).join(';'),
      estimated_wasted: estimated_wasted.map(({ amount }) => amount).join(';'),
      currency: estimated_wasted.map(({ currency }) => currency).join(';'),
      sample_ips: sample_ips.join(' '),
    });
    expect(reasons).toEqual([
      { code: 'click_flood', sentence: '48 paid clicks from one address in one hour (limit 8)' },
    ]);
    expect(detectors.map(({ detector }) => detector)).toEqual([...DETECTORS]);
  });

  it('tells of a clean network too, with nothing to prove', async () => {
    const rows = await newRows();
    await rows.visits({ ...ISP, day: '2026-09-03', host: '203.0.114.7', sessions: 3 });
    const { body } = await dispute(rows, 'net-203.0.114.0-24');
    expect(body).toContain('\nReasons\n\nDetector,Score\n');
    expect(await fields(rows, 'net-203.0.114.0-24')).toEqual({
      entity_id: 'net-203.0.114.0-24',
      entity_type: 'network',
      network: '203.0.114.0/24',
      asn: '64500',
      asn_org: 'Example Access',
      network_type: 'isp',
      severity: 'clean',
      ivt_class: '',
      score: '0.0000',
      window_from: '2026-09-03T00:00:00Z',
      window_to: '2026-09-03T23:59:59Z',
      sessions: '3',
      paid_sessions: '3',
      flagged_sessions: '0',
      distinct_visitors: '3',
      distinct_ips: '1',
      conversions: '0',
      channels: '',
      estimated_wasted: '0.00',
      currency: 'USD',
      sample_ips: '',
      detector_version: '',
      evidence_hash: '',
      chain_verified: 'false',
    });
  });

  it('follows a verdict that replaced another', async () => {
    const rows = await newRows();
    const visits = [{ day: '2026-09-03', host: '203.0.114.7' }];
    await rows.found({ visits, severity: 'suspected' });
    expect(await fields(rows, 'net-203.0.114.0-24')).toMatchObject({ severity: 'suspected', flagged_sessions: '0' });
    await rows.found({ visits, severity: 'likely' });
    expect(await fields(rows, 'net-203.0.114.0-24')).toMatchObject({
      severity: 'likely',
      flagged_sessions: '10',
      chain_verified: 'true',
    });
  });

  it('is not verified when a row of the database says something else than the ledger', async () => {
    const rows = await newRows();
    await rows.found({ visits: [{ day: '2026-09-03', host: '203.0.114.7' }] });
    await service.dataSource.query(`UPDATE integrity.ivt_verdict SET severity = 'likely' WHERE asset_id = $1`, [
      rows.asset.assetId,
    ]);
    expect(await fields(rows, 'net-203.0.114.0-24')).toMatchObject({ severity: 'likely', chain_verified: 'false' });
  });
});

describe('an entity that is not found', () => {
  it('is 404: unknown, of another asset, without sessions in the range, reserved, or no id at all', async () => {
    const rows = await newRows();
    const others = await newRows();
    await others.found({ visits: [{ day: '2026-09-03', host: '203.0.114.7' }] });
    await rows.found({ visits: [{ day: '2026-08-31', host: '203.0.115.7' }] });
    await rows.visits({ day: '2026-09-03', host: '10.0.0.1', networkType: 'reserved' });
    for (const entity of [
      'net-203.0.114.0-24',
      'net-203.0.115.0-24',
      'net-203.0.115.0-25',
      'net-203.0.115.1-24',
      'net-10.0.0.0-24',
      'net-999.0.0.0-24',
      'host-203.0.114.7',
      'asn-24940x',
      'asn-1',
      'vis-0123456789abcdef',
      'vis-0',
      'nonsense',
      '%00',
      `net-${'1'.repeat(90)}`,
    ])
      for (const path of [entity, `${entity}/export.csv`]) {
        const { status, body } = await get<ProblemBody>(
          service,
          rows.asset,
          `/api/v1/integrity/entities/${path}?${SEPTEMBER}`,
        );
        expect({ path, status, code: body.code }).toEqual({ path, status: 404, code: 'not_found' });
      }
  });

  it('is found out later when it was asked for later', async () => {
    const rows = await newRows();
    const id = await order(service, rows.asset, `/api/v1/integrity/entities/asn-1/export.csv?${SEPTEMBER}`);
    expect(await endOf(service, rows.asset, id)).toMatchObject({ status: 'failed', error: { code: 'not_found' } });
  });
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newSigningKey } from '#runtime/signing-key-file.js';
import { META_RECOMMENDATION } from '#contracts/layouts/meta-network-advisory.layout.js';
import { PERMISSIONS } from '#contracts/permissions.js';
import { call, type Answer, type ProblemBody } from '../fixtures/cost-import-client.js';
import { get } from '../fixtures/export-client.js';
import { FilesModule } from '../fixtures/integrity-files-module.js';
import { IntegrityRows, type Found, type Visits } from '../fixtures/integrity-rows.js';
import { startService, type TestService } from '../support/service.js';

const JSON_TYPE = { 'Content-Type': 'application/json' };
const MARCH = 'from=2026-03-01&to=2026-03-31';
const REFUND_HEADER =
  'asn,asn_org,network_type,channel,severity,flagged_sessions,window_from,window_to,estimated_wasted,currency,reasons,sample_ips,evidence_hash,chain_verified\n';
const BLOCKLIST_HEADER = 'cidr,wildcard,asn,asn_org,network_type,hits\n';
const META_HEADER = 'asn,asn_org,network_type,channel,severity,flagged_sessions,recommendation\n';

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

function file<T = string>(rows: IntegrityRows, path: string, query = MARCH): Promise<Answer<T>> {
  return get<T>(service, rows.asset, `/api/v1/integrity/${path}?${query}`);
}

async function textOf(rows: IntegrityRows, path: string, query = MARCH): Promise<string> {
  const { status, body } = await file(rows, path, query);
  expect({ path, status }).toEqual({ path, status: 200 });
  return body;
}

async function entryHash(rows: IntegrityRows, seq: number): Promise<string> {
  const [row] = await service.dataSource.query<{ hash: string }[]>(
    `SELECT encode(entry_hash, 'hex') AS hash FROM integrity.evidence_entry WHERE asset_id = $1 AND seq = $2`,
    [rows.asset.assetId, seq],
  );
  return row!.hash;
}

const network = (host: string, more: Partial<Visits> = {}, found: Partial<Found> = {}): Found => ({
  visits: [{ day: '2026-03-10', host, ...more }],
  ...found,
});

describe('without anything found', () => {
  it.each([
    ['evidence/refund.csv', REFUND_HEADER, 'tallyport-fraud-refund-claim.csv'],
    ['blocklist/google.csv', 'IP address\n', 'tallyport-google-ads-ip-exclusions.csv'],
    ['blocklist.csv', BLOCKLIST_HEADER, 'tallyport-blocklist.csv'],
    ['blocklist/meta.csv', META_HEADER, 'tallyport-meta-network-advisory.csv'],
  ])('%s is its header', async (path, text, name) => {
    const rows = new IntegrityRows(service, await service.newAsset());
    const { status, body, headers } = await file(rows, path);
    expect({ status, body }).toEqual({ status: 200, body: text });
    expect(headers.get('content-disposition')).toBe(`attachment; filename="${name}"`);
    expect(headers.get('x-service-export-rows')).toBe('0');
    expect(headers.get('x-service-blocklist-truncated')).toBeNull();
    expect(headers.get('x-service-export-truncated')).toBeNull();
    const asked = JSON.stringify({ path: `/api/v1/integrity/${path}`, from: '2026-03-01', to: '2026-03-31' });
    const estimate = await call(service, rows.asset, asked, { path: '/api/v1/exports/estimate', headers: JSON_TYPE });
    expect(estimate.body).toMatchObject({ rows: 0, bytes: text.length });
  });

  it('a bundle has no row', async () => {
    const rows = new IntegrityRows(service, await service.newAsset());
    const { status, body, headers } = await file<Record<string, unknown>>(rows, 'evidence/bundle.json');
    expect(status).toBe(200);
    expect(body).toMatchObject({ format: 'evidence-bundle/1', asset: rows.asset.assetId, rows: [], entries: [] });
    expect(headers.get('content-disposition')).toBe('attachment; filename="tallyport-evidence-bundle.json"');
  });
});

describe('the refund claim', () => {
  it('has a row per currency, confirmed first, and keeps its costs from nobody', async () => {
    const rows = await newRows('Europe/Berlin');
    await rows.found(
      network(
        '198.18.1.7',
        { sessions: 6, asn: 64_500, asnOrg: '=Access, Inc.' },
        { severity: 'likely', reasons: [{}] },
      ),
      network('198.18.2.7', { sessions: 4, channel: '-cheap', standing: 'unmatched' }),
      network('198.18.3.7', { sessions: 9, channel: 'newsletter', standing: 'unpaid' }),
      network('198.18.4.7', { sessions: 9 }, { severity: 'suspected' }),
    );
    await rows.cost({ paid_sessions: 20 }, { paid_sessions: 20, currency: 'USD', spend: '0.125' });
    const restricted = 'cost restricted';
    await service.admin.addMember(rows.asset.assetId, restricted, PERMISSIONS);
    await service.admin.restrictMember(rows.asset.assetId, restricted, ['cost_data']);
    const { token } = await service.admin.createToken(restricted);
    const { body, headers } = await get(
      service,
      { ...rows.asset, token },
      `/api/v1/integrity/evidence/refund.csv?${MARCH}`,
    );
    const day = '2026-03-09T23:00:00Z,2026-03-10T22:59:59Z';
    const [one, , , ...hashes] = body.split('\n').map((line) => line.split(',').at(-2));
    expect(one).toBe('evidence_hash');
    expect(hashes.length).toBeGreaterThan(0);
    expect(body.replace(/[0-9a-f]{64}/g, '<hash>')).toBe(
      REFUND_HEADER +
        `24940,Example Hosting GmbH,hosting,'-cheap,confirmed,4,${day},0.00,USD,no_cost_data;outside_60_day_window,198.18.2.7,<hash>,true\n` +
        `64500,"'=Access, Inc.",hosting,google_ads,likely,6,${day},30.00,EUR,click_flood=48>8;outside_60_day_window,198.18.1.7,<hash>,true\n` +
        `64500,"'=Access, Inc.",hosting,google_ads,likely,6,${day},0.04,USD,click_flood=48>8;outside_60_day_window,198.18.1.7,<hash>,true\n`,
    );
    expect(body.split('\n')[1]).toContain(await entryHash(rows, 3));
    expect(headers.get('x-service-formulas-escaped')).toBe('3');
    expect(headers.get('x-service-columns-omitted')).toBeNull();
    expect(headers.get('x-service-export-limit')).toBeNull();
    const raw = await textOf(rows, 'evidence/refund.csv', `${MARCH}&formulas=raw`);
    expect(raw.startsWith(`${REFUND_HEADER}24940,Example Hosting GmbH,hosting,-cheap,`)).toBe(true);
  });

  it('says chain_verified=false when an entry was changed, and appends stop', async () => {
    const rows = await newRows();
    await rows.found(network('198.18.1.7'), network('198.18.2.7'));
    expect(await textOf(rows, 'evidence/refund.csv')).toContain(',true\n');
    await service.dataSource.query(`ALTER TABLE integrity.evidence_entry DISABLE TRIGGER refuse_change`);
    await service.dataSource.query(`GRANT UPDATE ON integrity.evidence_entry TO CURRENT_USER`);
    await service.dataSource.query(
      `UPDATE integrity.evidence_entry SET body = replace(body, '"flagged_sessions":10', '"flagged_sessions":90')
        WHERE asset_id = $1 AND seq = 2`,
      [rows.asset.assetId],
    );
    await service.dataSource.query(`ALTER TABLE integrity.evidence_entry ENABLE ALWAYS TRIGGER refuse_change`);
    expect(await textOf(rows, 'evidence/refund.csv')).toMatch(/,false\n$/);
    expect(await textOf(rows, 'entities/net-198.18.2.0-24/export.csv')).toContain('\nchain_verified,false\n');
    await expect(rows.found(network('198.18.3.7'))).rejects.toThrow('is broken');
    await service.dataSource.query(`ALTER TABLE integrity.evidence_entry DISABLE TRIGGER refuse_change`);
    await service.dataSource.query(
      `UPDATE integrity.evidence_entry SET body = 'no JSON' WHERE asset_id = $1 AND seq = 2`,
      [rows.asset.assetId],
    );
    await service.dataSource.query(`ALTER TABLE integrity.evidence_entry ENABLE ALWAYS TRIGGER refuse_change`);
    expect(await textOf(rows, 'evidence/refund.csv')).toMatch(/,false\n$/);
    expect((await file(rows, 'evidence/bundle.json')).status).toBe(200);
  });
});

describe('the exclusion list', () => {
  it('has IPv4 networks, most flagged events first, then by address', async () => {
    const rows = await newRows();
    await rows.found(
      network('198.18.20.7', { sessions: 3 }),
      network('198.18.3.7', { sessions: 3 }),
      network('198.18.100.7', { sessions: 4 }, { severity: 'likely' }),
      network('2001:db9:1:2::/64', { sessions: 50 }),
      network('198.18.5.7', { sessions: 50 }, { severity: 'suspected' }),
      network('198.18.6.7', { sessions: 50, networkType: 'reserved' }),
      { ...network('198.18.7.7', { sessions: 50, visitor: 'v' }), type: 'visitor' },
      { ...network('198.18.8.7', { sessions: 50 }), type: 'asn' },
    );
    await rows.found({ visits: [{ day: '2026-04-01', host: '198.18.9.7' }] });
    expect(await textOf(rows, 'blocklist/google.csv')).toBe('IP address\n198.18.100.*\n198.18.3.*\n198.18.20.*\n');
  });

  it('is cut after 500 networks and says how many were left out, and nobody else does', async () => {
    const rows = await newRows();
    const visits = (place: number): Found =>
      network(`198.${18 + Math.floor(place / 250)}.${place % 250}.1`, { sessions: place < 3 ? 1 : 2 });
    await rows.found(...Array.from({ length: 503 }, (_, place) => visits(place)));
    const { body, headers } = await file(rows, 'blocklist/google.csv');
    expect(body.split('\n')).toHaveLength(502);
    expect(body).not.toContain('198.18.0.*');
    expect(headers.get('x-service-blocklist-truncated')).toBe('3');
    expect(headers.get('x-service-export-truncated')).toBe('3');
    expect(headers.get('x-service-export-limit')).toBe('500');
    expect(headers.get('x-service-export-rows')).toBe('500');
    const general = await file(rows, 'blocklist.csv', `${MARCH}&cap=501`);
    expect(general.headers.get('x-service-blocklist-truncated')).toBeNull();
    expect(general.headers.get('x-service-export-truncated')).toBe('2');
    expect(general.headers.get('x-service-export-limit')).toBe('501');
    expect(general.body.split('\n')).toHaveLength(503);
  });
});

describe('the block list', () => {
  it('has networks and hosts of both families in one order', async () => {
    const rows = await newRows();
    await rows.found(
      network('2001:db9:1:2::/64', { sessions: 4, asn: null, asnOrg: null, networkType: 'unknown' }),
      network('2001:db9:a:2::/64', { sessions: 4 }),
      network('198.18.20.7', { sessions: 4, asnOrg: '@home, "Net"' }),
      network('198.18.3.7', { sessions: 5, events: 7 }),
    );
    const { body, headers } = await file(rows, 'blocklist.csv');
    expect(body).toBe(
      `${BLOCKLIST_HEADER}198.18.3.0/24,198.18.3.*,24940,Example Hosting GmbH,hosting,35\n` +
        `198.18.20.0/24,198.18.20.*,24940,"'@home, ""Net""",hosting,8\n` +
        '2001:db9:1::/48,,,,unknown,8\n2001:db9:a::/48,,24940,Example Hosting GmbH,hosting,8\n',
    );
    expect(headers.get('x-service-formulas-escaped')).toBe('1');
    expect(headers.get('x-service-export-limit')).toBe('1000');
  });

  it('lists the host where the rest of its network is human, and the network where nearly all of it is flagged', async () => {
    const rows = await newRows();
    const isp = { networkType: 'isp', day: '2026-03-10' } as const;
    await rows.found(
      { ...network('198.18.1.7', { ...isp, sessions: 20 }), type: 'host' },
      { ...network('198.18.2.7', { ...isp, sessions: 91 }), type: 'host' },
      { ...network('198.18.3.7', { ...isp, sessions: 90 }), type: 'host' },
      { ...network('2001:db9:1:2::/64', { ...isp, sessions: 10 }), type: 'host' },
    );
    await rows.visits(
      { ...isp, host: '198.18.1.9', sessions: 20 },
      { ...isp, host: '198.18.2.9', sessions: 9 },
      { ...isp, host: '198.18.3.9', sessions: 10 },
      { ...isp, host: '2001:db9:1:3::/64', sessions: 10 },
      { ...isp, day: '2026-03-11', host: '198.18.2.9', sessions: 900 },
    );
    expect(await textOf(rows, 'blocklist.csv')).toBe(
      `${BLOCKLIST_HEADER}198.18.2.0/24,198.18.2.*,24940,Example Hosting GmbH,isp,182\n` +
        '198.18.3.7/32,198.18.3.7,24940,Example Hosting GmbH,isp,180\n' +
        '198.18.1.7/32,198.18.1.7,24940,Example Hosting GmbH,isp,40\n' +
        '2001:db9:1:2::/64,,24940,Example Hosting GmbH,isp,20\n',
    );
    expect(await textOf(rows, 'blocklist/google.csv')).toBe('IP address\n198.18.2.*\n');
  });

  it('takes the host again where a small early window had widened it to its network', async () => {
    const rows = await newRows();
    const isp = { networkType: 'isp' } as const;
    await rows.found(network('198.18.1.7', { ...isp, day: '2026-03-10', sessions: 5 }));
    await rows.found({ ...network('198.18.1.7', { ...isp, day: '2026-03-12', sessions: 20 }), type: 'host' });
    await rows.visits({ ...isp, day: '2026-03-12', host: '198.18.1.9', sessions: 30 });
    expect(await textOf(rows, 'blocklist.csv')).toBe(
      `${BLOCKLIST_HEADER}198.18.1.7/32,198.18.1.7,24940,Example Hosting GmbH,isp,50\n`,
    );
    expect(await textOf(rows, 'blocklist.csv', 'from=2026-03-01&to=2026-03-11')).toBe(
      `${BLOCKLIST_HEADER}198.18.1.0/24,198.18.1.*,24940,Example Hosting GmbH,isp,10\n`,
    );
  });

  it('lists no network whole that holds an allow-listed address', async () => {
    const rows = await newRows();
    const at = (host: string): Visits => ({ day: '2026-03-10', host });
    await rows.found({ visits: [at('198.18.1.7'), at('198.18.1.8')] }, network('198.18.2.7'), network('198.18.3.7'));
    const rule = (cidr: string, until: string | null): Promise<unknown> =>
      service.dataSource.query(
        `INSERT INTO integrity.ivt_allow (asset_id, rule_id, cidr, reason, by, until)
         VALUES ($1, gen_random_uuid(), $2, 'Office', 'test', $3)`,
        [rows.asset.assetId, cidr, until],
      );
    await rule('198.18.1.200/32', null);
    await rule('198.18.2.128/25', '2026-03-30');
    await rule('198.18.0.0/16', null);
    expect(await textOf(rows, 'blocklist/google.csv')).toBe('IP address\n198.18.2.*\n198.18.3.*\n');
    expect(await textOf(rows, 'blocklist.csv')).toBe(
      `${BLOCKLIST_HEADER}198.18.1.7/32,198.18.1.7,24940,Example Hosting GmbH,hosting,20\n` +
        '198.18.1.8/32,198.18.1.8,24940,Example Hosting GmbH,hosting,20\n' +
        '198.18.2.0/24,198.18.2.*,24940,Example Hosting GmbH,hosting,20\n' +
        '198.18.3.0/24,198.18.3.*,24940,Example Hosting GmbH,hosting,20\n',
    );
  });

  it.each([
    ['1', 1],
    ['2', 2],
    ['0', 1],
    ['-3', 1],
    ['-0', 1],
    ['5000', 3],
    ['99999', 3],
    ['99999999999999999999999999', 3],
    ['-99999999999999999999999999', 1],
  ])('takes cap=%s', async (cap, expected) => {
    const rows = await newRows();
    await rows.found(network('198.18.1.7'), network('198.18.2.7'), network('198.18.3.7'));
    const { status, headers } = await file(rows, 'blocklist.csv', `${MARCH}&cap=${cap}`);
    expect(status).toBe(200);
    expect(headers.get('x-service-export-rows')).toBe(String(expected));
    expect(headers.get('x-service-export-limit')).toBe(String(Math.max(1, Math.min(5000, Number(cap)))));
  });

  it.each(['abc', '1.5', '', '1e3', '0x10', '%201', '1%00'])('refuses cap=%s', async (cap) => {
    const rows = await newRows();
    const { status, body } = await file<ProblemBody>(rows, 'blocklist.csv', `${MARCH}&cap=${cap}`);
    expect(status).toBe(400);
    expect(body).toMatchObject({
      code: 'invalid_parameter',
      errors: [{ name: 'cap', reason: 'must be a whole number' }],
    });
  });

  it('refuses a second cap, and cap on other files', async () => {
    const rows = await newRows();
    const twice = await file<ProblemBody>(rows, 'blocklist.csv', `${MARCH}&cap=1&cap=2`);
    expect(twice.body).toMatchObject({ code: 'invalid_parameter', errors: [{ name: 'cap' }] });
    const other = await file<ProblemBody>(rows, 'blocklist/google.csv', `${MARCH}&cap=1`);
    expect(other.body).toMatchObject({ code: 'invalid_parameter', errors: [{ name: 'cap' }] });
  });
});

describe('the advisory', () => {
  it('sums networks and hosts by asn, type, channel and severity of the entity in the range', async () => {
    const rows = await newRows();
    await rows.found(
      network('198.18.1.7', { sessions: 5, channel: 'meta_ads' }, { severity: 'likely' }),
      network('198.18.2.7', { sessions: 7, channel: 'meta_ads' }, { severity: 'likely' }),
      { ...network('198.18.3.7', { sessions: 3, channel: 'email', standing: 'unpaid' }), type: 'host' },
      network('198.18.4.7', { sessions: 3, asn: null, asnOrg: null, channel: '+x' }),
      network('198.18.5.7', { sessions: 3, asn: 7, asnOrg: 'Seven' }, { flagged: 0 }),
      network('198.18.6.7', { sessions: 3, networkType: 'reserved' }),
      { ...network('198.18.7.7', { sessions: 3, visitor: 'v' }), type: 'visitor' },
    );
    await rows.found({ visits: [{ day: '2026-03-12', host: '198.18.1.7', channel: 'google_ads', sessions: 2 }] });
    expect(await textOf(rows, 'blocklist/meta.csv')).toBe(
      META_HEADER +
        [
          '24940,Example Hosting GmbH,hosting,meta_ads,confirmed,5',
          '24940,Example Hosting GmbH,hosting,email,confirmed,3',
          ",,hosting,'+x,confirmed,3",
          '24940,Example Hosting GmbH,hosting,google_ads,confirmed,2',
          '24940,Example Hosting GmbH,hosting,meta_ads,likely,7',
        ]
          .map((line) => `${line},"${META_RECOMMENDATION}"\n`)
          .join(''),
    );
  });
});

it('has a byte-order mark on the dispute file, and where it is asked for', async () => {
  const rows = await newRows();
  await rows.found(network('198.18.1.7'));
  const hasMark = async (path: string, query: string): Promise<boolean> => {
    const response = await fetch(`${service.baseUrl}/api/v1/integrity/${path}?${MARCH}${query}`, {
      headers: { Authorization: `Bearer ${rows.asset.token}` },
    });
    return Buffer.from(await response.arrayBuffer())
      .subarray(0, 3)
      .equals(Buffer.from('\ufeff'));
  };
  const dispute = 'entities/net-198.18.1.0-24/export.csv';
  const others = ['evidence/refund.csv', 'blocklist/google.csv', 'blocklist.csv', 'blocklist/meta.csv'];
  for (const path of others) expect(await hasMark(path, '')).toBe(false);
  for (const path of [dispute, ...others]) expect(await hasMark(path, '&bom=1')).toBe(true);
  expect(await hasMark(dispute, '')).toBe(true);
  expect(await hasMark(dispute, '&bom=0')).toBe(false);
});

it('takes bom and formulas for CSV only', async () => {
  const rows = await newRows();
  for (const path of ['evidence/bundle.json', 'entities/net-198.18.1.0-24'])
    for (const name of ['bom', 'formulas', 'format']) {
      const value = { bom: '1', formulas: 'raw', format: 'json' }[name];
      const { status, body } = await file<ProblemBody>(rows, path, `${MARCH}&${name}=${value}`);
      expect(status).toBe(400);
      expect(body).toMatchObject({ code: 'invalid_parameter', errors: [{ name }] });
    }
});

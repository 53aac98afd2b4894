import { describe, expect, it } from '@jest/globals';
import { run } from './run.js';

describe('ip', () => {
  it('shows network, AS, type and ids of each address, without a database', async () => {
    const { code, stdout, stderr } = await run(['ip', '88.198.7.9', '2a01:4f8:1:2::3', '10.0.0.1'], {});
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const [first, second, third, source] = stdout
      .split('\n\n')
      .map((block) => block.split('\n').map((line) => line.split(/ {2,}/)));
    expect(first).toEqual([
      ['88.198.7.9', 'hosting'],
      ['network', '88.198.7.0/24', 'net-88.198.7.0-24'],
      ['host', '88.198.7.9', 'host-88.198.7.9'],
      ['AS', 'AS24940 Hetzner Online GmbH', 'asn-24940'],
    ]);
    expect(second?.[2]).toEqual(['host', '2a01:4f8:1:2::/64', 'host6-2a0104f800010002-64']);
    expect(third).toEqual([
      ['10.0.0.1', 'reserved'],
      ['network', '10.0.0.0/24', 'never scored'],
      ['host', '10.0.0.1', 'never scored'],
      ['AS', 'unknown'],
    ]);
    expect(source?.[0]?.[0]).toMatch(/^ASN data of \d{4}-\d\d-\d\d: .*DB-IP/);
  });

  it('gives a program the same as JSON', async () => {
    const { stdout } = await run(['ip', '::ffff:88.198.7.9', '--json'], {});
    expect(JSON.parse(stdout)).toEqual([
      {
        address: '88.198.7.9',
        network: '88.198.7.0/24',
        network_id: 'net-88.198.7.0-24',
        host: '88.198.7.9',
        host_id: 'host-88.198.7.9',
        asn: 24940,
        asn_id: 'asn-24940',
        asn_org: 'Hetzner Online GmbH',
        network_type: 'hosting',
        data_date: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
      },
    ]);
  });

  it('follows the settings', async () => {
    const { stdout } = await run(['ip', '88.198.7.9'], { NETWORK_TYPE_OVERRIDES: 'AS24940=business' });
    expect(stdout).toMatch(/^88\.198\.7\.9 +business\n/);
  });

  it.each([
    [['1.2.3'], {}, '"1.2.3" is no IP address.\n'],
    [['8.8.8.8', 'x\n'], {}, '"x\\n" is no IP address.\n'],
    [['8.8.8.8'], { ASN_DATA_DIR: '/nowhere' }, /^There are no ASN data: /],
    [['8.8.8.8'], { NETWORK_TYPE_OVERRIDES: 'x' }, /NETWORK_TYPE_OVERRIDES/],
  ])('exits with 1 for %j with %j', async (addresses, env, message) => {
    const { code, stdout, stderr } = await run(['ip', ...addresses], env);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(message);
  });
});

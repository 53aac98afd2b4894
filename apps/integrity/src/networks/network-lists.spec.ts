import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { readNetworkLists } from './network-lists.js';
import { readOverrides } from './networks.config.js';
import { formatPrefix } from './prefix.js';

let directory: string;
let warnings: string[];
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'tallyport-lists-'));
  warnings = [];
});
afterEach(() => {
  rmSync(directory, { recursive: true });
});

function read(): { prefixes: [string, string][]; asns: [number, string][] } {
  const { prefixes, asns } = readNetworkLists(directory, (message) => warnings.push(message));
  return { prefixes: prefixes.map(([prefix, type]) => [formatPrefix(prefix), type]), asns: [...asns] };
}

describe('readNetworkLists', () => {
  it('reads CIDRs, addresses and AS numbers of files named after a type', () => {
    const relay = '\uFEFF# egress\r\n203.0.113.0/24 # one\r\n\r\n2001:DB8::/45\r\n  198.51.100.7  ';
    writeFileSync(join(directory, 'relay-example.txt'), relay);
    writeFileSync(join(directory, 'search_engine.txt'), 'AS64500\nas64501 # lower\n');
    writeFileSync(join(directory, 'README.md'), 'not a list');
    mkdirSync(join(directory, 'vpn'));
    expect(read()).toEqual({
      prefixes: [
        ['203.0.113.0/24', 'relay'],
        ['2001:db8::/45', 'relay'],
        ['198.51.100.7/32', 'relay'],
      ],
      asns: [
        [64500, 'search_engine'],
        [64501, 'search_engine'],
      ],
    });
    expect(warnings).toEqual([]);
  });

  it('skips bad lines and unknown files and says which', () => {
    writeFileSync(join(directory, 'hosting.txt'), 'AS0\nAS4294967296\n203.0.113.0/33\nexample.com\n64500\nAS64500');
    writeFileSync(join(directory, 'friends.txt'), '203.0.113.0/24');
    expect(read()).toEqual({ prefixes: [], asns: [[64500, 'hosting']] });
    expect(warnings).toHaveLength(6);
    expect(warnings[0]).toBe('friends.txt is skipped: its name begins with no network type');
    expect(warnings[3]).toBe('hosting.txt line 3 is skipped: "203.0.113.0/33" is no CIDR and no AS number');
  });

  it('takes a missing folder for no lists', () => {
    expect(readNetworkLists(join(directory, 'missing'), (message) => warnings.push(message))).toEqual({
      prefixes: [],
      asns: new Map(),
    });
    expect(warnings).toEqual([]);
  });
});

describe('readOverrides', () => {
  it('reads pairs of network and type', () => {
    const { prefixes, asns } = readOverrides({
      NETWORK_TYPE_OVERRIDES: ' AS64500=business, 2001:db8::/32 = mobile,,203.0.113.9=isp',
    });
    expect([...asns]).toEqual([[64500, 'business']]);
    expect(prefixes.map(([prefix, type]) => [formatPrefix(prefix), type])).toEqual([
      ['2001:db8::/32', 'mobile'],
      ['203.0.113.9/32', 'isp'],
    ]);
  });

  it.each(['AS64500', 'AS64500=', 'AS64500=friends', '=isp', '203.0.113.0/33=isp'])('refuses %j by name', (text) => {
    expect(() => readOverrides({ NETWORK_TYPE_OVERRIDES: text })).toThrow(
      /^Wrong configuration: NETWORK_TYPE_OVERRIDES /,
    );
  });
});

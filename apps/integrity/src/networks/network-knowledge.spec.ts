import { beforeAll, describe, expect, it } from '@jest/globals';
import { compileAsn, readAsnCsvs } from './compile-asn.js';
import { AsnTable } from './asn-table.js';
import { NetworkKnowledge } from './network-knowledge.js';
import type { NetworkList } from './network-lists.js';
import { addToList } from './network-lists.js';
import { NetworksConfig } from './networks.config.js';
import type { NetworkType } from './network-types.js';

function list(...entries: [string, NetworkType][]): NetworkList {
  const all: NetworkList = { prefixes: [], asns: new Map() };
  for (const [text, type] of entries) expect(addToList(all, text, type)).toBe(true);
  return all;
}

/** 11.0.0.0/16 is AS24940, 11.1.0.0/16 a small and 12.0.0.0/8 a large AS that nobody knows. */
function knowledge(given: { overrides?: NetworkList; lists?: NetworkList } = {}): NetworkKnowledge {
  const csv = [
    '184549376,184614911,24940,Hetzner Online GmbH',
    '184614912,184680447,64496,Acme Bank',
    '201326592,218103807,64497,Acme',
  ];
  const columns = compileAsn(readAsnCsvs(Buffer.from(csv.join('\n')), Buffer.alloc(0)));
  const table = new AsnTable({ stamp: '', dataDate: '2026-01-02', columns });
  return new NetworkKnowledge({ table, ispMinAddresses: 1_000_000, ...given });
}

let real: NetworkKnowledge;
beforeAll(() => {
  real = NetworkKnowledge.load(new NetworksConfig());
});

describe('lookup', () => {
  it('tells address, network, host, AS, organisation and type', () => {
    expect(real.lookup('::ffff:88.198.7.9')).toEqual({
      address: '88.198.7.9',
      net: '88.198.7.0/24',
      host: '88.198.7.9',
      asn: 24940,
      asnOrg: 'Hetzner Online GmbH',
      type: 'hosting',
      reserved: false,
    });
    expect(real.lookup('2A01:4F8:1:2:3::4')).toEqual({
      address: '2a01:4f8:1:2:3::4',
      net: '2a01:4f8:1::/48',
      host: '2a01:4f8:1:2::/64',
      asn: 24940,
      asnOrg: 'Hetzner Online GmbH',
      type: 'hosting',
      reserved: false,
    });
    expect(real.dataDate).toMatch(/^\d{4}-\d\d-\d\d$/);
  });

  it('knows nothing of the AS of reserved addresses', () => {
    for (const text of ['10.1.2.3', '203.0.113.7', '::1', '2001:db8::1', '100.64.0.1', '::ffff:192.168.0.1']) {
      expect(real.lookup(text)).toMatchObject({ asn: null, asnOrg: null, type: 'reserved', reserved: true });
    }
  });

  it('takes an address without AS for unknown, and other text for no address', () => {
    expect(knowledge().lookup('9.9.9.9')).toMatchObject({ asn: null, asnOrg: null, type: 'unknown', reserved: false });
    for (const text of ['', 'x', '1.2.3', '1.2.3.4/24', '256.1.1.1']) expect(knowledge().lookup(text)).toBeUndefined();
  });
});

describe('the order of sources', () => {
  const type = (known: NetworkKnowledge, text: string): NetworkType | undefined => known.lookup(text)?.type;

  it('falls from table to names to size', () => {
    const known = knowledge();
    expect(['11.0.0.1', '11.1.0.1', '12.0.0.1'].map((text) => type(known, text))).toEqual([
      'hosting',
      'business',
      'isp',
    ]);
    expect([24940, 64496, 64497, 1].map((asn) => known.typeOfAsn(asn))).toEqual([
      'hosting',
      'business',
      'isp',
      'unknown',
    ]);
    expect([known.organisationOf(64496), known.organisationOf(1)]).toEqual(['Acme Bank', null]);
  });

  it('lets prefixes of lists win over the table, and AS numbers of lists only over names', () => {
    const known = knowledge({
      lists: list(
        ['11.0.1.0/24', 'vpn'],
        ['11.0.0.0/16', 'search_engine'],
        ['11.0.1.0/28', 'isp'],
        ['AS24940', 'mobile'],
        ['AS64497', 'mobile'],
      ),
    });
    const texts = ['11.0.1.9', '11.0.2.9', '12.0.0.1'];
    expect(texts.map((text) => type(known, text))).toEqual(['vpn', 'search_engine', 'mobile']);
    expect(known.typeOfAsn(24940)).toBe('hosting');
  });

  it('lets overrides win over all but reserved addresses', () => {
    const known = knowledge({
      lists: list(['11.0.1.0/24', 'vpn'], ['10.0.0.0/8', 'vpn']),
      overrides: list(['11.0.1.0/24', 'business'], ['AS24940', 'education'], ['10.0.0.0/8', 'isp'], ['9.9.9.9', 'isp']),
    });
    const texts = ['11.0.1.9', '11.0.2.9', '10.0.0.1', '9.9.9.9'];
    expect(texts.map((text) => type(known, text))).toEqual(['business', 'education', 'reserved', 'isp']);
    expect(known.typeOfAsn(24940)).toBe('education');
  });

  it('never scores what an operator calls reserved', () => {
    expect(knowledge({ overrides: list(['AS64496', 'reserved']) }).lookup('11.1.0.1')).toMatchObject({
      asn: 64496,
      type: 'reserved',
      reserved: true,
    });
  });
});

describe('typeForSession', () => {
  it.each([
    ['Safari', 'iOS', 13335, 'relay'],
    ['Mobile Safari', 'iOS', 36183, 'relay'],
    ['safari', 'Mac OS X', 54113, 'relay'],
    ['Safari', 'macOS', 13335, 'relay'],
    ['Safari', 'Windows', 13335, 'cdn'],
    ['Chrome', 'iOS', 13335, 'cdn'],
    ['Chrome', 'macOS', 13335, 'cdn'],
    ['', '', 13335, 'cdn'],
    ['Safari', 'iOS', 20940, 'relay'],
    ['Safari', 'iOS', 60626, 'cdn'],
    ['Safari', 'iOS', null, 'cdn'],
  ] as const)('%s on %s at AS%s is %s', (browser, os, asn, type) => {
    expect(real.typeForSession('cdn', asn, browser, os)).toBe(type);
  });

  it('leaves what an operator states as it is', () => {
    expect(real.typeForSession('business', 13335, 'Safari', 'iOS')).toBe('business');
  });
});

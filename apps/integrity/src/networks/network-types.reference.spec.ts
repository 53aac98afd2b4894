import { beforeAll, describe, expect, it } from '@jest/globals';
import { integrityData } from '../../../../test/support/integrity-data.js';
import type { AsnTable } from './asn-table.js';
import { loadAsnTable } from './load-asn-table.js';
import { NetworkKnowledge } from './network-knowledge.js';
import type { NetworkType } from './network-types.js';
import { NetworksConfig } from './networks.config.js';

/** Machines, or people behind machines: what a list of hosting or VPN networks may hold. */
const NOT_PEOPLE: ReadonlySet<NetworkType> = new Set(['hosting', 'cdn', 'relay', 'vpn', 'tor']);

/** The providers with the most people behind them, country by country. */
const EYEBALLS = [
  // China, India, Indonesia, Japan, Korea, Taiwan
  [4134, 4837, 9808, 4812, 4808, 56046, 55836, 45609, 24560, 38266, 55410, 9829, 17488, 7713, 23693, 4761, 24203],
  [4713, 17676, 2516, 9605, 2527, 17511, 9824, 4766, 9318, 3786, 17858, 9644, 3462, 9674],
  // Vietnam, Thailand, Philippines, Malaysia, Pakistan, Bangladesh
  [45899, 7552, 18403, 45758, 17552, 131445, 9299, 132199, 4788, 17557, 45669, 24499, 24389],
  // United States, Canada, Mexico
  [7922, 7018, 701, 20115, 20001, 10796, 11427, 33363, 22773, 21928, 6167, 22394, 20057, 209, 5650, 6128, 7029],
  [577, 812, 6327, 852, 8151, 28403, 13999],
  // Brazil, Argentina, Colombia, Chile, Peru, Venezuela
  [28573, 27699, 26599, 26615, 22085, 18881, 7738, 7303, 22927, 10620, 3816, 27651, 7418, 6147, 12252, 8048],
  // Germany, United Kingdom, France, Italy, Spain, Poland, Netherlands, Sweden, Ukraine, Russia, Turkey
  [3320, 3209, 6805, 8881, 2856, 5089, 5607, 13285, 25135, 3215, 12322, 15557, 5410, 51207, 3269, 30722, 1267, 12874],
  [3352, 12479, 12430, 5617, 12912, 1136, 33915, 3301, 15895, 6849, 12389, 8402, 8359, 31133, 9121, 16135, 34984],
  // Iran, Saudi Arabia, Emirates, Egypt, Morocco, Nigeria, Kenya, South Africa, Australia
  [
    58224, 197207, 44244, 25019, 35819, 5384, 8452, 36992, 24835, 36903, 29465, 33771, 37457, 29975, 16637, 1221, 7545,
    4804,
  ],
].flat();

let table: AsnTable;
let knowledge: NetworkKnowledge;
beforeAll(() => {
  ({ table } = loadAsnTable());
  knowledge = NetworkKnowledge.load(new NetworksConfig());
});

/** AS numbers at the beginning of lines. */
function asnsOf(text: string): number[] {
  return [...new Set([...text.matchAll(/^\s*"?(?:AS)?(\d+)/gim)].map(([, asn]) => Number(asn)))];
}

/** How much of a list is typed right, of those that announce anything at all. Printed, as the goals are about it. */
function share(name: string, asns: readonly number[]): { ofAsns: number; ofAddresses: number } {
  const known = asns.filter((asn) => table.placeOfAsn(asn) >= 0);
  const addresses = (asn: number): number => table.addressesAt(table.placeOfAsn(asn));
  const right = known.filter((asn) => NOT_PEOPLE.has(knowledge.typeOfAsn(asn)));
  const sum = (list: readonly number[]): number => list.reduce((total, asn) => total + addresses(asn), 0);
  const [ofAsns, ofAddresses] = [right.length / known.length, sum(right) / sum(known)];
  process.stdout.write(
    `${name}: ${known.length} ASNs, ${(ofAsns * 100).toFixed(1)}% typed as hosting, ${(ofAddresses * 100).toFixed(2)}% by addresses\n`,
  );
  return { ofAsns, ofAddresses };
}

const FILES = ['x4bnet-datacenter-ASN.txt', 'brianhama-bad-asn-list.csv', 'bountyyfi-asn-all.txt'];

describe('network types against public lists', () => {
  it('finds three quarters of the listed hosters, and 97% of the addresses that two lists agree on', () => {
    const lists = FILES.map((file) => [file, integrityData(file)] as const).filter(([, text]) => text !== undefined);
    if (lists.length < FILES.length) return;
    const votes = new Map<number, number>();
    for (const [file, text = ''] of lists) {
      const asns = asnsOf(text);
      expect(asns.length).toBeGreaterThan(500);
      expect(share(file, asns).ofAsns).toBeGreaterThan(0.75);
      for (const asn of asns) votes.set(asn, (votes.get(asn) ?? 0) + 1);
    }
    const listedBy = (count: number): number[] => [...votes].filter(([, all]) => all >= count).map(([asn]) => asn);
    expect(share('in any list', listedBy(1)).ofAsns).toBeGreaterThan(0.74);
    // Single lists hold carriers of households and companies as well.
    for (const count of [2, 3]) {
      const { ofAsns, ofAddresses } = share(`in ${count} lists`, listedBy(count));
      expect(ofAsns).toBeGreaterThan(0.75);
      expect(ofAddresses).toBeGreaterThan(0.97);
    }
  });

  it('takes most listed VPN networks for machines', () => {
    const text = integrityData('x4bnet-vpn-ASN.txt');
    if (text === undefined) return;
    const { ofAsns, ofAddresses } = share('x4bnet-vpn-ASN.txt', asnsOf(text));
    expect(ofAsns).toBeGreaterThan(0.75);
    expect(ofAddresses).toBeGreaterThan(0.97);
  });

  it('takes the ways out of Private Relay for cdn, and for relay when Safari on an Apple system comes from there', () => {
    const text = integrityData('x4bnet-apple-private-relay.txt');
    if (text === undefined) return;
    const prefixes = text.split('\n').flatMap((line) => line.trim().match(/^[\da-f:.]+(?=\/)/i)?.[0] ?? []);
    expect(prefixes.length).toBeGreaterThan(3_000);
    const counts = new Map<NetworkType | undefined, number>();
    let relays = 0;
    for (const prefix of prefixes) {
      const network = knowledge.lookup(prefix);
      counts.set(network?.type, (counts.get(network?.type) ?? 0) + 1);
      if (network && knowledge.typeForSession(network.type, network.asn, 'Safari', 'iOS') === 'relay') relays++;
    }
    process.stdout.write(
      `Private Relay: ${prefixes.length} prefixes, ${[...counts].map(([type, count]) => `${type} ${count}`).join(', ')}, relay with Safari ${relays}\n`,
    );
    expect(relays / prefixes.length).toBeGreaterThan(0.99);
  });

  it('calls none of the hundred largest providers of people hosting', () => {
    expect(new Set(EYEBALLS).size).toBeGreaterThanOrEqual(100);
    expect(EYEBALLS.filter((asn) => table.placeOfAsn(asn) < 0)).toEqual([]);
    expect(EYEBALLS.filter((asn) => !['isp', 'mobile'].includes(knowledge.typeOfAsn(asn)))).toEqual([]);
  });
});

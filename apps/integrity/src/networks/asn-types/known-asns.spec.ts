import { beforeAll, describe, expect, it } from '@jest/globals';
import type { AsnTable } from '../asn-table.js';
import { loadAsnTable } from '../load-asn-table.js';
import { KNOWN_ASN_LISTS, KNOWN_ASNS } from './known-asns.js';

/** EE announces nothing under its own number in the data of this day; the number is right all the same. */
const NOT_IN_DATA: ReadonlySet<number> = new Set([12576]);

let table: AsnTable;
beforeAll(() => {
  ({ table } = loadAsnTable());
});

describe('the hand-written table', () => {
  it('has over 350 numbers, each once', () => {
    const asns = KNOWN_ASN_LISTS.flatMap(([, list]) => list.map(([asn]) => asn));
    expect(asns.filter((asn, index) => asns.indexOf(asn) !== index)).toEqual([]);
    expect(KNOWN_ASNS.size).toBeGreaterThan(350);
  });

  it('gives each number a part of its registered name', () => {
    const wrong = KNOWN_ASN_LISTS.flatMap(([, list]) => list).filter(([asn, part]) => {
      const place = table.placeOfAsn(asn);
      const name = place < 0 ? undefined : table.nameAt(place);
      if (name === undefined) return !NOT_IN_DATA.has(asn);
      return part.length < 2 || !name.toLowerCase().includes(part.toLowerCase());
    });
    expect(wrong).toEqual([]);
  });

  it.each([
    ['vpn', [9009, 212238, 60068, 39351, 209103, 11878, 207137, 136787, 209854]],
    ['tor', [60729, 401401, 401720]],
    ['cdn', [13335, 20940, 36183, 54113]],
    ['mobile', [22394, 6167, 20057, 12576, 21928]],
  ] as const)('has %s of the design', (type, asns) => {
    expect(asns.filter((asn) => KNOWN_ASNS.get(asn) !== type)).toEqual([]);
  });

  it('calls the large mobile carriers mobile whatever their names say', () => {
    const carriers = [
      6614, 36522, 28403, 22085, 26615, 25135, 29180, 60339, 206067, 51207, 44034, 12912, 39603, 8374, 16135, 20978,
      15897, 31133, 15895, 34058, 21497, 197207, 44244, 35819, 43766, 39891, 24835, 37069, 36992, 29975, 16637, 29465,
      33771, 36926, 55836, 45609, 38266, 55410, 23693, 4761, 24203, 45727, 10139, 132199, 131445, 9605, 138384, 9644,
      9808, 17421, 9674, 24158, 133612, 9790,
    ];
    expect(carriers.filter((asn) => KNOWN_ASNS.get(asn) !== 'mobile')).toEqual([]);
  });

  it('calls the large clouds and hosters hosting', () => {
    const hosters = [
      16509, 14618, 8075, 15169, 396982, 31898, 36351, 37963, 45102, 45090, 132203, 16276, 24940, 14061, 63949, 20473,
      12876, 51167, 60781, 33070, 8560, 47583, 22612, 26496, 36352, 55990,
    ];
    expect(hosters.filter((asn) => KNOWN_ASNS.get(asn) !== 'hosting')).toEqual([]);
  });
});

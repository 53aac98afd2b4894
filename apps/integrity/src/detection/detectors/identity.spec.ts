import { describe, expect, it } from '@jest/globals';
import {
  NO_BASELINE,
  NOON,
  visits,
  windowOf,
  type SessionPart,
} from '../../../../../test/fixtures/traffic-sessions.js';
import { Baseline } from '../baseline.js';
import { SILENT } from './finding.js';
import { geoConflict } from './geo-conflict.js';
import { idChurn } from './id-churn.js';
import { networkHopping } from './network-hopping.js';
import { uaImpossible } from './ua-impossible.js';

const HOUR = 3_600_000;

describe('id_churn', () => {
  const churn = (n: number, hosts: number, ids = n) =>
    visits(n, (index) => ({ host: `198.18.0.${index % hosts}`, visitor: `id ${index % ids}` }));

  it('is how few ids come back, by visits per address and day', () => {
    expect(idChurn(windowOf(churn(21, 1)), NO_BASELINE).score).toBe(1);
    expect(idChurn(windowOf(churn(21, 3)), NO_BASELINE)).toEqual({
      score: expect.closeTo(0.7, 12),
      observed: '0.0%',
      limit: '12.0%',
      sentence: '21 new visitor ids from 3 addresses, none came back',
    });
    expect(idChurn(windowOf(churn(21, 3, 20)), NO_BASELINE)).toMatchObject({
      score: expect.closeTo(0.422222, 6),
      sentence: '20 new visitor ids from 3 addresses, 4.8% of visits came back',
    });
  });

  it('says nothing under 15 visits, with 12% coming back, or of few visits per address', () => {
    expect(idChurn(windowOf(churn(14, 1)), NO_BASELINE)).toEqual(SILENT);
    expect(idChurn(windowOf(churn(25, 1, 22)), NO_BASELINE)).toEqual(SILENT);
    expect(idChurn(windowOf(churn(21, 10)), NO_BASELINE)).toEqual(SILENT);
  });
});

describe('ua_impossible', () => {
  const pairs = (count: number, browser: string, os: string, part: SessionPart = {}) =>
    windowOf(visits(10, (index) => (index < count ? { browser, os, ...part } : {})));

  it.each([
    ['Safari', 'Windows', true],
    ['Safari', 'Android', true],
    ['Safari', 'Linux', true],
    ['Safari', 'iOS', false],
    ['Safari', '', false],
    ['Internet Explorer', 'macOS', true],
    ['Internet Explorer', 'Windows', false],
    ['Internet Explorer', 'Windows Phone', false],
    ['Samsung Internet', 'iOS', true],
    ['Samsung Internet', 'Android', false],
    ['Chrome', 'Linux', false],
    ['', 'Linux', true],
    ['', '', true],
  ])('finds %p on %p impossible: %p', (browser, os, impossible) => {
    expect(uaImpossible(pairs(4, browser, os), NO_BASELINE)).toEqual(
      impossible
        ? {
            score: expect.closeTo(0.261102, 6),
            observed: '40.0%',
            limit: '0.0%',
            sentence: '40% impossible browser/OS pairs',
          }
        : SILENT,
    );
  });

  it('counts one visitor without any name once', () => {
    expect(uaImpossible(pairs(8, '', '', { visitor: 'shy' }), NO_BASELINE).observed).toBe('10.0%');
  });

  it('knows collectors that send no browser', () => {
    const nameless = (count: number) => new Baseline(visits(100, (index) => (index < count ? { browser: '' } : {})));
    expect(uaImpossible(pairs(10, '', 'Linux'), nameless(5)).score).toBeGreaterThan(0.9);
    expect(uaImpossible(pairs(10, '', 'Linux'), nameless(6))).toEqual(SILENT);
    expect(uaImpossible(pairs(10, 'Safari', 'Linux'), nameless(100)).score).toBeGreaterThan(0.9);
  });
});

describe('geo_conflict', () => {
  const places = (countries: string[], hoursApart: number, part: SessionPart = {}) =>
    visits(countries.length, (index) => ({
      country: countries[index]!,
      startedAt: NOON + index * hoursApart * HOUR,
      ...part,
    }));

  it.each([
    [['DE', 'DE', 'DE'], 1, 0],
    [['DE', 'BR'], 1, 0.5],
    [['DE', '', 'BR', 'US'], 1, 1],
    [['DE', 'BR', 'US'], 12, 0.5],
    [['DE', 'BR'], 24, 0],
  ])('of a network with visitors from %p, %p h apart, is %p', (countries, hours, score) => {
    expect(geoConflict(windowOf(places(countries, hours)), NO_BASELINE).score).toBe(score);
  });

  it('leaves out addresses that serve many countries', () => {
    for (const networkType of ['mobile', 'relay', 'vpn', 'cdn'] as const)
      expect(geoConflict(windowOf(places(['DE', 'BR', 'US'], 1, { networkType })), NO_BASELINE)).toEqual(SILENT);
    expect(geoConflict(windowOf(places(['DE', 'BR', 'US'], 1), 'asn'), NO_BASELINE)).toEqual(SILENT);
  });

  it('of a visitor is the share of jumps within two hours', () => {
    const [first, second, third, fourth] = places(['BR', 'DE', 'DE', 'BR'], 0);
    const walk = [
      { ...first!, endedAt: NOON + HOUR },
      { ...second!, startedAt: NOON + HOUR + 14 * 60_000, endedAt: NOON + 2 * HOUR },
      { ...third!, startedAt: NOON + 3 * HOUR, endedAt: NOON + 3 * HOUR },
      { ...fourth!, startedAt: NOON + 5 * HOUR },
    ];
    expect(geoConflict(windowOf(walk, 'visitor'), NO_BASELINE)).toEqual({
      score: expect.closeTo(1 / 3, 12),
      observed: '33.3%',
      limit: '0.0%',
      sentence: 'visitor in BR and DE within 14 min',
    });
    const relayed = walk.map((one, index) => (index === 1 ? { ...one, networkType: 'relay' as const } : one));
    expect(geoConflict(windowOf(relayed, 'visitor'), NO_BASELINE)).toEqual(SILENT);
  });
});

describe('network_hopping', () => {
  const hops = (count: number, part: SessionPart = {}) =>
    visits(count, (index) => ({ net: `198.18.${index}.0/24`, day: 5, ...part }));

  it.each([
    [4, 0],
    [5, 0.125],
    [8, 0.5],
    [12, 1],
    [19, 1],
  ])('of a visitor on %p networks in a day is %p', (count, score) => {
    expect(networkHopping(windowOf(hops(count), 'visitor'), NO_BASELINE).score).toBe(score);
  });

  it('is for visitors only, by day, without relays and VPNs', () => {
    expect(networkHopping(windowOf(hops(19)), NO_BASELINE)).toEqual(SILENT);
    expect(networkHopping(windowOf(hops(19, { networkType: 'vpn' }), 'visitor'), NO_BASELINE)).toEqual(SILENT);
    const twoDays = hops(8).map((one, index) => ({ ...one, day: index % 2 }));
    expect(networkHopping(windowOf(twoDays, 'visitor'), NO_BASELINE)).toEqual(SILENT);
    expect(networkHopping(windowOf(hops(19), 'visitor'), NO_BASELINE).sentence).toBe(
      'one visitor id on 19 networks in a day',
    );
  });
});

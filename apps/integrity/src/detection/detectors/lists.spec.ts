import { describe, expect, it } from '@jest/globals';
import { NO_BASELINE, session, visits, windowOf } from '../../../../../test/fixtures/traffic-sessions.js';
import type { NetworkType } from '../../networks/network-types.js';
import { declaredBot } from './declared-bot.js';
import { SILENT } from './finding.js';
import { hostingNetwork } from './hosting-network.js';

describe('declared_bot', () => {
  it('is the Wilson bound of the share of bots and programs, by the most frequent name', () => {
    const sessions = visits(10, (index) =>
      index < 2
        ? {}
        : index < 9
          ? { uaClass: 'bot', browser: 'Googlebot' }
          : { uaClass: 'automation', browser: 'curl' },
    );
    const { score, ...reason } = declaredBot(windowOf(sessions), NO_BASELINE);
    expect(score).toBeCloseTo(0.649078, 6);
    expect(reason).toEqual({ observed: '80.0%', limit: '0.0%', sentence: '8 of 10 sessions declare Googlebot' });
  });

  it('says nothing of browsers', () => {
    expect(declaredBot(windowOf(visits(10)), NO_BASELINE)).toEqual(SILENT);
  });
});

describe('hosting_network', () => {
  it.each<[NetworkType, number]>([
    ['hosting', 1],
    ['tor', 0.9],
    ['vpn', 0.6],
    ['relay', 0.2],
    ['cdn', 0.2],
    ['isp', 0],
    ['mobile', 0],
    ['business', 0],
    ['unknown', 0],
  ])('of a network of type %p is %p', (networkType, score) => {
    expect(hostingNetwork(windowOf([session({ networkType })]), NO_BASELINE).score).toBe(score);
  });

  it('names the AS, and takes the type of most sessions', () => {
    const sessions = visits(3, (index) => ({ networkType: index === 0 ? 'isp' : 'hosting' }));
    expect(hostingNetwork(windowOf(sessions), NO_BASELINE)).toEqual({
      score: 1,
      observed: 'hosting',
      limit: '',
      sentence: 'AS64500 is a hosting network',
    });
    const visitor = hostingNetwork(windowOf(sessions, 'visitor'), NO_BASELINE);
    expect(visitor.sentence).toBe('most visits come from a hosting network');
  });
});

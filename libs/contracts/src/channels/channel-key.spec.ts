import { describe, expect, it } from '@jest/globals';
import { channelKey } from './channel-key.js';

describe('channelKey', () => {
  it.each([
    ['Google Ads', 'google-ads'],
    ['google', 'google-ads'],
    ['Méta', 'meta-ads'],
    ['Carrier  pigeon!', 'carrier-pigeon'],
    ['', ''],
    [' \t', ''],
    [' §§ ', '§§'],
    ['!!', '!!'],
    ['🦊', '🦊'],
    ['広告', '広告'],
  ])('of %p is %p', (name, key) => {
    expect(channelKey(name)).toBe(key);
  });
});

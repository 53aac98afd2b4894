import { describe, expect, it } from '@jest/globals';
import { channelKey } from './channel-key.js';

describe('channelKey', () => {
  it.each([
    ['Google Ads', 'google_ads'],
    ['google', 'google_ads'],
    ['Méta', 'meta_ads'],
    ['Carrier  pigeon!', 'carrier_pigeon'],
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

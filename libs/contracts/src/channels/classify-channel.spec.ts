import { describe, expect, it } from '@jest/globals';
import { channelMapping, classifyChannel, normalizeChannel } from './classify-channel.js';
import { PLATFORMS } from './platforms.js';

const NO_MAPPING = channelMapping([]);

describe('classifyChannel', () => {
  it('knows at least 60 names, each of them once', () => {
    const names = Object.values(PLATFORMS).flat(2);
    expect(names.length).toBeGreaterThanOrEqual(60);
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(normalizeChannel(name)).toBe(name);
  });

  it.each([
    ['Google Ads', 'google-ads', 'search', true],
    ['ADWORDS', 'google-ads', 'search', true],
    ['google_ads', 'google-ads', 'search', true],
    ['  Méta  Ads ', 'meta-ads', 'social', true],
    ['Facebook Ads – Retargeting DE', 'facebook-ads-retargeting-de', 'social', true],
    ['x', 'twitter', 'social', true],
    ['Brand x', 'brand-x', 'other', false],
    ['Linear TV', 'tv', 'tv', true],
    ['Local TV spots', 'local-tv-spots', 'tv', true],
    ['Impact', 'impact', 'affiliate', true],
    ['High impact mailing', 'high-impact-mailing', 'other', false],
    ['Googleplex', 'googleplex', 'other', false],
    ['Carrier pigeon', 'carrier-pigeon', 'other', false],
    ['', '', 'other', false],
  ])('%p is %p of family %p, known: %p', (name, slug, family, known) => {
    expect(classifyChannel(name, NO_MAPPING)).toEqual({ slug, family, known });
  });

  it('takes the longest name inside another', () => {
    expect(classifyChannel('Google Shopping 2026', NO_MAPPING).family).toBe('shopping');
    expect(classifyChannel('Google 2026', NO_MAPPING).family).toBe('search');
  });

  it('asks the mapping of the asset first', () => {
    const mapping = channelMapping([
      { name: 'Carrier Pigeon', family: 'direct_mail' },
      { name: 'Google', family: 'video' },
    ]);
    expect(classifyChannel('carrier-pigeon', mapping)).toEqual({
      slug: 'carrier-pigeon',
      family: 'direct_mail',
      known: true,
    });
    expect(classifyChannel('google', mapping)).toEqual({ slug: 'google-ads', family: 'video', known: true });
  });
});

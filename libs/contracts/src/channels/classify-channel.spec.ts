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
    ['Google Ads', 'google_ads', 'search', true],
    ['ADWORDS', 'google_ads', 'search', true],
    ['google_ads', 'google_ads', 'search', true],
    ['  Méta  Ads ', 'meta_ads', 'social', true],
    ['Facebook Ads – Retargeting DE', 'facebook_ads_retargeting_de', 'social', true],
    ['x', 'twitter', 'social', true],
    ['Brand x', 'brand_x', 'other', false],
    ['Linear TV', 'tv', 'tv', true],
    ['Local TV spots', 'local_tv_spots', 'tv', true],
    ['Impact', 'impact', 'affiliate', true],
    ['High impact mailing', 'high_impact_mailing', 'other', false],
    ['Googleplex', 'googleplex', 'other', false],
    ['Carrier pigeon', 'carrier_pigeon', 'other', false],
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
      slug: 'carrier_pigeon',
      family: 'direct_mail',
      known: true,
    });
    expect(classifyChannel('google', mapping)).toEqual({ slug: 'google_ads', family: 'video', known: true });
  });
});

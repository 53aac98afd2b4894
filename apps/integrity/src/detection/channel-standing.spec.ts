import { describe, expect, it } from '@jest/globals';
import { channelMapping } from '#contracts/channels/classify-channel.js';
import { channelStanding, trafficChannel } from './channel-standing.js';

const NONE = channelMapping([]);

describe('a channel', () => {
  it.each([
    ['google_ads', false, false, 'paid'],
    ['google_ads', true, true, 'unpaid'],
    ['tv', false, false, 'paid'],
    ['mailchimp', false, false, 'unpaid'],
    ['mailchimp', false, true, 'paid'],
    ['sms', false, false, 'unpaid'],
    ['push', false, false, 'unpaid'],
    ['carrier pigeon', false, false, 'unmatched'],
    ['carrier pigeon', false, true, 'paid'],
  ])('%p, unpaid: %p, with cost: %p is %p', (channel, unpaid, hasCost, standing) => {
    expect(channelStanding(channel, unpaid, NONE, hasCost)).toBe(standing);
  });

  it('is asked of the mapping of the asset', () => {
    const mapping = channelMapping([
      { name: 'Carrier Pigeon', family: 'direct_mail' },
      { name: 'Blog', family: 'other' },
    ]);
    expect(channelStanding('carrier_pigeon', false, mapping, false)).toBe('paid');
    expect(channelStanding('blog', false, mapping, false)).toBe('unmatched');
  });

  it('is its slug when known, else the name as given, cut to 256 characters', () => {
    expect(trafficChannel('Google Ads')).toBe('google_ads');
    expect(trafficChannel('Carrier  pigeon!')).toBe('Carrier  pigeon!');
    expect(trafficChannel('Carrier  pigeon!', channelMapping([{ name: 'carrier pigeon', family: 'display' }]))).toBe(
      'carrier_pigeon',
    );
    expect(trafficChannel('')).toBe('');
    expect(trafficChannel('x'.repeat(300))).toHaveLength(256);
    expect(trafficChannel(`${'x'.repeat(255)}🦊`)).toBe('x'.repeat(255));
  });
});

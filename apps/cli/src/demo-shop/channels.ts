/** What stands in the last-touch (or first-touch) fields of an event. */
export interface Touch {
  channel: string;
  type: string;
  source: string;
  medium: string;
  campaign?: string;
}

interface Campaign {
  name: string;
  /** Of the channel's spend and of the visitors who click. */
  share: number;
}

export interface PaidChannel {
  channel: string;
  type: string;
  source: string;
  medium: string;
  campaigns: readonly Campaign[];
  /** Spend of a usual day, in the shop's currency. */
  dailySpend: number;
  /** How far the weeks' spend moves around that: a wave of so many weeks, its height, and chance on top. */
  wave: { weeks: number; height: number; chance: number };
  /** Every so many weeks there is no spend at all. */
  pauseEvery?: number;
  /** New people a day when the usual spend goes on for ever. */
  visitors: number;
  /** Part of the effect that is left on the next day. */
  carry: number;
  /** Spend at half of the highest effect, in usual days. */
  half: number;
  /** Part of these people who do not click but come by themselves: last and first touch know nothing of the ad. */
  halo: number;
  /** Factor on the chance to buy. */
  intent: number;
  /** Revenue by the platform's own count, per unit of spend. */
  claimedRoas: number;
}

export interface UnpaidChannel {
  channel: string;
  type: string;
  medium: string;
  sources: readonly { name: string; share: number }[];
  /** New people a day, without any advertising. */
  visitors: number;
  intent: number;
}

/**
 * The truth of this shop, which a mix model may look for: what each channel brings is written here and nowhere else.
 * Names of channels, sources and first campaigns are those of the cost example.
 */
export const PAID_CHANNELS: readonly PaidChannel[] = [
  {
    channel: 'Google Ads',
    type: 'paid_search',
    source: 'google',
    medium: 'cpc',
    campaigns: [
      { name: 'Brand', share: 0.3 },
      { name: 'Generic, houseplants', share: 0.5 },
      { name: 'Pots & planters', share: 0.2 },
    ],
    dailySpend: 172,
    wave: { weeks: 7, height: 0.32, chance: 0.22 },
    visitors: 54,
    carry: 0.15,
    half: 2.5,
    halo: 0.08,
    intent: 1.35,
    claimedRoas: 3.6,
  },
  {
    channel: 'Meta Ads',
    type: 'paid_social',
    source: 'facebook',
    medium: 'paid_social',
    campaigns: [
      { name: 'Prospecting', share: 0.6 },
      { name: 'Retargeting', share: 0.22 },
      { name: '-20 % on pots', share: 0.18 },
    ],
    dailySpend: 129,
    wave: { weeks: 5, height: 0.36, chance: 0.26 },
    visitors: 44,
    carry: 0.6,
    half: 1.6,
    halo: 0.25,
    intent: 0.85,
    claimedRoas: 2.4,
  },
  {
    channel: 'TikTok',
    type: 'paid_social',
    source: 'tiktok',
    medium: 'paid_video',
    campaigns: [
      { name: 'Video', share: 0.7 },
      { name: 'Creator "Plant Hour"', share: 0.3 },
    ],
    dailySpend: 64,
    wave: { weeks: 9, height: 0.3, chance: 0.25 },
    pauseEvery: 4,
    visitors: 26,
    carry: 0.85,
    half: 1.2,
    halo: 0.45,
    intent: 0.6,
    claimedRoas: 1.7,
  },
];

export const UNPAID_CHANNELS: readonly UnpaidChannel[] = [
  {
    channel: 'Organic Search',
    type: 'organic_search',
    medium: 'organic',
    sources: [
      { name: 'google', share: 0.84 },
      { name: 'bing', share: 0.09 },
      { name: 'duckduckgo', share: 0.05 },
      { name: 'ecosia', share: 0.02 },
    ],
    visitors: 36,
    intent: 1.05,
  },
  {
    channel: 'Direct',
    type: 'direct',
    medium: '(none)',
    sources: [{ name: '(direct)', share: 1 }],
    visitors: 17,
    intent: 1.2,
  },
  {
    channel: 'Referral',
    type: 'referral',
    medium: 'referral',
    sources: [
      { name: 'green-thumb-blog.example', share: 0.6 },
      { name: 'forum.plantlovers.example', share: 0.3 },
      { name: "o'malley-gardens.example", share: 0.1 },
    ],
    visitors: 10,
    intent: 0.9,
  },
  {
    channel: 'Organic Social',
    type: 'organic_social',
    medium: 'social',
    sources: [
      { name: 'instagram', share: 0.7 },
      { name: 'pinterest', share: 0.3 },
    ],
    visitors: 9,
    intent: 0.6,
  },
  {
    channel: 'Email',
    type: 'email',
    medium: 'email',
    sources: [{ name: 'newsletter', share: 1 }],
    visitors: 3,
    intent: 1.5,
  },
];

/** @throws RangeError when no paid channel has this name */
export function paidChannel(name: string): PaidChannel {
  const found = PAID_CHANNELS.find(({ channel }) => channel === name);
  if (found === undefined) throw new RangeError(`${name} is no paid channel`);
  return found;
}

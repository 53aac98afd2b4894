import { dayText } from '#contracts/calendar-day.js';
import { weekday } from './calendar.js';
import { paidChannel, UNPAID_CHANNELS, type PaidChannel, type Touch, type UnpaidChannel } from './channels.js';
import { spendOf } from './demand.js';
import type { Random } from './random.js';

const RETARGETING = 'Retargeting';
const BRAND = 'Brand';
/** Tags of an old template: the same channel, spelled as somebody once typed it. */
const OLD_SPELLINGS: Readonly<Record<string, string>> = { 'Google Ads': 'google_ads', 'Meta Ads': 'META ADS' };
const OLD_SPELLING_SHARE = 0.03;
/** Days on which the newsletter goes out: Tuesday and Friday. */
const NEWSLETTER_DAYS = [1, 4];

/** Of somebody whom an ad brings: a click on it, or by himself (the halo), which no tag shows. */
export function touchByAd(random: Random, channel: PaidChannel, day: number): Touch {
  if (random.chance(channel.halo)) return touchByName(random, random.chance(0.6) ? 'Organic Search' : 'Direct', day);
  const { name } = random.weighted(channel.campaigns, (one) => (one.name === RETARGETING ? 0 : one.share));
  return clickOn(random, channel, name);
}

/** Of somebody who comes without an ad. */
export function unpaidTouch(random: Random, channel: UnpaidChannel, day: number): Touch {
  const { name: source } = random.weighted(channel.sources, ({ share }) => share);
  return {
    channel: channel.channel,
    type: channel.type,
    source,
    medium: channel.medium,
    ...(channel.type === 'email' ? { campaign: newsletterOf(day) } : {}),
  };
}

/** Of somebody who was here before: rarely by an ad, and then by one for people who know the shop. */
export function returningTouch(random: Random, seed: number, subscriber: boolean, day: number): Touch {
  const turn = random.unit();
  if (turn < 0.1) return byOwnAd(random, seed, 'Google Ads', BRAND, day);
  if (turn < 0.18) return byOwnAd(random, seed, 'Meta Ads', RETARGETING, day);
  const email = NEWSLETTER_DAYS.includes(weekday(day)) ? 0.3 : 0.06;
  if (subscriber && turn < 0.18 + email) return touchByName(random, 'Email', day);
  if (turn < 0.6) return touchByName(random, 'Direct', day);
  return touchByName(random, turn < 0.94 ? 'Organic Search' : 'Referral', day);
}

/** On a day without spend there is no ad to click on. */
function byOwnAd(random: Random, seed: number, name: string, campaign: string, day: number): Touch {
  const channel = paidChannel(name);
  if (spendOf(seed, channel, day) === 0) return touchByName(random, 'Direct', day);
  return clickOn(random, channel, campaign);
}

/** A click on an ad of a campaign. */
export function clickOn(random: Random, { channel, type, source, medium }: PaidChannel, campaign: string): Touch {
  const spelled = random.chance(OLD_SPELLING_SHARE) ? (OLD_SPELLINGS[channel] ?? channel) : channel;
  return { channel: spelled, type, source, medium, campaign };
}

function touchByName(random: Random, name: string, day: number): Touch {
  const channel = UNPAID_CHANNELS.find((one) => one.channel === name);
  if (channel === undefined) throw new RangeError(`${name} is no unpaid channel`);
  return unpaidTouch(random, channel, day);
}

function newsletterOf(day: number): string {
  const sentAgo = [0, 1, 2, 3].find((ago) => NEWSLETTER_DAYS.includes(weekday(day - ago))) ?? 0;
  return `newsletter-${dayText(day - sentAgo)}`;
}

import { classifyChannel, type ChannelMapping } from '#contracts/channels/classify-channel.js';
import type { ChannelFamily } from '#contracts/channels/platforms.js';
import type { ChannelStanding } from './traffic.js';

/**
 * Messages to people whom the asset knows already: their clicks are not bought. Every other family is paid for, be it by
 * the click (search, social, display, affiliate, …) or in another way (TV, print, sponsorship, …).
 */
const OWN_MESSAGES: ReadonlySet<ChannelFamily> = new Set(['email', 'sms', 'push']);

const MOST_CHARACTERS = 256;

/**
 * Whether a click on the channel costs money. Unpaid words win; then cost rows or a family that is paid for make it `paid`;
 * email, SMS and push without cost are `unpaid`; of any other name nothing is known: `unmatched`.
 *
 * @param channel a name or its slug
 * @param unpaid what `isUnpaidByWords` (libs/contracts/src/channels) says
 * @param mapping the asset's own names
 * @param hasCost whether cost rows of the channel exist
 */
export function channelStanding(
  channel: string,
  unpaid: boolean,
  mapping: ChannelMapping,
  hasCost: boolean,
): ChannelStanding {
  if (unpaid) return 'unpaid';
  if (hasCost) return 'paid';
  const { family, known } = classifyChannel(channel, mapping);
  if (OWN_MESSAGES.has(family)) return 'unpaid';
  return known && family !== 'other' ? 'paid' : 'unmatched';
}

/** Left over when a character of two code units is cut. */
const HALF_PAIR = /[\ud800-\udbff]$/;

const NO_MAPPING: ChannelMapping = new Map();

/** The channel as sessions, files and the ledger carry it: the slug of a known name, else the name as given, cut to 256 characters. */
export function trafficChannel(name: string, mapping: ChannelMapping = NO_MAPPING): string {
  const { slug, known } = classifyChannel(name, mapping);
  return (known && slug !== '' ? slug : name).slice(0, MOST_CHARACTERS).replace(HALF_PAIR, '');
}

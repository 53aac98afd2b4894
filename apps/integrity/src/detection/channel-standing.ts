import { classifyChannel, normalizeChannel, type ChannelMapping } from '#contracts/channels/classify-channel.js';
import type { ChannelFamily } from '#contracts/channels/platforms.js';
import type { ChannelStanding } from './traffic.js';

const UNPAID_WORDS = /(?:^| )(?:organic|direct|referral|internal|e ?mail|newsletter|none)(?: |$)/;

/** Names of paid channels that hold such a word by chance. */
const PAID_NAMES = /(?:^| )(?:yandex direct|direct mail)(?: |$)/g;

/**
 * Messages to people whom the asset knows already: their clicks are not bought. Every other family is paid for, be it by
 * the click (search, social, display, affiliate, …) or in another way (TV, print, sponsorship, …).
 */
const OWN_MESSAGES: ReadonlySet<ChannelFamily> = new Set(['email', 'sms', 'push']);

const MOST_CHARACTERS = 256;

/**
 * Whether a channel's name or type says that its clicks cost nothing: it holds the word organic, direct, referral, internal,
 * email, newsletter or none. A visit without a channel is unpaid.
 */
export function isUnpaidByWords(name: string, type: string): boolean {
  const normal = normalizeChannel(name);
  if (normal === '' && name.trim() === '') return true;
  return UNPAID_WORDS.test(normal.replaceAll(PAID_NAMES, ' ')) || UNPAID_WORDS.test(normalizeChannel(type));
}

/**
 * Whether a click on the channel costs money. Unpaid words win; then cost rows or a family that is paid for make it `paid`;
 * email, SMS and push without cost are `unpaid`; of any other name nothing is known: `unmatched`.
 *
 * @param channel a name or its slug
 * @param unpaid what `isUnpaidByWords` says
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

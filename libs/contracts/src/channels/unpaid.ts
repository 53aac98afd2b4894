import { normalizeChannel } from './classify-channel.js';

/** Channels that nobody pays for. */
const UNPAID_CHANNELS: ReadonlySet<string> = new Set([
  'organic',
  'organic search',
  'organic social',
  'direct',
  'referral',
]);
const UNPAID_CHANNEL_WORDS = ['organic', 'direct', 'referral'];
/** Words of clicks that cost nothing but come from the asset's own messages and pages. */
const OWN_TOUCH = ['internal', 'e ?mail', 'newsletter', 'none'];

const UNPAID_WORDS = anyWord([...UNPAID_CHANNEL_WORDS, ...OWN_TOUCH]);

/** Names of paid channels that hold such a word by chance. */
const PAID_NAMES = /(?:^| )(?:yandex direct|direct mail)(?= |$)/g;

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
 * Whether the last touch of an event is an unpaid channel: its type, or its name when it has no type, is organic, organic
 * search, organic social, direct or referral, however that is written. An event without last touch is attributed to
 * nothing, so that it is not unpaid.
 */
export function isUnpaidTouch(name: string, type: string): boolean {
  return UNPAID_CHANNELS.has(normalizeChannel(type.trim() === '' ? name : type));
}

function anyWord(words: readonly string[]): RegExp {
  return new RegExp(`(?:^| )(?:${words.join('|')})(?: |$)`);
}

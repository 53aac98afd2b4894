import { normalizeChannel } from './classify-channel.js';

/** Words in the name or the type of a channel that nobody pays for: organic search, organic social, direct, referral. */
const UNPAID_TOUCH = ['organic', 'direct', 'referral'];
/** Words of clicks that cost nothing but come from the asset's own messages and pages. */
const OWN_TOUCH = ['internal', 'e ?mail', 'newsletter', 'none'];

const UNPAID_TOUCH_WORDS = anyWord(UNPAID_TOUCH);
const UNPAID_WORDS = anyWord([...UNPAID_TOUCH, ...OWN_TOUCH]);

/** Names of paid channels that hold such a word by chance. */
const PAID_NAMES = /(?:^| )(?:yandex direct|direct mail)(?= |$)/g;
const PAID = anyWord(['paid']);

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
 * Whether the last touch of an event is an unpaid channel: its type, or its name when it has no type, is organic (search,
 * social, …), direct or referral, however that is written. An event without last touch is attributed to nothing, so that
 * it is not unpaid; own messages are channels like others.
 */
export function isUnpaidTouch(name: string, type: string): boolean {
  const normal = normalizeChannel(type.trim() === '' ? name : type).replaceAll(PAID_NAMES, ' ');
  return UNPAID_TOUCH_WORDS.test(normal) && !PAID.test(normal);
}

function anyWord(words: readonly string[]): RegExp {
  return new RegExp(`(?:^| )(?:${words.join('|')})(?: |$)`);
}

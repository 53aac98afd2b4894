import { classifyChannel, type ChannelMapping } from './classify-channel.js';

/** The mapping of an asset decides about families only, never about slugs. */
const NO_MAPPING: ChannelMapping = new Map();

/**
 * The key under which sessions, page views and spend of a channel meet: the slug of `classifyChannel`. A name without
 * letters and digits has no slug and is its own key, so that `§§` and `!!` stay two channels; blank text has the key ''.
 */
export function channelKey(name: string): string {
  return classifyChannel(name, NO_MAPPING).slug || name.trim();
}

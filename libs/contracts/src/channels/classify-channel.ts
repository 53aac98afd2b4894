import { CHANNEL_FAMILIES, ONLY_AS_WHOLE_NAME, PLATFORMS, type ChannelFamily } from './platforms.js';

export interface ChannelClass {
  /** One per platform or mapped name: channels with the same slug are one channel to the models. */
  slug: string;
  family: ChannelFamily;
  /** False: neither mapped nor recognised, family `other`; exactly these are warned as `unknown_channel`. */
  known: boolean;
}

/** An asset's own channel names, normalised, with their family. */
export type ChannelMapping = ReadonlyMap<string, ChannelFamily>;

/** Lower case, accents stripped, every run of other than letters and digits one space. */
export function normalizeChannel(name: string): string {
  return name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

/** A mapping from its stored rows; an unknown family counts as `other`, still known. */
export function channelMapping(rows: Iterable<{ name: string; family: string }>): ChannelMapping {
  return new Map(
    [...rows].map(({ name, family }) => [
      normalizeChannel(name),
      CHANNEL_FAMILIES.find((known) => known === family) ?? 'other',
    ]),
  );
}

interface Entry {
  slug: string;
  family: ChannelFamily;
}

const dictionary = new Map<string, Entry>(
  Object.entries(PLATFORMS).flatMap(([family, platforms]) =>
    platforms.flatMap((names) =>
      names.map((name) => [name, { slug: slugOf(names[0] ?? name), family: family as ChannelFamily }] as const),
    ),
  ),
);

const namesInsideOthers = [...dictionary.keys()]
  .filter((name) => (name === 'tv' || name.length > 2) && !ONLY_AS_WHOLE_NAME.has(name))
  .sort((a, b) => b.length - a.length || (a < b ? -1 : 1));

/**
 * What a channel name stands for: the asset's own mapping first, then a platform of exactly that name, then the longest
 * platform name standing inside it as whole words, else `other` and not known. Only a mapping or a whole match gives the
 * slug of the platform; a name that merely contains one keeps a slug of its own.
 */
export function classifyChannel(name: string, mapping: ChannelMapping): ChannelClass {
  const normal = normalizeChannel(name);
  const whole = dictionary.get(normal);
  const mapped = mapping.get(normal);
  if (mapped !== undefined) return { slug: whole?.slug ?? slugOf(normal), family: mapped, known: true };
  if (whole !== undefined) return { ...whole, known: true };
  const padded = ` ${normal} `;
  const inside = namesInsideOthers.find((known) => padded.includes(` ${known} `));
  const family = inside === undefined ? undefined : dictionary.get(inside)?.family;
  return { slug: slugOf(normal), family: family ?? 'other', known: family !== undefined };
}

function slugOf(normal: string): string {
  return normal.replaceAll(' ', '_');
}

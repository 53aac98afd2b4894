import type { ChannelFamily } from '#contracts/channels/platforms.js';
import { byText } from './amount.js';

/** More channels than these can't be told apart. */
export const MAX_CHANNELS = 30;

/** What of a channel matters for pooling; spend in millionths for each week. */
export interface SpendChannel {
  slug: string;
  name: string;
  family: ChannelFamily;
  spend: bigint[];
  before: bigint[];
}

/**
 * Above 30 channels the smallest become one channel per family, `<family> (pooled)`, so that as many as possible stay on
 * their own and 30 are left. A family with a single small channel has nothing to pool; that channel stays as it is.
 *
 * @param tested slugs of channels with a lift test: a test says nothing of a pool, so these stay longest
 * @returns by slug
 */
export function poolChannels(channels: readonly SpendChannel[], tested: ReadonlySet<string>): SpendChannel[] {
  const bySlug = (a: SpendChannel, b: SpendChannel): number => byText(a.slug, b.slug);
  if (channels.length <= MAX_CHANNELS) return [...channels].sort(bySlug);
  const sized = channels.map((channel) => ({ channel, total: channel.spend.reduce((sum, one) => sum + one, 0n) }));
  sized.sort(
    (a, b) =>
      Number(tested.has(b.channel.slug)) - Number(tested.has(a.channel.slug)) ||
      (a.total === b.total ? bySlug(a.channel, b.channel) : a.total > b.total ? -1 : 1),
  );
  const ranked = sized.map(({ channel }) => channel);
  let kept = MAX_CHANNELS - 1;
  while (kept > 0 && kept + new Set(ranked.slice(kept).map(({ family }) => family)).size > MAX_CHANNELS) kept--;
  const pools = new Map<ChannelFamily, SpendChannel[]>();
  for (const channel of ranked.slice(kept)) {
    const pool = pools.get(channel.family);
    if (pool === undefined) pools.set(channel.family, [channel]);
    else pool.push(channel);
  }
  const names = new Set(channels.map(({ name }) => name));
  return [...ranked.slice(0, kept), ...[...pools].map(([family, pool]) => poolOf(family, pool, names))].sort(bySlug);
}

function poolOf(family: ChannelFamily, pool: readonly SpendChannel[], taken: ReadonlySet<string>): SpendChannel {
  const [only, ...others] = pool;
  if (only !== undefined && others.length === 0) return only;
  // Somebody may have named a channel just so.
  let name = `${family} (pooled)`;
  while (taken.has(name)) name += ' (pooled)';
  const sum = (rows: bigint[][]): bigint[] =>
    (rows[0] ?? []).map((_, week) => rows.reduce((total, row) => total + (row[week] ?? 0n), 0n));
  return {
    slug: name,
    name,
    family,
    spend: sum(pool.map(({ spend }) => spend)),
    before: sum(pool.map(({ before }) => before)),
  };
}

import { formatCell, type Column } from '#csv/column.js';
import type { MixChannel } from '../modeling/mix-run.js';

type Numeric = 'contribution' | 'contribution_share' | 'roi' | 'roi_lo' | 'roi_hi' | 'mroi' | 'cpa';

function decimal(key: Numeric): Column<MixChannel> {
  return { key, header: key, type: 'decimal', decimals: 4, value: (channel) => channel[key] };
}

const CONTRIBUTION = decimal('contribution');

/** The table of `mmm-<8>.csv`. */
export const MIX_CHANNELS_LAYOUT: readonly Column<MixChannel>[] = [
  { key: 'channel', header: 'channel', type: 'text', value: ({ channel }) => channel },
  { key: 'family', header: 'family', type: 'id', value: ({ family }) => family },
  { key: 'identified', header: 'identified', type: 'boolean', value: ({ identified }) => identified },
  CONTRIBUTION,
  decimal('contribution_share'),
  decimal('roi'),
  decimal('roi_lo'),
  decimal('roi_hi'),
  decimal('mroi'),
  decimal('cpa'),
];

/** Left out for members with the cost data restriction. */
export const MIX_COST_KEYS: readonly string[] = ['roi', 'roi_lo', 'roi_hi', 'mroi', 'cpa'];

/**
 * Channels as they stand in the file: contribution descending, as it is written there, then name in UTF-8 byte order;
 * those without a contribution last.
 */
export function inFileOrder(channels: readonly MixChannel[]): MixChannel[] {
  const keyed = channels.map((channel) => {
    const written = formatCell(CONTRIBUTION, channel.contribution);
    return { channel, written: written === '' ? -Infinity : Number(written), name: Buffer.from(channel.channel) };
  });
  // Equal ones are compared first: the difference of two infinities is none.
  keyed.sort((a, b) => (a.written === b.written ? Buffer.compare(a.name, b.name) : b.written - a.written));
  return keyed.map(({ channel }) => channel);
}

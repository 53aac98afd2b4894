import { keyValues, type KeyValue } from '#csv/write-key-values.js';
import { inFileOrder } from '#contracts/layouts/mix-channels.layout.js';
import { MIX_SUMMARY_LAYOUT, type MixSummary } from '#contracts/layouts/mix-summary.layout.js';
import type { MixChannel, MixRun } from '#contracts/modeling/mix-run.js';

/** What the file of a run is made of. */
export type MixFileContent = MixSummary & Pick<MixRun, 'channels'>;

/** The summary block: keys and values as they stand in the file. */
export function mixSummary(run: MixSummary): KeyValue[] {
  return keyValues(MIX_SUMMARY_LAYOUT, run);
}

/** The rows of the table, for MIX_CHANNELS_LAYOUT. */
export function mixChannelRows({ channels }: MixFileContent): MixChannel[] {
  return inFileOrder(channels);
}

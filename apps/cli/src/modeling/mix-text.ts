import { mixChannelRows, mixSummary } from '#apps/mmm-lift/src/exports/mix-summary.js';
import { MIX_CHANNELS_LAYOUT } from '#contracts/layouts/mix-channels.layout.js';
import type { FileMixRun } from './file-run.js';
import { summaryText } from './summary-text.js';

/** What the file of a run says, and why channels are not identified. */
export function mixText(run: FileMixRun): string {
  const text = summaryText(mixSummary(run), MIX_CHANNELS_LAYOUT, mixChannelRows(run));
  const open = mixChannelRows(run).filter(({ identified }) => !identified);
  if (open.length === 0) return text;
  return [
    text,
    '',
    'Not identified:',
    ...open.map(({ channel, reasons }) => `  ${channel}: ${reasons.join(', ')}`),
  ].join('\n');
}

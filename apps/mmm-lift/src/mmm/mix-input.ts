import type { ChannelFamily } from '#contracts/channels/platforms.js';

/** Of the mathematics: runs of another version are never taken for the same. */
export const MODEL_VERSION = '1';

/**
 * What a model is fitted to, and nothing else decides its numbers. Plain JSON: it is hashed, stored and sent to a worker
 * thread as it is. Arrays over weeks hold one number for each calendar week of the window, oldest first.
 */
export interface MixInput {
  target: string;
  /** Counts, and no money. */
  isCount: boolean;
  /** The Sundays of the window, `YYYY-MM-DD`, without a gap. */
  weeks: string[];
  /** The raw target; null in a week without any event (missing). */
  y: (number | null)[];
  /** Those with spend in the window, by slug; constant ones too (the engine tells them apart and leaves them unfitted). */
  channels: MixInputChannel[];
  controls: { name: string; values: number[] }[];
  /** Lift tests that the model learns from. */
  tests: MixInputTest[];
  /** Money per unit of a count; null: unknown. */
  conversionValue: number | null;
  /** Of a revenue target: revenue per conversion in the window; null: no conversions known. */
  averageOrderValue: number | null;
  currency: string | null;
  /** Of the preparation; the engine adds its own. */
  warnings: string[];
  /** 1..2147483647 */
  seed: number;
}

export interface MixInputChannel {
  slug: string;
  /** As it is shown: the most frequent spelling. */
  name: string;
  family: ChannelFamily;
  spend: number[];
  /** Spend of up to 26 weeks before the window, oldest first; empty when none are known. */
  before: number[];
}

export interface MixInputTest {
  testId: string | null;
  /** Slug of the tested channel. */
  channel: string;
  /** Indexes of the first and last week of the window that the test touches, tail included, cut at the last week. */
  from: number;
  to: number;
  /** Share of the channel's spend that was tested, 0..1, for each week of the window. */
  tested: number[];
  /** Lift per unit of tested spend, in raw units of the target, and its standard error. */
  value: number;
  se: number;
}

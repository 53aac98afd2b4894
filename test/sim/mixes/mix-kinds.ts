/** What may be awkward about a mix. All members have a plain default in `REGULAR`. */
export interface MixKind {
  /** Fewest and most of them. */
  weeks: readonly [number, number];
  channels: readonly [number, number];
  /** Part of the target that media bring. */
  mediaShare: readonly [number, number];
  /** Carry-over per week. */
  carryOver: readonly [number, number];
  /** Weeks until a channel works most. */
  delay: readonly [number, number];
  /** Exponent of the response: over 1 it is S-shaped. */
  steepness: readonly [number, number];
  /** Half of the effect comes at this multiple of mean spend. */
  halfPoint: readonly [number, number];
  /** Probability that a channel brings nothing. */
  zeroEffect: number;
  /** The second channel follows the first, but for this much. */
  collinear: number | null;
  /** By how much hidden demand moves the target, and the spend of the first two channels. */
  demand: { target: number; spend: number } | null;
  outlierWeeks: readonly [number, number];
  /** Of the level, at a week in the middle. */
  levelShift: readonly [number, number] | null;
  /** Of the level from the first to the last week. */
  trend: readonly [number, number];
  /** Of the year. */
  season: readonly [number, number];
  noise: readonly [number, number];
}

const REGULAR: MixKind = {
  weeks: [104, 156],
  channels: [3, 6],
  mediaShare: [0.15, 0.5],
  carryOver: [0, 0.65],
  delay: [0, 0],
  steepness: [1, 1],
  halfPoint: [0.5, 2.5],
  zeroEffect: 0.08,
  collinear: null,
  demand: null,
  outlierWeeks: [0, 0],
  levelShift: null,
  trend: [-0.1, 0.25],
  season: [0.03, 0.12],
  noise: [0.02, 0.05],
};

/** Mixes to tune on and, with other seeds, to judge by. */
export const MIX_KINDS = {
  regular: REGULAR,
  short: { ...REGULAR, weeks: [26, 78], channels: [3, 5] },
  many_channels: { ...REGULAR, weeks: [156, 208], channels: [8, 12], mediaShare: [0.3, 0.6] },
  collinear: { ...REGULAR, collinear: 0.05 },
  delayed: { ...REGULAR, delay: [1, 2], carryOver: [0.2, 0.6] },
  s_shaped: { ...REGULAR, steepness: [1.6, 2.6], halfPoint: [0.6, 1.6] },
  zero_effect: { ...REGULAR, zeroEffect: 0.45 },
  outliers: { ...REGULAR, outlierWeeks: [2, 4] },
  level_shift: { ...REGULAR, levelShift: [0.12, 0.3] },
  strong_trend: { ...REGULAR, trend: [0.4, 1] },
  strong_season: { ...REGULAR, season: [0.2, 0.35] },
  noisy: { ...REGULAR, noise: [0.08, 0.14] },
} as const satisfies Record<string, MixKind>;
export type MixKindName = keyof typeof MIX_KINDS;

/** Not identifiable without tests: judged only by what tests make better. */
export const DEMAND_DRIVEN: MixKind = { ...REGULAR, zeroEffect: 0, demand: { target: 0.15, spend: 0.5 } };

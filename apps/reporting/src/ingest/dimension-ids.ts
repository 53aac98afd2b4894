/**
 * Kinds of dimensions in `dimension`, `rollup_day` and `user_gap`. Cells: channel [slug], source [source, medium],
 * geo [country, region, city], tech [browser, os], campaign [channel, channel type, source, medium, campaign], spelling
 * [slug, channel, channel type]. `all` has neither cells nor a row, and the id 0.
 */
export const KIND = { all: 0, channel: 1, source: 2, geo: 3, tech: 4, campaign: 5, spelling: 6 } as const;

/** Columns of `session_part` by kind. */
export const KIND_COLUMNS = ['0', 'channel', 'source', 'geo', 'tech', 'campaign', 'spelling'] as const;

/** Users are counted for the kinds 0 to 5. */
export const USER_KINDS = 6;
export const ROLLUP_KINDS = 7;

/** The ids of an event's or a session's dimension values, by kind; the kind `all` has 0. */
export type DimensionIds = readonly [
  all: 0,
  channel: number,
  source: number,
  geo: number,
  tech: number,
  campaign: number,
  spelling: number,
];

export function sameDimensions(a: DimensionIds, b: DimensionIds): boolean {
  return (
    a === b || (a[1] === b[1] && a[2] === b[2] && a[3] === b[3] && a[4] === b[4] && a[5] === b[5] && a[6] === b[6])
  );
}

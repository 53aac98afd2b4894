/** The row-level codes of the interface document: field, what becomes of the row, meaning. */
export const ROW_CODES = {
  missing_date: { field: 'date', rejects: true, meaning: 'The date is empty.' },
  invalid_date: {
    field: 'date',
    rejects: true,
    meaning: 'Neither YYYY-MM-DD nor RFC 3339, no real date, or outside 1970 to 2100.',
  },
  missing_channel: { field: 'channel', rejects: true, meaning: 'The channel is empty.' },
  field_too_long: { field: 'channel, source or campaign', rejects: true, meaning: 'More than 256 characters.' },
  invalid_cost: { field: 'cost', rejects: true, meaning: 'Not a number, or more digits than can be stored exactly.' },
  negative_cost: { field: 'cost', rejects: true, meaning: 'Less than zero.' },
  future_date: { field: 'date', rejects: false, meaning: 'After the day of the upload in the time zone of the asset.' },
  invalid_currency: { field: 'currency', rejects: false, meaning: 'Not three letters; USD is used.' },
  invalid_revenue: { field: 'revenue', rejects: false, meaning: 'Not a non-negative number; the revenue is ignored.' },
  unknown_channel: {
    field: 'channel',
    rejects: false,
    meaning: 'Neither a known platform nor in the channel mapping; the model puts it in family `other`.',
  },
} as const satisfies Record<string, { field: string; rejects: boolean; meaning: string }>;

export type RowCode = keyof typeof ROW_CODES;

/** One remark on one row of an imported file. */
export interface RowIssue {
  /** Record number: comments and empty lines do not count, the header is 1. */
  line: number;
  /** Physical line in the file, from 1; absent for JSON. */
  file_line?: number;
  field: string;
  code: RowCode;
  message: string;
  /** The offending text, at most 64 characters. */
  value: string;
}

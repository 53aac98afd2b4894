import { classifyChannel, type ChannelMapping } from '#contracts/channels/classify-channel.js';
import { DEFAULT_CURRENCY, MAX_TEXT_CHARACTERS } from '#contracts/cost-import.js';
import type { RowCode } from '#contracts/row-codes.js';
import { isLongerThan } from '#contracts/text.js';
import type { CostCells } from './cost-columns.js';
import { parseAmount, parseCurrency, parseDate, parseText } from './cost-values.js';

/** A row that is imported; the warnings do not keep it out. */
export interface CostRow {
  /** `YYYY-MM-DD`. */
  date: string;
  channel: string;
  /** Absent is empty text. */
  source: string;
  campaign: string;
  /** Decimal digits as written, at most 15 before and 6 after the point. */
  cost: string;
  currency: string;
  revenue: string | null;
}

/** A remark on a row before its place in the file is known. */
export interface CellIssue {
  field: string;
  code: RowCode;
  message: string;
  value: string;
}

export type CheckedRow = { row: CostRow; warnings: readonly CellIssue[] } | { row: null; errors: readonly CellIssue[] };

const SAMPLE_CHARACTERS = 64;
/** Files repeat their dates and channels; remembering this many of each is plenty. */
const CACHE_ENTRIES = 20_000;
const NONE: readonly CellIssue[] = [];

/**
 * The rules and codes of the interface document for one row; the same for CSV and JSON. Pure but for two caches.
 */
export class CostRowRules {
  private readonly dates = new Map<string, string | undefined>();
  private readonly channels = new Map<string, boolean>();

  /** @param today the day of the upload in the time zone of the asset, `YYYY-MM-DD` */
  constructor(
    private readonly today: string,
    private readonly mapping: ChannelMapping,
  ) {}

  /** A rejected row has all its errors and no warnings. */
  check(cells: CostCells): CheckedRow {
    const errors: CellIssue[] = [];
    const date = this.date(cells.date.trim(), errors);
    const channel = parseText(cells.channel);
    const source = parseText(cells.source);
    const campaign = parseText(cells.campaign);
    if (channel === '') errors.push(issue('channel', 'missing_channel', 'The channel is empty.', cells.channel));
    for (const [field, text] of [
      ['channel', channel],
      ['source', source],
      ['campaign', campaign],
    ] as const) {
      if (isLongerThan(text, MAX_TEXT_CHARACTERS)) {
        errors.push(
          issue(field, 'field_too_long', `The ${field} has more than ${MAX_TEXT_CHARACTERS} characters.`, text),
        );
      }
    }
    const cost = costOf(cells.cost.trim(), errors);
    if (errors.length > 0 || date === undefined || cost === undefined) return { row: null, errors };

    const warnings: CellIssue[] = [];
    if (date > this.today)
      warnings.push(
        issue('date', 'future_date', `The date is after ${this.today}, the day of the upload.`, cells.date.trim()),
      );
    if (!this.isKnown(channel)) {
      warnings.push(
        issue(
          'channel',
          'unknown_channel',
          'The channel is no known platform and not in the channel mapping; the model puts it in family other.',
          channel,
        ),
      );
    }
    const currency = currencyOf(cells.currency.trim(), warnings);
    const revenue = revenueOf(cells.revenue.trim(), warnings);
    return {
      row: { date, channel, source, campaign, cost, currency, revenue },
      warnings: warnings.length === 0 ? NONE : warnings,
    };
  }

  private date(text: string, errors: CellIssue[]): string | undefined {
    if (text === '') {
      errors.push(issue('date', 'missing_date', 'The date is empty.', text));
      return undefined;
    }
    const date = remember(this.dates, text, parseDate);
    if (date === undefined)
      errors.push(
        issue(
          'date',
          'invalid_date',
          'The date is neither YYYY-MM-DD nor RFC 3339, or no real date of 1970 to 2100.',
          text,
        ),
      );
    return date;
  }

  private isKnown(channel: string): boolean {
    return remember(this.channels, channel, (name) => classifyChannel(name, this.mapping).known);
  }
}

function costOf(text: string, errors: CellIssue[]): string | undefined {
  const amount = parseAmount(text);
  if (amount.kind === 'amount') return amount.digits;
  if (amount.kind === 'negative') errors.push(issue('cost', 'negative_cost', 'The cost is less than zero.', text));
  else errors.push(issue('cost', 'invalid_cost', `The cost ${amount.reason}.`, text));
  return undefined;
}

function currencyOf(text: string, warnings: CellIssue[]): string {
  if (text === '') return DEFAULT_CURRENCY;
  const currency = parseCurrency(text);
  if (currency === undefined)
    warnings.push(
      issue('currency', 'invalid_currency', `The currency is not three letters; ${DEFAULT_CURRENCY} is used.`, text),
    );
  return currency ?? DEFAULT_CURRENCY;
}

function revenueOf(text: string, warnings: CellIssue[]): string | null {
  if (text === '') return null;
  const amount = parseAmount(text);
  if (amount.kind === 'amount') return amount.digits;
  const reason = amount.kind === 'negative' ? 'is less than zero' : amount.reason;
  warnings.push(issue('revenue', 'invalid_revenue', `The revenue ${reason}; it is ignored.`, text));
  return null;
}

function issue(field: string, code: RowCode, message: string, value: string): CellIssue {
  return { field, code, message, value: sample(value) };
}

/** The first 64 code points. */
function sample(text: string): string {
  return text.length <= SAMPLE_CHARACTERS
    ? text
    : Array.from(text.slice(0, 2 * SAMPLE_CHARACTERS))
        .slice(0, SAMPLE_CHARACTERS)
        .join('');
}

function remember<T>(cache: Map<string, T>, text: string, compute: (text: string) => T): T {
  const known = cache.get(text);
  if (known !== undefined || cache.has(text)) return known as T;
  const value = compute(text);
  if (cache.size < CACHE_ENTRIES) cache.set(text, value);
  return value;
}

import { MAX_REPORTED_ISSUES, type CostImportReport } from '#contracts/cost-import.js';
import { MAX_CHANNELS_IN_EVENT, type ImportOutcome, type WeekRange } from '#contracts/events/cost-import-completed.js';
import type { RowIssue } from '#contracts/row-codes.js';
import type { CellIssue, CostRow } from './cost-row.js';
import type { FileRow } from './read-cost-rows.js';

const DAY_MS = 86_400_000;
const WEEK_MS = 7 * DAY_MS;

/** What is learned about a file while it is read: counts, remarks in file order, touched dates and channels. */
export class ImportFindings {
  rows = 0;
  rejected = 0;
  private readonly errors = new IssueList();
  private readonly warnings = new IssueList();
  private readonly dates = new Set<string>();
  private readonly channels = new Set<string>();
  private channelsTruncated = false;

  reject(at: FileRow, issues: readonly CellIssue[]): void {
    this.rows++;
    this.rejected++;
    this.errors.add(at, issues);
  }

  accept(at: FileRow, row: CostRow, warnings: readonly CellIssue[]): void {
    this.rows++;
    if (warnings.length > 0) this.warnings.add(at, warnings);
    this.dates.add(row.date);
    if (this.channels.size < MAX_CHANNELS_IN_EVENT) this.channels.add(row.channel);
    else if (!this.channels.has(row.channel)) this.channelsTruncated = true;
  }

  get accepted(): number {
    return this.rows - this.rejected;
  }

  get firstDate(): string | null {
    return [...this.dates].reduce<string | null>(
      (first, date) => (first === null || date < first ? date : first),
      null,
    );
  }

  get lastDate(): string | null {
    return [...this.dates].reduce<string | null>((last, date) => (last === null || date > last ? date : last), null);
  }

  get outcome(): ImportOutcome {
    if (this.accepted === 0) return 'none';
    if (this.rejected > 0) return 'partial';
    return this.warnings.total > 0 ? 'with_warnings' : 'clean';
  }

  /** @param inserted stored rows that are new; each other accepted row counts as updated */
  report(inserted: number): CostImportReport {
    return {
      ok: true,
      total: this.rows,
      inserted,
      updated: this.accepted - inserted,
      skipped: this.rejected,
      imported_from: this.firstDate,
      imported_to: this.lastDate,
      errors: this.errors.kept,
      warnings: this.warnings.kept,
      errors_total: this.errors.total,
      warnings_total: this.warnings.total,
    };
  }

  touchedChannels(): { channels: string[]; channels_truncated: boolean } {
    return { channels: [...this.channels].sort(), channels_truncated: this.channelsTruncated };
  }

  /** Weeks with imported rows, named by their Sunday (the week's end), runs of weeks as ranges. */
  touchedWeeks(): WeekRange[] {
    const sundays = [...new Set([...this.dates].map(sundayOf))].sort((a, b) => a - b);
    const ranges: { from: number; to: number }[] = [];
    for (const sunday of sundays) {
      const last = ranges.at(-1);
      if (last !== undefined && sunday - last.to === WEEK_MS) last.to = sunday;
      else ranges.push({ from: sunday, to: sunday });
    }
    return ranges.map(({ from, to }) => ({ from: isoDate(from), to: isoDate(to) }));
  }
}

class IssueList {
  readonly kept: RowIssue[] = [];
  total = 0;

  add({ line, fileLine }: FileRow, issues: readonly CellIssue[]): void {
    for (const { field, code, message, value } of issues) {
      this.total++;
      if (this.kept.length === MAX_REPORTED_ISSUES) continue;
      this.kept.push({ line, ...(fileLine === undefined ? {} : { file_line: fileLine }), field, code, message, value });
    }
  }
}

function sundayOf(date: string): number {
  const day = Date.parse(`${date}T00:00:00Z`);
  return day + ((7 - new Date(day).getUTCDay()) % 7) * DAY_MS;
}

function isoDate(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

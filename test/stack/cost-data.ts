import type { CostImportReport } from '#contracts/cost-import.js';

const CHANNELS = ['Google Ads', 'Meta Ads', 'TikTok', 'Bing Ads'];
const ROWS_PER_DAY = 1_000;
const BAD_EVERY = 997;
const REPEATED_EVERY = 500;

interface CostFileOptions {
  rows: number;
  /** Number of the first key; files with overlapping keys update each other. */
  from?: number;
  /** Another seed gives the same keys other amounts. */
  seed?: number;
  /** Some rows are rejected and some keys come twice. Default: no. */
  faulty?: boolean;
}

interface Entry {
  key: string;
  /** Cost, currency and revenue as they are stored. */
  amounts: string;
  line: number;
}

/** A file of costs, and what a reader of the rules expects of it. */
export interface CostFile {
  csv: string;
  rows: number;
  rejected: number;
  accepted: Entry[];
}

export function costFile({ rows, from = 0, seed = 1, faulty = false }: CostFileOptions): CostFile {
  const lines = ['date,channel,source,campaign,cost,currency,revenue'];
  const accepted: Entry[] = [];
  let rejected = 0;
  for (let row = 0; row < rows; row++) {
    const number = faulty && row % REPEATED_EVERY === 1 ? from + row - 1 : from + row;
    const date = new Date(Date.UTC(2020, 0, 1 + Math.floor(number / ROWS_PER_DAY))).toISOString().slice(0, 10);
    const key = [date, CHANNELS[number % 4], `s${String(number % ROWS_PER_DAY).padStart(3, '0')}`, `c${number % 7}`];
    const cost = amount(row * 7_919 + seed * 104_729);
    const revenue = row % 3 === 0 ? '' : amount(row * 31 + seed);
    const bad = faulty && row % BAD_EVERY === 2;
    lines.push([...key, bad ? 'much' : cost, 'EUR', revenue].join(','));
    if (bad) rejected++;
    else {
      const stored = [`${cost}0000`, 'EUR', revenue === '' ? '' : `${revenue}0000`].join(' ');
      accepted.push({ key: key.join(' '), amounts: stored, line: row + 2 });
    }
  }
  return { csv: lines.join('\n') + '\n', rows, rejected, accepted };
}

function amount(number: number): string {
  const cents = number % 500_000;
  return `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`;
}

type Counts = Pick<CostImportReport, 'total' | 'inserted' | 'updated' | 'skipped'> & { changed: number };

/** What an asset should hold after imports, worked out row by row without the database. */
export class Ledger {
  private readonly stored = new Map<string, { amounts: string; importId: string; line: number }>();

  /** Imports of an asset are told in the order of their commits. @returns the counts its report and event should have */
  add(importId: string, { rows, rejected, accepted }: CostFile): Counts {
    let inserted = 0;
    const before = new Map<string, string | undefined>();
    const last = new Map(accepted.map((entry) => [entry.key, entry]));
    for (const [key, { amounts, line }] of last) {
      const known = this.stored.get(key);
      before.set(key, known?.amounts);
      if (known === undefined) inserted++;
      if (known?.amounts !== amounts) this.stored.set(key, { amounts, importId, line });
    }
    const changed = [...before].filter(([key, amounts]) => this.stored.get(key)?.amounts !== amounts).length;
    return { total: rows, inserted, updated: rows - rejected - inserted, skipped: rejected, changed };
  }

  /** One line per row: key, amounts, and the import and line that last changed it. */
  rows(): string[] {
    return [...this.stored].map(([key, { amounts, importId, line }]) => `${key} ${amounts} ${importId} ${line}`).sort();
  }
}

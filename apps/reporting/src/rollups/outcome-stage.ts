import type { PoolClient } from 'pg';
import { copyCell, copyLines, date } from '#ingest/sql.js';
import type { DimensionIds } from '../ingest/dimension-ids.js';
import { OutcomeSums, type Outcome, type OutcomeFields } from '../ingest/outcomes.js';

/** About 60 MB. */
const MOST_HELD = 200_000;

/**
 * Outcomes of all events of an asset, which come in no order of days: sums that become too many wait in a temporary table
 * of the connection.
 */
export class OutcomeStage {
  private readonly sums: OutcomeSums;

  /**
   * @param client in a transaction, from the first event to `write`
   * @param mostHeld sums in memory
   */
  constructor(
    private readonly client: PoolClient,
    currency: string,
    private readonly mostHeld = MOST_HELD,
  ) {
    this.sums = new OutcomeSums(currency);
  }

  add(event: OutcomeFields, day: number, dimensions: DimensionIds): void {
    this.sums.add(event, day, dimensions);
  }

  /** Call it now and then, while the connection does nothing else. */
  async makeRoom(): Promise<void> {
    if (this.sums.size >= this.mostHeld) await this.spill();
  }

  /** Writes the outcomes of a version that has none. */
  async write(assetId: string, version: number): Promise<void> {
    await this.spill();
    await this.client.query(
      `INSERT INTO reporting.outcome_rollup (asset_id, version, target, day, place, currency, country, region, city, value,
                                             organic_value, events)
       SELECT $1, $2, target, day, place, currency, min(country), min(region), min(city), sum(value), sum(organic_value),
              sum(events)
         FROM pg_temp.outcome_stage GROUP BY target, day, place, currency ORDER BY target, day, place, currency`,
      [assetId, version],
    );
  }

  private async spill(): Promise<void> {
    await this.client.query(
      `CREATE TEMP TABLE IF NOT EXISTS outcome_stage (target text COLLATE "C", day date, place integer, currency text COLLATE "C",
         country text, region text, city text, value numeric, organic_value numeric, events bigint) ON COMMIT DELETE ROWS`,
    );
    await copyLines(this.client, 'COPY pg_temp.outcome_stage FROM STDIN', linesOf(this.sums.take()));
  }
}

function* linesOf(rows: readonly Outcome[]): Generator<string> {
  for (const { target, day, place, currency, country, region, city, value, organic, events } of rows) {
    const names = `${copyCell(country)}\t${copyCell(region)}\t${copyCell(city)}`;
    yield `${copyCell(target)}\t${date(day)}\t${place}\t${currency}\t${names}\t${value}\t${organic}\t${events}\n`;
  }
}

import { IsInt, Max, Min } from 'class-validator';
import type { DatabaseConfig } from '#database/database.config.js';
import { Setting } from '#runtime/config.js';

export class IngestConfig {
  @Setting(
    'Batches of collected events that a process writes at once; never more than half of its database connections, but one',
  )
  @IsInt()
  @Min(1)
  @Max(16)
  INGEST_WRITERS = 2;

  @Setting('Days for which it is remembered which messages were counted')
  @IsInt()
  @Min(8)
  INGEST_INBOX_DAYS = 30;
}

/** A writer holds one connection; exports and the outbox need some too. */
export function ingestWriters(
  { INGEST_WRITERS }: IngestConfig,
  { DATABASE_POOL_SIZE }: Pick<DatabaseConfig, 'DATABASE_POOL_SIZE'>,
): number {
  return Math.max(1, Math.min(INGEST_WRITERS, Math.floor(DATABASE_POOL_SIZE / 2)));
}

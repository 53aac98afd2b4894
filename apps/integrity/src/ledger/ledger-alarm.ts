import { counter } from '#runtime/metrics.js';
import { loggerFor } from '#runtime/logger.js';
import type { Query } from '../scoring/query.js';

const log = loggerFor('ledger');
const broken = counter({
  name: 'tallyport_integrity_ledger_broken_total',
  help: 'Ledgers that did not verify and were frozen',
});
const unsigned = counter({
  name: 'tallyport_integrity_checkpoint_failures_total',
  help: 'Checkpoints that could not be signed, by reason',
  labelNames: ['reason'],
});

/** What stored evidence says against itself: it was changed. */
export class LedgerTamperedError extends Error {}

/**
 * Freezes the ledger of an asset: nothing is appended until it verifies again. The operator event
 * `integrity.ledger.broken` is a log line of level error and a metric. The first reason stays.
 */
export async function freezeLedger(query: Query, assetId: string, reason: string): Promise<void> {
  const known = await query<{ is_frozen: boolean }>(
    `WITH before AS (SELECT broken_at IS NOT NULL AS is_frozen FROM integrity.ledger_head WHERE asset_id = $1 FOR UPDATE),
          frozen AS (
       UPDATE integrity.ledger_head SET broken_at = clock_timestamp(), broken_reason = $2
        WHERE asset_id = $1 AND broken_at IS NULL)
     SELECT is_frozen FROM before`,
    [assetId, reason],
  );
  // Without a head there is nothing to freeze, and nothing can be appended either.
  if (known[0]?.is_frozen === true) return;
  broken.inc();
  log.error({ event: 'integrity.ledger.broken', assetId, reason }, 'the evidence ledger of an asset is broken');
}

/** Lets appends go on after the whole ledger has verified again. */
export async function releaseLedger(query: Query, assetId: string): Promise<void> {
  const released = await query(
    `WITH released AS (
       UPDATE integrity.ledger_head SET broken_at = NULL, broken_reason = NULL
        WHERE asset_id = $1 AND broken_at IS NOT NULL RETURNING 1)
     SELECT 1 FROM released`,
    [assetId],
  );
  if (released.length > 0) log.warn({ event: 'integrity.ledger.released', assetId }, 'a broken ledger verifies again');
}

/** A checkpoint that is due can't be signed. */
export function noteUnsigned(assetId: string, reason: 'no_key' | 'store_away', error: unknown): void {
  unsigned.inc({ reason });
  const level = reason === 'no_key' ? 'error' : 'warn';
  log[level](
    { event: 'integrity.checkpoint.unsigned', assetId, err: error },
    'a checkpoint could not be signed or stored',
  );
}

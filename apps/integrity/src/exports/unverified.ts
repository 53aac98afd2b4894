import { counter } from '#runtime/metrics.js';
import { loggerFor } from '#runtime/logger.js';

const log = loggerFor('exports');
const unverified = counter({
  name: 'tallyport_integrity_unverified_rows_total',
  help: 'Rows that were exported with chain_verified=false',
});

/** A row that went out with `chain_verified=false`, and why. */
export function noteUnverified(assetId: string, evidence: string, causes: readonly string[]): void {
  unverified.inc();
  log.error({ event: 'integrity.evidence.unverified', assetId, evidence, causes }, 'evidence did not verify');
}

import { localDay } from '#contracts/local-day.js';
import { REFUND_CLAIM_LAYOUT, type RefundClaimRow } from '#contracts/layouts/refund-claim.layout.js';
import type { ExportDefinition, ExportRequest, ExportSnapshot } from '#jobs/export-definition.js';
import { unverifiedRows } from '../claims/chain-verified.js';
import { refundRows, type ClaimOptions, type RefundRow } from '../claims/refund-claim.js';
import type { LedgerReader, LedgerView } from './ledger-reader.js';
import { rowsExport } from './rows-export.js';
import { noteUnverified } from './unverified.js';

/** A claim and what it was made with. */
export interface RefundClaim {
  options: ClaimOptions;
  rows: readonly RefundRow[];
  view: LedgerView;
}

/** The claim of a range; from the ledger alone, so that the evidence says the same. */
export async function refundClaim(
  ledger: LedgerReader,
  snapshot: ExportSnapshot,
  request: ExportRequest,
  withProofs = false,
): Promise<RefundClaim> {
  const { from, to, asset } = request.parameters;
  const view = await ledger.read(snapshot, request, { withProofs });
  const options: ClaimOptions = {
    from,
    to,
    timezone: asset.timezone,
    currencyDefault: asset.currency,
    today: localDay(asset.timezone, request.now),
    samples: view.samples,
  };
  return { options, rows: refundRows(view.current, options), view };
}

export function refundClaimExport(ledger: LedgerReader): ExportDefinition {
  return rowsExport<RefundClaimRow>({
    file: 'refund-claim',
    layout: REFUND_CLAIM_LAYOUT,
    name: 'fraud-refund-claim',
    heavy: true,
    prepare: (request) => ledger.prepare(request),
    async rows(snapshot, request) {
      const { options, rows, view } = await refundClaim(ledger, snapshot, request);
      const unverified = unverifiedRows(rows, view.current, options, view.verdict);
      for (const [evidence, causes] of unverified) noteUnverified(request.assetId, evidence, causes);
      return {
        rows: rows.map((row) => ({ ...row, chain_verified: !unverified.has(row.evidence_hash) })),
        limit: null,
        truncated: 0,
      };
    },
  });
}

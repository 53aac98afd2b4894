import type { ExportDefinition, ExportSnapshot } from '#jobs/export-definition.js';
import { evidenceBundle, type BundleBody } from '../claims/evidence-bundle.js';
import type { LedgerReader } from './ledger-reader.js';
import { refundClaim } from './refund-claim.export.js';

const PAGE = 1_000;
/** An entry with its proof, as a rule. */
const BYTES_PER_ENTRY = 2_300;
/** The config, the checkpoint and its keys. */
const BYTES_BESIDE = 9_800;

/** Without a checkpoint the bundle says so by an empty one: it verifies nowhere. */
export function evidenceBundleExport(ledger: LedgerReader): ExportDefinition {
  return {
    file: 'evidence-bundle',
    heavy: true,
    prepare: (request) => ledger.prepare(request),
    fileName: ({ parameters }) => `${parameters.serviceName}-evidence-bundle.json`,

    async content(snapshot, request) {
      const { options, rows, view } = await refundClaim(ledger, snapshot, request, true);
      const { note = '', keys = [], consistency = [] } = view.checkpoint ?? {};
      const { assetId, now } = request;
      return {
        chunks: evidenceBundle({
          assetId,
          options,
          generated: now,
          rows,
          entries: view.current,
          checkpoint: note,
          consistency,
          keys,
          bodies: (seqs) => bodiesOf(snapshot, assetId, seqs),
          proof: (seq) => view.proof(seq),
        }),
        counts: () => ({ rows: rows.length, formulasEscaped: 0 }),
        limit: null,
        truncated: 0,
        columnsOmitted: [],
        holdsCost: false,
        generated: `${now.toISOString().slice(0, 19)}Z`,
      };
    },

    async estimate(snapshot, request) {
      const { rows } = await refundClaim(ledger, snapshot, request);
      const entries = rows.reduce((sum, row) => sum + row.entries.length, 0);
      return {
        rows: rows.length,
        bytesPerRow: rows.length === 0 ? 0 : (entries * BYTES_PER_ENTRY) / rows.length,
        limit: null,
        bytesBeside: BYTES_BESIDE,
      };
    },
  };
}

async function* bodiesOf(
  snapshot: ExportSnapshot,
  assetId: string,
  seqs: readonly number[],
): AsyncGenerator<BundleBody> {
  for (let first = 0; first < seqs.length; first += PAGE) {
    const rows = await snapshot.query<{ seq: string; body: string }>(
      'SELECT seq, body FROM integrity.evidence_entry WHERE asset_id = $1 AND seq = ANY($2) ORDER BY seq',
      [assetId, seqs.slice(first, first + PAGE)],
    );
    for (const { seq, body } of rows) yield { seq: Number(seq), body };
  }
}

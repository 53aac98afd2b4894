import type { PoolClient } from 'pg';
import { localDaysOf } from '#ingest/local-days.js';
import { updateCurrentVerdicts } from './current-verdicts.js';
import type { ScoringParts } from './score-asset.js';

/** Lets current verdicts fall that had no evidence for days. */
export async function fallQuietVerdicts(
  { dataSource, outbox, ledger, config }: Pick<ScoringParts, 'dataSource' | 'outbox' | 'ledger' | 'config'>,
  now = new Date(),
): Promise<void> {
  const assets = await dataSource.query<{ asset_id: string; timezone: string }[]>(
    `SELECT DISTINCT asset_id, timezone FROM integrity.ivt_current JOIN access.asset USING (asset_id)
      WHERE severity <> 'clean' AND evidence_day < $1::timestamptz - ($2 - 1) * interval '1 day'`,
    [now, config.VERDICT_FALL_DAYS],
  );
  for (const { asset_id: assetId, timezone } of assets) {
    await outbox.transaction(async (tx) => {
      const client = (await tx.queryRunner.connect()) as PoolClient;
      const today = localDaysOf(timezone).at(now.getTime() * 1000);
      await updateCurrentVerdicts(client, tx, assetId, { entityIds: undefined, today, ledger, now, patience: config });
    });
  }
}

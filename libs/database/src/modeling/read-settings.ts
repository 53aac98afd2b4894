import type { ModelingSettings } from '#contracts/modeling/settings.js';
import type { RowReader } from './row-reader.js';

/** As they are in force: the default targets are conversions, and revenue once any value exists. */
export async function readSettings(read: RowReader, assetId: string): Promise<ModelingSettings> {
  const [settings] = await read<ModelingSettings>(
    `SELECT coalesce(targets, CASE WHEN EXISTS (SELECT FROM reporting.outcome_day WHERE asset_id = $1 AND target = 'revenue')
                                   THEN ARRAY['conversions', 'revenue'] ELSE ARRAY['conversions'] END) AS targets,
            conversion_value::text AS conversion_value
       FROM (SELECT) AS one LEFT JOIN modeling.asset_setting ON asset_id = $1`,
    [assetId],
  );
  if (settings === undefined) throw new Error('A left join of one row gave none.');
  return settings;
}

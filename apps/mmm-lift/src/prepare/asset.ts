import type { RowReader } from '#database/modeling/row-reader.js';

/** What an asset says of its models. */
export interface ModelAsset {
  timezone: string;
  currency: string;
  /** In the asset's currency. */
  conversionValue: number | null;
}

/** @throws Error when there is no such asset */
export async function readAsset(read: RowReader, assetId: string): Promise<ModelAsset> {
  const [asset] = await read<{ timezone: string; currency: string; conversion_value: string | null }>(
    `SELECT a.timezone, a.currency, s.conversion_value::text
       FROM access.asset a LEFT JOIN modeling.asset_setting s USING (asset_id) WHERE a.asset_id = $1`,
    [assetId],
  );
  if (asset === undefined) throw new Error(`There is no asset ${assetId}`);
  const { timezone, currency, conversion_value: value } = asset;
  return { timezone, currency, conversionValue: value === null ? null : Number(value) };
}

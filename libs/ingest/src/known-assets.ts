import type { DataSource } from 'typeorm';
import { PermanentError } from '#messaging/errors.js';

/** There is no asset of this id: messages for it can never be taken. */
export class UnknownAssetError extends PermanentError {
  override readonly code = 'unknown_asset';

  constructor(assetId: string) {
    super(`There is no asset ${assetId}.`);
  }
}

/** Keeps what is done before a batch's transaction from being done for an asset that does not exist. */
export class KnownAssets {
  private readonly known = new Set<string>();

  constructor(private readonly dataSource: DataSource) {}

  /** @throws UnknownAssetError */
  async require(assetId: string): Promise<void> {
    if (this.known.has(assetId)) return;
    const rows = await this.dataSource.query<unknown[]>('SELECT FROM access.asset WHERE asset_id = $1', [assetId]);
    if (rows.length === 0) throw new UnknownAssetError(assetId);
    this.known.add(assetId);
  }
}

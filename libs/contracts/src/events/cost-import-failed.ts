import { IsIn, IsOptional, IsString, IsUUID } from 'class-validator';

/** `cost-import.failed.v1`: the import ended and nothing was written. */
export class CostImportFailed {
  static readonly topic = 'cost-import.failed.v1';

  @IsUUID()
  import_id: string;

  @IsUUID()
  asset_id: string;

  @IsIn(['failed', 'canceled'])
  status: 'failed' | 'canceled';

  /** The problem's code; null when canceled. */
  @IsOptional()
  @IsString()
  code: string | null;
}

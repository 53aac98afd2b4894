import { Transform } from 'class-transformer';
import { IsInt, IsOptional, IsString, IsUUID, Max, Min } from 'class-validator';

const asInteger = ({ value }: { value: unknown }): unknown =>
  typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value;

export class AssetQuery {
  /** The asset; may be left out when the token sees exactly one. */
  @IsOptional()
  @IsUUID(undefined, { message: 'asset_id must be a UUID' })
  asset_id?: string;
}

/** The query of every list. */
export class ListQuery extends AssetQuery {
  @IsOptional()
  @IsString()
  cursor?: string;

  @IsOptional()
  @Transform(asInteger)
  @Max(200, { message: 'limit must be a whole number from 1 to 200' })
  @Min(1, { message: 'limit must be a whole number from 1 to 200' })
  @IsInt({ message: 'limit must be a whole number from 1 to 200' })
  limit = 50;
}

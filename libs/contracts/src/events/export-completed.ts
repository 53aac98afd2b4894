import { IsInt, IsString, IsUUID, Matches, Min } from 'class-validator';

/** `export.completed.v1`: the file is in the object storage; the job row says all of it. */
export class ExportCompleted {
  static readonly topic = 'export.completed.v1';

  @IsUUID()
  export_id: string;

  @IsUUID()
  asset_id: string;

  /** Name of the file's definition, for example `channels`. */
  @IsString()
  file: string;

  @IsString()
  requested_by: string;

  @IsString()
  from: string;

  @IsString()
  to: string;

  @IsInt()
  @Min(0)
  rows: number;

  @IsInt()
  @Min(0)
  bytes: number;

  @Matches(/^[0-9a-f]{64}$/)
  sha256: string;

  /** In the object storage. */
  @IsString()
  key: string;
}

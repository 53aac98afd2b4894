import { IsString, IsUUID } from 'class-validator';

/** `export.failed.v1`: no file was written. */
export class ExportFailed {
  static readonly topic = 'export.failed.v1';

  @IsUUID()
  export_id: string;

  @IsUUID()
  asset_id: string;

  @IsString()
  file: string;

  /** The problem's code. */
  @IsString()
  code: string;
}

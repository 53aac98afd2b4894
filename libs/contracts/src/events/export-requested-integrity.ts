import { IsUUID } from 'class-validator';

/** `export.requested.integrity.v1`: the job row is there already; the message only says that somebody should look. */
export class ExportRequestedIntegrity {
  static readonly topic = 'export.requested.integrity.v1';

  @IsUUID()
  export_id: string;

  @IsUUID()
  asset_id: string;
}

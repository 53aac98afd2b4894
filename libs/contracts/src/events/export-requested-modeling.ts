import { IsUUID } from 'class-validator';

/** `export.requested.modeling.v1`: the job row is there already; the message only says that somebody should look. */
export class ExportRequestedModeling {
  static readonly topic = 'export.requested.modeling.v1';

  @IsUUID()
  export_id: string;

  @IsUUID()
  asset_id: string;
}

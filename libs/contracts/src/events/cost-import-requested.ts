import { IsUUID } from 'class-validator';

/** `cost-import.requested.v1`: the job row is there already; the message only says that somebody should look. */
export class CostImportRequested {
  static readonly topic = 'cost-import.requested.v1';

  @IsUUID()
  import_id: string;

  @IsUUID()
  asset_id: string;
}

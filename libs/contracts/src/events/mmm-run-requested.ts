import { IsUUID } from 'class-validator';

/** `mmm.run-requested.v1`: the row is there already; the message only says that somebody should look. */
export class MmmRunRequested {
  static readonly topic = 'mmm.run-requested.v1';

  @IsUUID()
  run_id: string;

  @IsUUID()
  asset_id: string;
}

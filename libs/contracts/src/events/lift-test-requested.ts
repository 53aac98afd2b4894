import { IsUUID } from 'class-validator';

/** `lift.test-requested.v1`: the row is there already; the message only says that somebody should look. */
export class LiftTestRequested {
  static readonly topic = 'lift.test-requested.v1';

  @IsUUID()
  test_id: string;

  @IsUUID()
  asset_id: string;
}

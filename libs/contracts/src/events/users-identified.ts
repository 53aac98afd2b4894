import { ArrayMaxSize, IsArray, IsUUID } from 'class-validator';
import { MAX_RECORDS_IN_MESSAGE } from '../collect/collected.js';

/** `users.identified.v1`: up to 500 identities of one asset. Each record is checked on its own: one bad record does not cost the others. */
export class UsersIdentified {
  static readonly topic = 'users.identified.v1';

  @IsUUID()
  asset_id: string;

  @IsArray()
  @ArrayMaxSize(MAX_RECORDS_IN_MESSAGE)
  records: unknown[];
}

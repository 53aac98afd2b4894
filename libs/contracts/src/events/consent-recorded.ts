import { ArrayMaxSize, IsArray, IsUUID } from 'class-validator';
import { MAX_RECORDS_IN_MESSAGE } from '../collect/collected.js';

/** `consent.recorded.v1`: up to 500 consent decisions of one asset. Each record is checked on its own: one bad record does not cost the others. */
export class ConsentRecorded {
  static readonly topic = 'consent.recorded.v1';

  @IsUUID()
  asset_id: string;

  @IsArray()
  @ArrayMaxSize(MAX_RECORDS_IN_MESSAGE)
  records: unknown[];
}

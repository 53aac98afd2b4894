import { ArrayMaxSize, IsArray, IsUUID } from 'class-validator';
import { MAX_RECORDS_IN_MESSAGE } from '../collect/collected.js';

/** `events.collected.v1`: up to 500 events of one asset, under 500 KB, keyed `<asset>:<visitor bucket>`. Each record is checked on its own: one bad record does not cost the others. */
export class EventsCollected {
  static readonly topic = 'events.collected.v1';

  @IsUUID()
  asset_id: string;

  @IsArray()
  @ArrayMaxSize(MAX_RECORDS_IN_MESSAGE)
  records: unknown[];
}

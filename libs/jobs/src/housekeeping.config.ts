import { IsInt, Min } from 'class-validator';
import { Setting } from '#runtime/config.js';

/** What every service that tidies up reads. */
export class HousekeepingConfig {
  @Setting('Days that published outbox rows are kept')
  @IsInt()
  @Min(1)
  OUTBOX_DAYS = 7;

  @Setting('How often housekeeping runs, in milliseconds')
  @IsInt()
  @Min(1_000)
  HOUSEKEEPING_INTERVAL_MS = 3_600_000;
}

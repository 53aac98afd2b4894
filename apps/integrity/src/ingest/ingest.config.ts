import { IsInt, Max, Min } from 'class-validator';
import { Setting } from '#runtime/config.js';

export class TrafficConfig {
  @Setting('Days for which sessions, with the addresses in them, are kept; older events are counted, not scored')
  @IsInt()
  @Min(30)
  @Max(400)
  SESSION_RETENTION_DAYS = 400;
}

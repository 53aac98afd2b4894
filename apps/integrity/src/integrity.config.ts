import { IsIn, IsInt, Max, Min } from 'class-validator';
import { Setting } from '#runtime/config.js';

export class IntegrityConfig {
  @Setting('Longest time for which changed networks wait to be scored, in milliseconds')
  @IsInt()
  @Min(100)
  SCORE_INTERVAL_MS = 30_000;

  @Setting('Changed networks are scored earlier when nothing more has come for so many milliseconds')
  @IsInt()
  @Min(0)
  SCORE_QUIET_MS = 2_000;

  @Setting('Changed networks of an asset that are scored without waiting')
  @IsInt()
  @Min(1)
  SCORE_DIRTY_NETWORKS = 5_000;

  @Setting('Quiet days after which a current verdict falls by one level')
  @IsInt()
  @Min(1)
  VERDICT_FALL_DAYS = 14;

  @Setting('Quiet days after which a current verdict ends, and its network leaves push lists')
  @IsInt()
  @Min(1)
  @Max(90)
  VERDICT_END_DAYS = 30;

  @Setting(
    'How imported costs are read: `daily`, `weekly`, or `auto`: weekly when the rows of a channel are 7 days apart',
  )
  @IsIn(['auto', 'daily', 'weekly'])
  COST_GRANULARITY: 'auto' | 'daily' | 'weekly' = 'auto';
}

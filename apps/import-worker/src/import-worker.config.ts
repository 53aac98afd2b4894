import { IsInt, Max, Min } from 'class-validator';
import { Setting } from '#runtime/config.js';

export class ImportWorkerConfig {
  @Setting('Imports that a worker runs at once; one slot is kept for sync imports when there are two or more')
  @IsInt()
  @Min(1)
  @Max(16)
  IMPORT_CONCURRENCY = 2;

  @Setting('Days that finished imports and their reports are kept')
  @IsInt()
  @Min(1)
  IMPORT_JOB_DAYS = 400;
}

import { IsInt, IsString, Max, Min } from 'class-validator';
import { Setting } from '#runtime/config.js';

/** What every service that writes files reads. */
export class ExportConfig {
  @Setting(
    'Files that a service builds at once; one slot is kept for small ones that a client waits for. Fewer with a small `DATABASE_POOL_SIZE`',
  )
  @IsInt()
  @Min(1)
  @Max(16)
  EXPORT_CONCURRENCY = 3;

  @Setting('Days that the records of exports are kept')
  @IsInt()
  @Min(1)
  EXPORT_JOB_DAYS = 400;

  @Setting('Where large uploads and files wait until they are stored')
  @IsString()
  SPOOL_DIRECTORY = '.tallyport/spool';
}

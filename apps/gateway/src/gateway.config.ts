import { IsInt, IsString, Matches, Max, Min } from 'class-validator';
import { Setting } from '#runtime/config.js';

export class GatewayConfig {
  @Setting('Begins the names of files that are written, `<service>` in the interface')
  @Matches(/^[a-z][a-z0-9-]{0,30}$/)
  SERVICE_NAME = 'tallyport';

  @Setting('When a sync import is rolled back, in milliseconds from its receipt; HTTP clients give up at 300,000')
  @IsInt()
  @Min(100)
  @Max(295_000)
  SYNC_IMPORT_TIMEOUT_MS = 285_000;

  @Setting('When an async import is rolled back, in milliseconds from its first start')
  @IsInt()
  @Min(100)
  ASYNC_IMPORT_TIMEOUT_MS = 1_800_000;

  @Setting('How long a client waits for a file before it is told where it will be, in milliseconds from its request')
  @IsInt()
  @Min(100)
  @Max(295_000)
  EXPORT_WAIT_TIMEOUT_MS = 285_000;

  @Setting('When an export is given up, in milliseconds from its request')
  @IsInt()
  @Min(100)
  @Max(86_400_000)
  EXPORT_TIMEOUT_MS = 1_800_000;

  @Setting('Sync imports per minute and asset')
  @IsInt()
  @Min(1)
  RATE_LIMIT_IMPORTS_PER_MINUTE = 60;

  @Setting('Files built per minute and token')
  @IsInt()
  @Min(1)
  RATE_LIMIT_EXPORTS_PER_MINUTE = 120;

  @Setting('Async imports that may wait at once, per asset')
  @IsInt()
  @Min(1)
  IMPORT_QUEUED_PER_ASSET = 10;

  @Setting('Uploads that a gateway receives at once')
  @IsInt()
  @Min(1)
  UPLOADS_AT_ONCE = 64;

  @Setting('How long a body may come at under 1 KB/s, in milliseconds')
  @IsInt()
  @Min(100)
  SLOW_BODY_MS = 30_000;

  @Setting('Where large uploads and files wait until they are stored')
  @IsString()
  SPOOL_DIRECTORY = '.tallyport/spool';

  @Setting('Days that an Idempotency-Key is remembered')
  @IsInt()
  @Min(1)
  IDEMPOTENCY_DAYS = 7;
}

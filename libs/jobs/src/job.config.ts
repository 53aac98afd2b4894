import { IsInt, Min } from 'class-validator';
import { Setting } from '#runtime/config.js';

/** How workers claim and hold jobs. */
export class JobConfig {
  @Setting('How long a worker owns a job without renewing it, in milliseconds')
  @IsInt()
  @Min(1_000)
  JOB_LEASE_MS = 60_000;

  @Setting('How often a worker renews the lease of a job, in milliseconds')
  @IsInt()
  @Min(100)
  JOB_LEASE_RENEWAL_MS = 15_000;

  @Setting('How often an idle worker looks for jobs without being woken, in milliseconds')
  @IsInt()
  @Min(10)
  JOB_POLL_MS = 250;

  @Setting('How long a stopping worker lets its jobs go on before it hands them back, in milliseconds')
  @IsInt()
  @Min(0)
  JOB_SHUTDOWN_GRACE_MS = 10_000;
}

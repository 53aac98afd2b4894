import { Injectable } from '@nestjs/common';

export type HealthCheck = () => Promise<void> | void;

const CHECK_TIMEOUT_MS = 2_000;

/**
 * What must work before requests are welcome. Parts register themselves; a check that throws makes the service not ready.
 * Liveness is another matter: only a process that can't recover by itself fails it (`registerLiveness`).
 */
@Injectable()
export class HealthRegistry {
  private readonly readiness = new Map<string, HealthCheck>();
  private readonly liveness = new Map<string, HealthCheck>();

  register(name: string, check: HealthCheck): void {
    this.readiness.set(name, check);
  }

  registerLiveness(name: string, check: HealthCheck): void {
    this.liveness.set(name, check);
  }

  live(): Promise<HealthReport> {
    return run(this.liveness);
  }

  ready(): Promise<HealthReport> {
    return run(new Map([...this.liveness, ...this.readiness]));
  }
}

export interface HealthReport {
  status: 'ok' | 'error';
  checks: Record<string, { status: 'up' } | { status: 'down'; reason: string }>;
}

async function run(checks: Map<string, HealthCheck>): Promise<HealthReport> {
  const results: HealthReport['checks'] = {};
  await Promise.all(
    [...checks].map(async ([name, check]) => {
      try {
        await withTimeout(Promise.resolve(check()));
        results[name] = { status: 'up' };
      } catch (error) {
        results[name] = { status: 'down', reason: error instanceof Error ? error.message : String(error) };
      }
    }),
  );
  const up = Object.values(results).every(({ status }) => status === 'up');
  return { status: up ? 'ok' : 'error', checks: results };
}

async function withTimeout(check: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`no answer within ${CHECK_TIMEOUT_MS} ms`));
    }, CHECK_TIMEOUT_MS);
  });
  try {
    await Promise.race([check, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

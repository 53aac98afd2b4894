import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { launch, type Running, waitUntilReady, type Workplace } from './processes.js';

export interface MinioAccess {
  accessKey: string;
  secretKey: string;
}

/** The same keys at every start on the same data. */
export function minioAccess(place: Workplace): MinioAccess {
  const file = join(place.data, 'minio-access.json');
  if (!existsSync(file)) {
    const access: MinioAccess = { accessKey: 'tallyport', secretKey: randomBytes(24).toString('base64url') };
    writeFileSync(file, JSON.stringify(access), { mode: 0o600, flag: 'wx' });
  }
  return JSON.parse(readFileSync(file, 'utf8')) as MinioAccess;
}

/** Starts the server on `port` with its page on another one; `bucket` is there afterwards. */
export async function startMinio(
  fetched: string,
  place: Workplace,
  [port, consolePort]: readonly [number, number],
  bucket: string,
): Promise<Running> {
  const folder = join(place.data, 'minio');
  // A folder in a single drive is a bucket: no client is needed to make one.
  mkdirSync(join(folder, bucket), { recursive: true });
  const { accessKey, secretKey } = minioAccess(place);
  const args = [
    'server',
    folder,
    '--address',
    `127.0.0.1:${port}`,
    '--console-address',
    `127.0.0.1:${consolePort}`,
    '--quiet',
  ];
  const env = {
    MINIO_ROOT_USER: accessKey,
    MINIO_ROOT_PASSWORD: secretKey,
    // The only way MinIO drops unfinished uploads; it ignores the lifecycle rule for them.
    MINIO_API_STALE_UPLOADS_EXPIRY: '24h',
    MINIO_UPDATE: 'off',
  };
  const running = launch({ name: 'minio', command: join(fetched, 'minio'), args, env }, place);
  const ready = `http://127.0.0.1:${port}/minio/health/ready`;
  await waitUntilReady('MinIO', running, () => answersOk(ready)).catch(async (error: unknown) => {
    await running.kill();
    throw error;
  });
  return running;
}

/** Whether a GET ends with 2xx within two seconds. */
export async function answersOk(url: string): Promise<boolean> {
  try {
    return (await fetch(url, { signal: AbortSignal.timeout(2000) })).ok;
  } catch {
    return false;
  }
}

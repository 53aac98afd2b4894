import { randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect } from '@jest/globals';
import { objectKey } from '#storage/object-store.js';
import { S3Store } from '#storage/s3.store.js';
import { StorageConfig } from '#storage/storage.config.js';
import { faultServer } from './fault-server.js';

export const MIB = 1024 * 1024;
export const CSV = { contentType: 'text/csv' };

export function configOf(endpoint: string): StorageConfig {
  const credentials = { S3_ACCESS_KEY: 'a', S3_SECRET_KEY: 's', S3_TIMEOUT_MS: 300 };
  return Object.assign(new StorageConfig(), { S3_ENDPOINT: endpoint, ...credentials });
}

export const newKey = (): string => objectKey('imports', randomUUID(), randomUUID(), 'costs.csv');

/** The error that `work` must end with. */
export async function failureOf(work: Promise<unknown>): Promise<Error> {
  return work.then(
    () => {
      throw new Error('It was expected to fail.');
    },
    (error: unknown) => error as Error,
  );
}

/** How many files under `directory` this process holds open; only Linux tells. */
export function openFilesIn(directory: string): string[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      const path = readlinkSync(`/proc/self/fd/${fd}`);
      return path.startsWith(directory) ? [path] : [];
    } catch {
      return [];
    }
  });
}

/**
 * Stores over faulty servers for the tests of one file. After each of them: no error that nobody handled, no file left open.
 */
export function faultCases() {
  const directory = mkdtempSync(join(tmpdir(), 's3-spec-'));
  const endings: (() => Promise<void> | void)[] = [];
  const unhandled: unknown[] = [];
  const note = (reason: unknown): void => void unhandled.push(reason);
  beforeAll(() => {
    process.on('unhandledRejection', note);
    process.on('uncaughtException', note);
  });
  afterEach(async () => {
    for (const end of endings.splice(0)) await end();
    await delay(20);
    expect(unhandled.splice(0)).toEqual([]);
    expect(openFilesIn(directory)).toEqual([]);
  });
  afterAll(() => {
    process.off('unhandledRejection', note);
    process.off('uncaughtException', note);
    rmSync(directory, { recursive: true });
  });
  return {
    directory,
    storeOver: async (answers: Parameters<typeof faultServer>[0], settings: Partial<StorageConfig> = {}) => {
      const server = await faultServer(answers);
      const store = new S3Store(Object.assign(configOf(server.endpoint), settings));
      endings.push(() => {
        store.close();
      }, server.end);
      return { server, store };
    },
    fileOf: (bytes: number): { path: string; bytes: number } => {
      const path = join(directory, `${randomUUID()}.html`);
      writeFileSync(path, Buffer.alloc(bytes, 'x'));
      return { path, bytes };
    },
  };
}

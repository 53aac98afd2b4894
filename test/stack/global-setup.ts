import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectRoot } from '#deploy/stack/fetch.js';
import { startInfrastructure, type Infrastructure } from '#deploy/stack/infrastructure.js';

declare global {
  var tallyportTestStack: { infrastructure: Infrastructure; directory: string } | undefined;
}

/** Real Kafka, MinIO and PostgreSQL for the whole run; what is fetched is kept, data are fresh. */
export default async function setUp(): Promise<void> {
  process.env['LOG_LEVEL'] ??= 'silent';
  const directory = mkdtempSync(join(tmpdir(), 'tallyport-stack-'));
  const infrastructure = await startInfrastructure({
    home: process.env['TALLYPORT_STACK_HOME'] ?? join(projectRoot(), '.stack'),
    dataDir: directory,
    say: (line) => process.stderr.write(`${line}\n`),
  }).catch((error: unknown) => {
    rmSync(directory, { recursive: true, force: true });
    throw error;
  });
  globalThis.tallyportTestStack = { infrastructure, directory };
  process.env['TALLYPORT_STACK_ENV'] = JSON.stringify(infrastructure.env);
}

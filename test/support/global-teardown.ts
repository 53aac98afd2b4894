import { rmSync } from 'node:fs';

export default async function tearDown(): Promise<void> {
  const postgres = globalThis.tallyportTestPostgres;
  if (postgres === undefined) return;
  await postgres.server.stop();
  rmSync(postgres.directory, { recursive: true, force: true });
}

import { rmSync } from 'node:fs';

export default async function tearDown(): Promise<void> {
  const stack = globalThis.tallyportTestStack;
  if (stack === undefined) return;
  await stack.infrastructure.stop();
  rmSync(stack.directory, { recursive: true, force: true });
}

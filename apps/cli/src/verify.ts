import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Command } from 'commander';
import { CommandFailure, type Session } from './session.js';

const VERIFIER = join('deploy', 'verifier', 'tallyport-verify.mjs');

interface Options {
  key?: string;
  checkpoint?: string;
  json?: boolean;
}

/** What the stand-alone verifier offers. */
interface Verifier {
  runVerifier: (words: readonly string[]) => { exit: 0 | 1 | 2; stdout: string; stderr: string };
}

/** `tallyport verify`: the stand-alone verifier itself, so that both always say the same. */
export function addVerifyCommand(tallyport: Command, session: Session): void {
  session
    .command(tallyport, 'verify <claim.csv> <bundle.json>', 'check a refund claim against its evidence bundle')
    .option('--key <vkey>', 'the key that must have signed; without it the key of the bundle is taken')
    .option('--checkpoint <file>', 'a checkpoint of the log that you kept')
    .action(async (claim: string, bundle: string, { key, checkpoint, json }: Options) => {
      const { runVerifier } = (await import(verifierUrl())) as Verifier;
      const { exit, stdout, stderr } = runVerifier([
        ...(key === undefined ? [] : ['--key', key]),
        ...(checkpoint === undefined ? [] : ['--checkpoint', checkpoint]),
        ...(json === true ? ['--json'] : []),
        claim,
        bundle,
      ]);
      session.stdout += stdout;
      session.stderr += stderr;
      session.code = exit;
    });
}

/** It lies beside the package and is not compiled: the sources and the built command are of different depth. */
function verifierUrl(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, VERIFIER))) {
    const parent = dirname(folder);
    if (parent === folder) throw new CommandFailure(`There is no ${VERIFIER} beside this command.`);
    folder = parent;
  }
  return pathToFileURL(join(folder, VERIFIER)).href;
}

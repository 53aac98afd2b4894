import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import type { ClaimInput, ClaimVerdict } from '../../../deploy/verifier/tallyport-verify.mjs';

/** Reads cases from stdin, a line each, and answers with a verdict a line: one process for all. */
const RUNNER = `
import base64, json, sys
sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
import tallyport_verify
for line in sys.stdin:
    case = json.loads(line)
    data = {name: base64.b64decode(case[name]) for name in ("claim", "bundle", "checkpoint") if name in case}
    if "key" in case:
        data["key"] = case["key"]
    print(json.dumps(tallyport_verify.verify_claim(**data)))
`;

/** The verdicts of deploy/verifier/tallyport_verify.py, or undefined, having said that it is skipped: there is no Python. */
export function verifyInPython(cases: readonly ClaimInput[]): ClaimVerdict[] | undefined {
  const lines = cases.map((one) => JSON.stringify({ ...one, ...inBase64(one) }));
  const { error, status, stdout, stderr } = spawnSync('python3', ['-c', RUNNER, resolve('deploy/verifier')], {
    input: lines.join('\n'),
    encoding: 'utf8',
    maxBuffer: 2 ** 30,
  });
  if (error !== undefined && 'code' in error && error.code === 'ENOENT') {
    process.stderr.write('skipped: there is no python3 for the second verifier\n');
    return undefined;
  }
  if (status !== 0) throw new Error(`The second verifier ended with ${String(status)}: ${stderr}`);
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as ClaimVerdict);
}

function inBase64({ claim, bundle, checkpoint }: ClaimInput): Record<string, string> {
  const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
  return {
    claim: base64(claim),
    bundle: base64(bundle),
    ...(checkpoint === undefined ? {} : { checkpoint: base64(checkpoint) }),
  };
}

/** What two verifiers must agree on: everything but the wording. */
export function agreement({ exit, trusted, rows }: ClaimVerdict): unknown {
  return { exit, trusted, rows: rows.map(({ row, asn, channel, ok }) => ({ row, asn, channel, ok })) };
}

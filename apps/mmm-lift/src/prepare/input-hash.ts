import { createHash } from 'node:crypto';
import { MODEL_VERSION, type MixInput } from '../mmm/mix-input.js';

/**
 * SHA-256, in hex, of all that decides the numbers of a run: its prepared input with tests and seed, as JSON with sorted
 * members, and the version of the model. Runs with equal hashes give equal numbers.
 */
export function inputHash(input: MixInput): string {
  return createHash('sha256')
    .update(canonical({ input, model_version: MODEL_VERSION }))
    .digest('hex');
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${canonical(member)}`).join(',')}}`;
}

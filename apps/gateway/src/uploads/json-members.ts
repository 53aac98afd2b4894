import type { IncomingMessage } from 'node:http';
import { AppError } from '#contracts/errors.js';
import { invalidParameter } from '#runtime/query.js';
import { acceptedType, receiveUpload, type UploadLimits } from './receive-upload.js';

const MOST_BYTES = 16_384;

type JsonLimits = Pick<UploadLimits, 'slowBodyMs' | 'spoolDirectory'> & {
  /** At most 1 MiB; 16 KiB unless it is said. */
  maxBytes?: number;
};

/**
 * The text of a small JSON body.
 *
 * @throws AppError `invalid_json`, and those of `acceptedType` and `receiveUpload`
 */
export async function receiveJson(request: IncomingMessage, limits: JsonLimits): Promise<string> {
  return textOf(await receiveJsonBytes(request, limits));
}

/** The same body as it came, with the SHA-256 of its bytes in hex; `textOf` reads it. */
export async function receiveJsonBytes(request: IncomingMessage, limits: JsonLimits): Promise<JsonBytes> {
  acceptedType(request, ['application/json']);
  const received = await receiveUpload(request, { maxBytes: MOST_BYTES, ...limits });
  await received.discard();
  const { body, sha256 } = received;
  if (!Buffer.isBuffer(body)) throw new Error('A body this small stays in memory.');
  return { bytes: body, sha256 };
}

export interface JsonBytes {
  bytes: Buffer;
  sha256: string;
}

/** @throws AppError `invalid_json` for bytes that are no UTF-8 */
export function textOf({ bytes }: JsonBytes): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new AppError('invalid_json', 'The body is not UTF-8.');
  }
}

/**
 * The members of a JSON object that has these and no others.
 *
 * @throws AppError `invalid_json` · `invalid_parameter` naming each member that is unknown or twice
 */
export function jsonMembers<Name extends string>(body: string, names: readonly Name[]): Partial<Record<Name, unknown>> {
  const given = parsed(body);
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw new AppError('invalid_json', `The body must be a JSON object with ${inWords(names)}.`);
  const errors = [
    ...Object.keys(given)
      .filter((name) => !names.some((known) => known === name))
      .map((name) => ({ name, reason: 'is not a member of this body' })),
    ...names
      .filter((name) => timesNamed(body, name) > 1)
      .map((name) => ({ name: name, reason: 'is given more than once' })),
  ];
  if (errors.length > 0) throw invalidParameter(errors);
  return given;
}

function inWords(names: readonly string[]): string {
  const quoted = names.map((name) => `\`${name}\``);
  const last = quoted.pop() ?? '';
  return quoted.length === 0 ? last : `${quoted.join(', ')} and ${last}`;
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    throw new AppError('invalid_json', 'The body is not valid JSON.');
  }
}

/** How often an object names a member itself, not in what it holds; JSON.parse() keeps the last and says nothing. */
function timesNamed(json: string, member: string): number {
  let depth = 0;
  let times = 0;
  for (const [token, colon] of tokensOf(json)) {
    if (token === '{' || token === '[') depth++;
    else if (token === '}' || token === ']') depth--;
    else if (depth === 1 && colon !== '' && JSON.parse(token) === member) times++;
  }
  return times;
}

/** Brackets, and strings with the colon behind those that are names. */
function* tokensOf(json: string): Generator<[token: string, colon: string]> {
  for (const [, token = '', colon = ''] of json.matchAll(/([{}[\]]|"(?:[^"\\]|\\.)*")\s*(:?)/g)) yield [token, colon];
}

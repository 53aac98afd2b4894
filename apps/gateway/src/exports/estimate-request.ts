import { AppError } from '#contracts/errors.js';
import type { ExportFile } from '#contracts/exports.js';
import { invalidParameter } from '#runtime/query.js';
import { checkFileQuery, reportNamed, type AskedFile } from './exports.dto.js';

/** What is to be estimated: a file and its query. */
export interface EstimateRequest {
  file: ExportFile;
  /** Without a query. */
  path: string;
  query: AskedFile;
}

const MEMBERS = ['path', 'from', 'to'] as const;
type Members = Partial<Record<(typeof MEMBERS)[number], string>>;

/** The export paths other than those of the reports, with the values that their `format` may have. */
const PATHS: Record<string, { file: ExportFile; formats: readonly string[] }> = {
  '/api/v1/export/channels': { file: 'channels-advanced', formats: ['csv', 'json'] },
  '/api/v1/events/raw': { file: 'raw-events', formats: ['csv'] },
  '/api/v1/consent/export': { file: 'consent-records', formats: ['csv', 'json'] },
};

/**
 * Reads `{path, from?, to?}`. The path may carry `format`, `bom` and `formulas` as when it is asked for the file, and
 * nothing else.
 *
 * @throws AppError `invalid_json` · `invalid_parameter` naming each member that is unknown, twice, or not of its form ·
 *   `unknown_report`
 */
export function readEstimateRequest(body: string): EstimateRequest {
  const { path: asked, from, to } = membersOf(body);
  if (asked === undefined) throw invalidParameter([{ name: 'path', reason: 'is missing' }]);
  const [path = '', search = ''] = asked.split('?', 2);
  const report = /^\/api\/v1\/export\/([^/]*)\.csv$/.exec(path)?.[1];
  const known = Object.hasOwn(PATHS, path) ? PATHS[path] : undefined;
  if (report === undefined && known === undefined)
    throw invalidParameter([{ name: 'path', reason: 'is not the path of a file that is exported' }]);
  const query: AskedFile = {
    ...queryOf(search, known?.formats ?? []),
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
  };
  checkFileQuery(query);
  return { file: known?.file ?? reportNamed(report), path, query };
}

function membersOf(body: string): Members {
  const given = parsed(body);
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw new AppError('invalid_json', 'The body must be a JSON object with `path`, `from` and `to`.');
  const errors = Object.entries(given).flatMap(([name, value]) => {
    if (!MEMBERS.some((known) => known === name)) return [{ name, reason: 'is not a member of this body' }];
    return typeof value === 'string' ? [] : [{ name, reason: 'must be a string' }];
  });
  for (const name of MEMBERS) if (timesNamed(body, name) > 1) errors.push({ name, reason: 'is given more than once' });
  if (errors.length > 0) throw invalidParameter(errors);
  return given;
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

function queryOf(search: string, formats: readonly string[]): AskedFile {
  const allowed: Record<string, readonly string[]> = {
    ...(formats.length === 0 ? {} : { format: formats }),
    bom: ['0', '1'],
    formulas: ['escaped', 'raw'],
  };
  const query: Record<string, string> = {};
  for (const [name, value] of new URLSearchParams(search)) {
    const values = Object.hasOwn(allowed, name) ? allowed[name] : undefined;
    if (values?.includes(value) !== true || name in query)
      throw invalidParameter([{ name: 'path', reason: `has a query that it does not take: ${name}` }]);
    query[name] = value;
  }
  return query;
}

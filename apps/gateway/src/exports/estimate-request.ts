import { isUUID } from 'class-validator';
import type { ExportFile, ExportFormat } from '#contracts/exports.js';
import { ENTITY_ID } from '#contracts/integrity/severity.js';
import { BLOCKLIST_DEFAULT_CAP } from '#contracts/layouts/blocklist.layout.js';
import { invalidParameter } from '#runtime/query.js';
import { capOf } from '../integrity/cap.js';
import { jsonMembers } from '../uploads/json-members.js';
import { checkFileQuery, reportNamed, type AskedFile } from './exports.dto.js';

/** What is to be estimated: a file and its query. */
export interface EstimateRequest {
  file: ExportFile;
  /** Without a query. */
  path: string;
  query: AskedFile;
  /** Of a path that has one form only, which is not CSV. */
  onlyForm?: ExportFormat;
  entityId?: string;
  /** Of the file of a model run or a lift test, whose days do not depend on the query. */
  runId?: string;
  testId?: string;
}

interface FilePath {
  file: ExportFile;
  /** The values that `format` may have. */
  formats?: readonly string[];
  onlyForm?: ExportFormat;
  hasCap?: true;
}

const MEMBERS = ['path', 'from', 'to'] as const;
type Members = Partial<Record<(typeof MEMBERS)[number], string>>;

/** The export paths other than those of the reports and of single objects. */
const PATHS: Record<string, FilePath> = {
  '/api/v1/export/channels': { file: 'channels-advanced', formats: ['csv', 'json'] },
  '/api/v1/events/raw': { file: 'raw-events', formats: ['csv'] },
  '/api/v1/consent/export': { file: 'consent-records', formats: ['csv', 'json'] },
  '/api/v1/integrity/evidence/refund.csv': { file: 'refund-claim' },
  '/api/v1/integrity/evidence/bundle.json': { file: 'evidence-bundle', onlyForm: 'json' },
  '/api/v1/integrity/blocklist/google.csv': { file: 'google-ip-exclusions' },
  '/api/v1/integrity/blocklist.csv': { file: 'blocklist', hasCap: true },
  '/api/v1/integrity/blocklist/meta.csv': { file: 'meta-network-advisory' },
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
  const [path = '', ...queries] = asked.split('?');
  const search = queries.join('?');
  const known = fileAt(path);
  const { file, onlyForm, entityId, runId, testId } = known;
  const hasOwnRange = runId !== undefined || testId !== undefined;
  const query: AskedFile = {
    ...queryOf(search, known),
    ...(from === undefined || hasOwnRange ? {} : { from }),
    ...(to === undefined || hasOwnRange ? {} : { to }),
  };
  checkFileQuery(query);
  return {
    file,
    path,
    query,
    ...(onlyForm === undefined ? {} : { onlyForm }),
    ...(entityId === undefined ? {} : { entityId }),
    ...(runId === undefined ? {} : { runId }),
    ...(testId === undefined ? {} : { testId }),
  };
}

function fileAt(path: string): FilePath & Pick<EstimateRequest, 'entityId' | 'runId' | 'testId'> {
  const known = Object.hasOwn(PATHS, path) ? PATHS[path] : undefined;
  if (known !== undefined) return known;
  const report = /^\/api\/v1\/export\/([^/]*)\.csv$/.exec(path)?.[1];
  if (report !== undefined) return { file: reportNamed(report) };
  const [, entityId, csv] = /^\/api\/v1\/integrity\/entities\/([^/]*)(\/export\.csv)?$/.exec(path) ?? [];
  if (entityId !== undefined && ENTITY_ID.test(entityId))
    return { file: 'integrity-entity', entityId, ...(csv === undefined ? { onlyForm: 'json' } : {}) };
  const [, runId = ''] = /^\/api\/v1\/mmm\/runs\/([^/]*)\/export\.csv$/.exec(path) ?? [];
  if (isUUID(runId)) return { file: 'mmm-run', runId: runId.toLowerCase() };
  const [, testId = ''] = /^\/api\/v1\/lift\/tests\/([^/]*)\/export\.csv$/.exec(path) ?? [];
  if (isUUID(testId)) return { file: 'lift-test', testId: testId.toLowerCase() };
  throw invalidParameter([{ name: 'path', reason: 'is not the path of a file that is exported' }]);
}

function membersOf(body: string): Members {
  const given = jsonMembers(body, MEMBERS);
  const wrong = MEMBERS.filter((name) => given[name] !== undefined && typeof given[name] !== 'string');
  if (wrong.length > 0) throw invalidParameter(wrong.map((name) => ({ name, reason: 'must be a string' })));
  return given as Members;
}

function queryOf(search: string, { formats = [], onlyForm, hasCap }: FilePath): AskedFile {
  const allowed: Record<string, readonly string[]> = {
    ...(formats.length === 0 ? {} : { format: formats }),
    ...(onlyForm === undefined ? { bom: ['0', '1'], formulas: ['escaped', 'raw'] } : {}),
  };
  const query: Record<string, string | number> = hasCap === undefined ? {} : { cap: BLOCKLIST_DEFAULT_CAP };
  const seen = new Set<string>();
  for (const [name, value] of new URLSearchParams(search)) {
    const values = Object.hasOwn(allowed, name) ? allowed[name] : undefined;
    const cap = hasCap !== undefined && name === 'cap' ? capOf(value) : undefined;
    if ((values?.includes(value) !== true && cap === undefined) || seen.has(name))
      throw invalidParameter([{ name: 'path', reason: `has a query that it does not take: ${name}` }]);
    seen.add(name);
    query[name] = cap ?? value;
  }
  return query;
}

import type { DataSource } from 'typeorm';
import { AppError, problemOf, type Problem } from '#contracts/errors.js';
import type { ExportFile, ExportService } from '#contracts/exports.js';
import type { Outbox } from '#messaging/outbox.js';
import { isDependencyAway } from '#runtime/dependency-away.js';
import { loggerFor } from '#runtime/logger.js';
import { counter, durationHistogram } from '#runtime/metrics.js';
import { spoolBody, type SpooledBody } from '#storage/body-spool.js';
import { objectKey, type ObjectStore } from '#storage/object-store.js';
import type { Fence } from './end-import.js';
import { completeEstimate, completeExport, failExport, type StoredFile } from './end-export.js';
import type { ExportContent, ExportDefinition, ExportRequest } from './export-definition.js';
import type { ExportWork } from './export-job.js';
import { DatabaseSnapshot, type SpareConnections } from './export-snapshot.js';
import { FilePut } from './file-put.js';
import { JobStopped } from './job-runner.js';
import { LastingHash } from './lasting-hash.js';
import { retryWhileAway } from './retry-while-away.js';

const duration = durationHistogram({
  name: 'tallyport_export_duration_seconds',
  help: 'Time from claim to end of an export or estimate',
  labelNames: ['service', 'file', 'kind', 'status'],
});
const bytesWritten = counter({
  name: 'tallyport_export_bytes_total',
  help: 'Bytes of the files that were written',
  labelNames: ['service', 'file'],
});

/** What the exports of a service are made of and with. */
export interface ExportParts {
  service: ExportService;
  definitions: ReadonlyMap<ExportFile, ExportDefinition>;
  dataSource: DataSource;
  outbox: Outbox;
  objects: ObjectStore;
  spare: SpareConnections;
  spoolDirectory: string;
}

/** A file that is built and waits to be stored. */
interface BuiltFile {
  told: Omit<StoredFile, 'key' | 'name' | 'contentType'>;
  spooled: SpooledBody;
}

const log = loggerFor('exports');

/**
 * One export: build → store → end. Ends its job, unless it is stopped or the database is away: those are thrown, and the
 * job has no file. While the object storage is away the file that was built is kept, and stored when it is back.
 */
export async function runExport(
  work: ExportWork,
  fence: Fence,
  parts: ExportParts,
  signal: AbortSignal,
): Promise<void> {
  const labels = { service: parts.service, file: work.file, kind: work.kind };
  const observe = duration.startTimer(labels);
  try {
    if (work.kind === 'estimate') await estimateFile(work, fence, parts, signal);
    else await writeFile(work, fence, parts, signal);
    observe({ status: 'succeeded' });
  } catch (error) {
    if (signal.aborted || error instanceof JobStopped || isDependencyAway(error)) throw error;
    const problem = problemOfExport(error);
    if (problem.status >= 500) log.error({ err: error }, 'an export failed');
    await parts.outbox.transaction((tx) => failExport(tx, work.id, problem, fence));
    observe({ status: 'failed' });
  }
}

async function writeFile(work: ExportWork, fence: Fence, parts: ExportParts, signal: AbortSignal): Promise<void> {
  const name = definitionOf(work, parts).fileName(requestOf(work));
  const contentType = work.parameters.format === 'json' ? 'application/json' : 'text/csv; charset=utf-8';
  const key = objectKey('exports', work.assetId, work.id, keyName(work, name));
  const put = new FilePut(parts.objects, key, { contentType, signal });
  const { told, spooled } = await build(work, parts, put, signal);
  try {
    await put.finish(spooled.body);
    // Built anew, the file would be another one under the key of the first: only its end is tried again.
    await retryWhileAway(() => end(work, fence, parts, { ...told, key, name, contentType }), signal);
    bytesWritten.inc({ service: parts.service, file: work.file }, told.bytes);
  } finally {
    await spooled.discard();
  }
}

/** Everything that needs the snapshot; its connection is free again before the rest of the file is stored. */
async function build(work: ExportWork, parts: ExportParts, put: FilePut, signal: AbortSignal): Promise<BuiltFile> {
  const definition = definitionOf(work, parts);
  const request = requestOf(work);
  await definition.prepare?.(request);
  const snapshot = await DatabaseSnapshot.open(parts.dataSource, parts.spare, signal);
  try {
    const content = await definition.content(snapshot, request);
    const lasting = content.generated === undefined ? undefined : new LastingHash(content.generated);
    const spooled = await spoolBody(heard(content, lasting), {
      directory: parts.spoolDirectory,
      onFile: (file) => {
        put.begin(file);
      },
      signal,
    });
    try {
      return { spooled, told: told(content, spooled, lasting) };
    } catch (error) {
      await spooled.discard();
      throw error;
    }
  } catch (error) {
    await put.settled();
    throw error;
  } finally {
    await snapshot.close();
  }
}

function told(
  content: ExportContent,
  { bytes, sha256 }: SpooledBody,
  lasting: LastingHash | undefined,
): BuiltFile['told'] {
  const etag =
    lasting === undefined
      ? `"${Buffer.from(sha256, 'hex').toString('base64url')}"`
      : `W/"${lasting.digest().toString('base64url')}"`;
  const { limit, truncated, columnsOmitted, holdsCost } = content;
  return { bytes, sha256, etag, ...content.counts(), limit, truncated, columnsOmitted, holdsCost };
}

async function* heard(content: ExportContent, lasting: LastingHash | undefined): AsyncGenerator<Buffer> {
  for await (const chunk of content.chunks) {
    lasting?.add(chunk);
    yield chunk;
  }
}

/** Each start writes a key of its own: what a worker that was thought dead still stores is not what the job names. */
function keyName({ attempt }: ExportWork, fileName: string): string {
  return attempt === 1 ? fileName : `${attempt}-${fileName}`;
}

/** After a lost connection the commit may have happened all the same. */
async function end(work: ExportWork, fence: Fence, parts: ExportParts, file: StoredFile): Promise<void> {
  if (await parts.outbox.transaction((tx) => completeExport(tx, work, fence, file))) return;
  const [job] = await parts.dataSource.query<{ object_key: string | null; sha256: string | null }[]>(
    `SELECT object_key, sha256 FROM exports.job WHERE export_id = $1 AND status = 'succeeded'`,
    [work.id],
  );
  if (job?.object_key !== file.key || job.sha256 !== file.sha256) throw new JobStopped('lease_lost');
}

async function estimateFile(work: ExportWork, fence: Fence, parts: ExportParts, signal: AbortSignal): Promise<void> {
  const snapshot = await DatabaseSnapshot.open(parts.dataSource, parts.spare, signal);
  const {
    rows: all,
    bytesPerRow,
    limit,
    bytesBeside = 0,
  } = await definitionOf(work, parts)
    .estimate(snapshot, requestOf(work))
    .finally(() => snapshot.close());
  const rows = limit === null ? all : Math.min(all, limit);
  const estimate = { rows, bytes: Math.round(bytesBeside + rows * bytesPerRow), limit, truncated: all - rows };
  if (!(await completeEstimate(parts.dataSource, work, fence, estimate))) throw new JobStopped('lease_lost');
}

function definitionOf({ file }: ExportWork, { definitions }: ExportParts): ExportDefinition {
  const definition = definitions.get(file);
  if (definition === undefined) throw new Error(`There is no definition of ${file}.`);
  return definition;
}

function requestOf({ assetId, parameters }: ExportWork): ExportRequest {
  return { assetId, parameters, now: new Date() };
}

function problemOfExport(error: unknown): Problem {
  if (error instanceof AppError) return problemOf(error.code, error.detail, error.extensions);
  return problemOf('internal');
}

import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { ImportFormat, ImportStatus } from '#contracts/cost-import.js';
import type { Problem } from '#contracts/errors.js';
import type { ImportOutcome } from '#contracts/events/cost-import-completed.js';

/**
 * One upload and what became of it. The gateway creates the row, workers claim it and end it. The report, which may be
 * hundreds of kB, is in `imports.report`.
 */
@Entity({ schema: 'imports', name: 'job' })
@Index('job_import_id_idx', ['importId'])
@Index('job_newest_idx', ['assetId', 'createdAt', 'importId'])
@Index('job_queued_idx', ['createdAt', 'importId'], { where: "status = 'queued'" })
@Index('job_active_idx', ['assetId', 'createdAt', 'importId'], { where: "status IN ('queued', 'running')" })
@Index('job_one_running_per_asset', ['assetId'], { unique: true, where: "status = 'running'" })
export class ImportJob {
  @PrimaryColumn('uuid', { name: 'asset_id', primaryKeyConstraintName: 'job_pkey' })
  assetId: string;

  @PrimaryColumn('uuid', { name: 'import_id', primaryKeyConstraintName: 'job_pkey' })
  importId: string;

  @Column('text', { default: () => "'queued'" })
  status: ImportStatus;

  @Column('text', { nullable: true })
  outcome: ImportOutcome | null;

  /** Somebody waits for it: claimed before async imports of other assets. */
  @Column('boolean')
  sync: boolean;

  @Column('text')
  format: ImportFormat;

  @Column('text', { name: 'content_type' })
  contentType: string;

  @Column('text', { name: 'object_key' })
  objectKey: string;

  @Column('bigint', { name: 'file_bytes' })
  fileBytes: string;

  @Column('text', { name: 'file_sha256' })
  fileSha256: string;

  /** Name of the principal. */
  @Column('text', { name: 'requested_by' })
  requestedBy: string;

  @Column('text', { nullable: true })
  traceparent: string | null;

  /** Number of starts so far. */
  @Column('integer', { default: 0 })
  attempt: number;

  @Column('text', { name: 'locked_by', nullable: true })
  lockedBy: string | null;

  @Column('timestamptz', { name: 'lease_until', nullable: true })
  leaseUntil: Date | null;

  /** When the import is rolled back; for async imports set at the first start. */
  @Column('timestamptz', { name: 'deadline_at', nullable: true })
  deadlineAt: Date | null;

  /** Milliseconds from the first start to the deadline of an async import. */
  @Column('integer', { name: 'time_limit_ms' })
  timeLimitMs: number;

  @Column('bigint', { name: 'bytes_read', default: 0 })
  bytesRead: string;

  @Column('bigint', { name: 'rows_read', default: 0 })
  rowsRead: string;

  @Column('json', { nullable: true })
  error: Problem | null;

  @Column('timestamptz', { name: 'created_at', default: () => 'clock_timestamp()' })
  createdAt: Date;

  @Column('timestamptz', { name: 'started_at', nullable: true })
  startedAt: Date | null;

  @Column('timestamptz', { name: 'finished_at', nullable: true })
  finishedAt: Date | null;
}

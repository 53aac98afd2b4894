import type { Type } from '@nestjs/common';
import { GatewayConfig } from '#apps/gateway/src/gateway.config.js';
import { ImportWorkerConfig } from '#apps/import-worker/src/import-worker.config.js';
import { IngestConfig } from '#ingest/ingest.config.js';
import { TrafficConfig } from '#apps/integrity/src/ingest/ingest.config.js';
import { LedgerConfig } from '#apps/integrity/src/ledger/ledger.config.js';
import { NetworksConfig } from '#apps/integrity/src/networks/networks.config.js';
import { IntegrityConfig } from '#apps/integrity/src/integrity.config.js';
import { ModelingConfig } from '#apps/mmm-lift/src/modeling.config.js';
import { StandaloneConfig } from '#apps/standalone/src/standalone.config.js';
import { ERRORS } from '#contracts/errors.js';
import { ROW_CODES } from '#contracts/row-codes.js';
import { TOPICS } from '#contracts/topics.js';
import { DatabaseConfig } from '#database/database.config.js';
import { ExportConfig } from '#jobs/export.config.js';
import { HousekeepingConfig } from '#jobs/housekeeping.config.js';
import { JobConfig } from '#jobs/job.config.js';
import { MessagingConfig } from '#messaging/messaging.config.js';
import { settingsOf } from '#runtime/config.js';
import { HttpConfig } from '#runtime/http.config.js';
import { LogConfig } from '#runtime/logger.js';
import { StorageConfig } from '#storage/storage.config.js';

/** Every config class with the processes that read it. */
export const CONFIGS: [Type<object>, string][] = [
  [HttpConfig, 'every process'],
  [LogConfig, 'every process'],
  [DatabaseConfig, 'every process'],
  [MessagingConfig, 'every process'],
  [StorageConfig, 'every process'],
  [GatewayConfig, 'gateway'],
  [ImportWorkerConfig, 'import-worker'],
  [IngestConfig, 'reporting, integrity'],
  [IntegrityConfig, 'integrity'],
  [TrafficConfig, 'integrity'],
  [NetworksConfig, 'integrity'],
  [LedgerConfig, 'integrity'],
  [ModelingConfig, 'mmm-lift'],
  [ExportConfig, 'reporting, integrity, mmm-lift'],
  [JobConfig, 'import-worker, reporting, integrity, mmm-lift'],
  [HousekeepingConfig, 'gateway, import-worker, reporting, integrity, mmm-lift'],
  [StandaloneConfig, 'embedded mode'],
];

/** The tables of the README that must agree with the code, by the heading above them. */
export function readmeTables(): Record<string, string> {
  return {
    'Error codes': table(
      ['Code', 'Status', 'Meaning'],
      Object.entries(ERRORS).map(([code, { status, meaning }]) => [`\`${code}\``, String(status), meaning]),
    ),
    'Row codes': table(
      ['Code', 'Field', 'Row is', 'Meaning'],
      Object.entries(ROW_CODES).map(([code, { field, rejects, meaning }]) => [
        `\`${code}\``,
        field,
        rejects ? 'rejected' : 'imported',
        meaning,
      ]),
    ),
    Topics: table(
      ['Topic', 'Partitions', 'Kept', 'Says'],
      Object.entries(TOPICS).map(([topic, { partitions, retentionMs, summary }]) => [
        `\`${topic}\``,
        String(partitions),
        `${retentionMs / 86_400_000} days`,
        summary,
      ]),
    ),
    Settings: table(['Variable', 'Default', 'Read by', 'Meaning'], settings()),
  };
}

function settings(): string[][] {
  const rows = new Map<string, string[]>();
  for (const [config, process] of CONFIGS) {
    for (const { name, default: fallback, meaning } of settingsOf(config)) {
      const known = rows.get(name);
      if (known === undefined) rows.set(name, [`\`${name}\``, shown(fallback), process, meaning]);
      else known[2] = `${known[2] ?? ''}, ${process}`;
    }
  }
  return [...rows.values()];
}

function shown(fallback: unknown): string {
  if (fallback === undefined) return 'must be set';
  return fallback === '' ? 'empty' : `\`${JSON.stringify(fallback).replaceAll('"', '')}\``;
}

function table(head: string[], rows: string[][]): string {
  const line = (cells: string[]): string => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

import { DataSource } from 'typeorm';
import { REPORTING_EXPORTS } from '#apps/reporting/src/exports/reporting-exports.js';
import type { ExportFile } from '#contracts/exports.js';
import type { Credentials } from '#deploy/stack/first-start.js';
import type { ExportSnapshot } from '#jobs/export-definition.js';

/** The queries of a report without the file: its definition on a plain connection, each row only looked at. */
export async function reportSql(
  { asset_id: assetId, database_url: url }: Credentials,
  file: ExportFile,
  from: string,
  to: string,
): Promise<{ run: () => Promise<void>; end: () => Promise<void> }> {
  const definition = REPORTING_EXPORTS.find((each) => each.file === file);
  if (definition === undefined) throw new Error(`There is no report ${file}.`);
  const dataSource = await new DataSource({ type: 'postgres', url, poolSize: 1 }).initialize();
  let statements: [string, unknown[]][] = [];
  const snapshot: ExportSnapshot = {
    query: async <Row>(sql: string, parameters: unknown[] = []) => {
      statements.push([sql, parameters]);
      return dataSource.query<Row[]>(sql, parameters);
    },
    copyTo: () => {
      throw new Error('A report reads no COPY.');
    },
    second: () => Promise.resolve(undefined),
  };
  const asset = { name: 'Shop', timezone: 'UTC', currency: 'USD' };
  const parameters = {
    from,
    to,
    format: 'csv',
    escapeFormulas: true,
    omitCost: false,
    asset,
    serviceName: 'x',
  } as const;
  const { chunks } = await definition.content(snapshot, { assetId, parameters, now: new Date() });
  for await (const _ of chunks) continue;
  const recorded = statements;
  statements = [];
  return {
    run: async () => {
      for (const [sql, values] of recorded) await dataSource.query(sql, values);
    },
    end: () => dataSource.destroy(),
  };
}

import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AppError } from '#contracts/errors.js';
import type { DateRange } from '../exports/date-range.js';

interface FileRow {
  status: string;
  from: string | null;
  to: string | null;
}

/** What the file of a run or a test is of; there is none before it has succeeded. */
@Injectable()
export class ModelingFiles {
  constructor(@Inject(DataSource) private readonly dataSource: DataSource) {}

  /**
   * From the Monday of the first week to the Sunday of the last.
   *
   * @throws AppError `not_found` · `invalid_state`
   */
  async windowOfRun(assetId: string, runId: string): Promise<DateRange> {
    return this.window('run', [
      `SELECT status, to_char(window_from, 'YYYY-MM-DD') AS "from", to_char(window_to, 'YYYY-MM-DD') AS "to"
         FROM modeling.run WHERE asset_id = $1 AND run_id = $2`,
      [assetId, runId],
    ]);
  }

  /**
   * From the first day of the pre-period to the last of the window, tail included.
   *
   * @throws AppError `not_found` · `invalid_state`
   */
  async windowOfTest(assetId: string, testId: string): Promise<DateRange> {
    return this.window('test', [
      `SELECT t.status, to_char(r.pre_from, 'YYYY-MM-DD') AS "from", to_char(t.window_to, 'YYYY-MM-DD') AS "to"
         FROM modeling.lift_test t LEFT JOIN modeling.lift_result r USING (asset_id, test_id) WHERE asset_id = $1 AND test_id = $2`,
      [assetId, testId],
    ]);
  }

  private async window(what: 'run' | 'test', [sql, key]: [string, string[]]): Promise<DateRange> {
    const [row] = await this.dataSource.query<FileRow[]>(sql, key);
    if (row === undefined) throw new AppError('not_found', 'There is no such object.');
    const { status, from, to } = row;
    if (status === 'succeeded' && from !== null && to !== null) return { from, to };
    throw new AppError('invalid_state', `The ${what} is ${status}: it has no file.`, {
      headers: status === 'queued' || status === 'running' ? { 'Retry-After': '1' } : {},
    });
  }
}

import { IsIn, IsOptional, Matches } from 'class-validator';
import { EXPORT_FILES, REPORTS, type ExportFile, type ExportFormat, type Report } from '#contracts/exports.js';
import { AppError } from '#contracts/errors.js';
import { invalidParameter } from '#runtime/query.js';
import { RequiresFileAccess } from '../access/access.decorators.js';
import { AssetQuery } from '../lists/list-query.js';
import { checkDates } from './date-range.js';

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** Days in the time zone of the asset, both inclusive. */
export class RangeQuery extends AssetQuery {
  @IsOptional()
  @Matches(DAY, { message: 'from must be a date YYYY-MM-DD' })
  from?: string;

  @IsOptional()
  @Matches(DAY, { message: 'to must be a date YYYY-MM-DD' })
  to?: string;
}

/** The query of a path that gives out a file. */
export class FileQuery extends RangeQuery {
  @IsOptional()
  @IsIn(['0', '1'])
  bom?: '0' | '1';

  @IsOptional()
  @IsIn(['escaped', 'raw'])
  formulas?: 'escaped' | 'raw';
}

/** Of a file that there is as JSON too. */
export class TwoFormatQuery extends FileQuery {
  @IsOptional()
  @IsIn(['csv', 'json'])
  format?: ExportFormat;
}

/** What may be said of any file; `cap` of the block list alone. */
export type AskedFile = Pick<TwoFormatQuery, 'from' | 'to' | 'format' | 'bom' | 'formulas'> & { cap?: number };

/** Raw events are CSV, and the path says so. */
export class RawEventsQuery extends FileQuery {
  @IsIn(['csv'], { message: 'format must be csv' })
  format: 'csv';
}

/** Lets in members who may have the file, behind everything that can be wrong with the request itself. */
export function GivesOut(file: ExportFile): MethodDecorator {
  return RequiresFileAccess([EXPORT_FILES[file].permission], { file: () => file, check: checkFileQuery });
}

/** The same for the reports, whose path parameter says which. */
export function GivesOutReport(): MethodDecorator {
  const permissions = [...new Set(REPORTS.map((report) => EXPORT_FILES[report].permission))];
  return RequiresFileAccess(permissions, { file: ({ report }) => reportNamed(report), check: checkFileQuery });
}

/** @throws AppError `unknown_report` */
export function reportNamed(name: string | undefined): Report {
  const report = REPORTS.find((known) => known === name);
  if (report !== undefined) return report;
  throw new AppError('unknown_report', 'There is no report of this name.', { extensions: { allowed: REPORTS } });
}

/** What a query class can't say of one parameter alone. */
export function checkFileQuery(query: unknown): void {
  const { format, from, to, ...ofCsv } = query as AskedFile;
  const misplaced = (['bom', 'formulas'] as const).filter((name) => format === 'json' && ofCsv[name] !== undefined);
  if (misplaced.length > 0)
    throw invalidParameter(misplaced.map((name) => ({ name, reason: 'is for CSV files, not for format=json' })));
  checkDates({ ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) });
}

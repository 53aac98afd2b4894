import { IsIn, IsOptional, IsString, Matches } from 'class-validator';
import { AssetQuery } from '../lists/list-query.js';

const RUN_DETAILS = ['weeks', 'curves', 'diagnostics'] as const;
export type RunDetail = (typeof RUN_DETAILS)[number];

const TEST_DETAILS = ['days', 'diagnostics'] as const;
export type TestDetail = (typeof TEST_DETAILS)[number];

export class RunQuery extends AssetQuery {
  @IsOptional()
  @Matches(listOf(RUN_DETAILS), { message: `include must be one or more of ${RUN_DETAILS.join(',')}` })
  include?: string;
}

export class TestQuery extends AssetQuery {
  @IsOptional()
  @Matches(listOf(TEST_DETAILS), { message: `include must be one or more of ${TEST_DETAILS.join(',')}` })
  include?: string;
}

/** The file of a run or a test is of its own window, so days are not looked at. */
export class ModelingFileQuery extends AssetQuery {
  @IsOptional()
  @IsString()
  from?: string;

  @IsOptional()
  @IsString()
  to?: string;

  @IsOptional()
  @IsIn(['0', '1'])
  bom?: '0' | '1';

  @IsOptional()
  @IsIn(['escaped', 'raw'])
  formulas?: 'escaped' | 'raw';
}

/** The words of an `include` that has been checked. */
export function detailsOf<Detail extends string>(include: string | undefined): ReadonlySet<Detail> {
  return new Set(include?.split(',') as Detail[] | undefined);
}

function listOf(words: readonly string[]): RegExp {
  const word = `(?:${words.join('|')})`;
  return new RegExp(`^${word}(?:,${word})*$`);
}

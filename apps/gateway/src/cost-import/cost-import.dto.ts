import { IsIn, IsOptional } from 'class-validator';
import { AssetQuery } from '../lists/list-query.js';

export class TemplateQuery extends AssetQuery {
  @IsOptional()
  @IsIn(['0', '1'])
  example?: '0' | '1';

  /** Byte-order mark: overrides the default of the file, which is none. */
  @IsOptional()
  @IsIn(['0', '1'])
  bom?: '0' | '1';

  @IsOptional()
  @IsIn(['escaped', 'raw'])
  formulas?: 'escaped' | 'raw';
}

import 'reflect-metadata';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsDefined,
  IsIn,
  IsInt,
  IsOptional,
  IsString,
  IsUUID,
  Matches,
  Min,
  ValidateNested,
} from 'class-validator';

/** More touched channels than this are not listed: a message stays small. */
export const MAX_CHANNELS_IN_EVENT = 1000;

export const IMPORT_OUTCOMES = ['clean', 'with_warnings', 'partial', 'none'] as const;
export type ImportOutcome = (typeof IMPORT_OUTCOMES)[number];

const ISO_DATE = /^\d{4}-\d{2}-\d{2}$/;

/** A run of weeks, both ends inclusive, each named by its Sunday. */
export class WeekRange {
  @Matches(ISO_DATE)
  from: string;

  @Matches(ISO_DATE)
  to: string;
}

export class StoredObject {
  @IsString()
  key: string;

  @Matches(/^[0-9a-f]{64}$/)
  sha256: string;
}

/** `cost-import.completed.v1`: what was committed, in counts; the report itself is in the job record. */
export class CostImportCompleted {
  static readonly topic = 'cost-import.completed.v1';

  @IsUUID()
  import_id: string;

  @IsUUID()
  asset_id: string;

  @IsIn(IMPORT_OUTCOMES)
  outcome: ImportOutcome;

  @IsInt()
  @Min(0)
  total: number;

  @IsInt()
  @Min(0)
  inserted: number;

  @IsInt()
  @Min(0)
  updated: number;

  @IsInt()
  @Min(0)
  skipped: number;

  /** Stored rows that really differ from before: 0 when the same file came again. */
  @IsInt()
  @Min(0)
  changed: number;

  @IsOptional()
  @Matches(ISO_DATE)
  imported_from: string | null;

  @IsOptional()
  @Matches(ISO_DATE)
  imported_to: string | null;

  /** Channels of imported rows as written in the file, sorted, cut at 1,000. */
  @IsArray()
  @ArrayMaxSize(MAX_CHANNELS_IN_EVENT)
  @IsString({ each: true })
  channels: string[];

  @IsBoolean()
  channels_truncated: boolean;

  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => WeekRange)
  weeks: WeekRange[];

  @IsDefined()
  @ValidateNested()
  @Type(() => StoredObject)
  file: StoredObject;
}

import { IsIn, IsInt, IsOptional, IsString, IsUUID, Min } from 'class-validator';
import { TRUST_TIERS } from '../modeling/run-state.js';

/** `mmm.run-completed.v1`: a model run succeeded or failed. Skipped runs say nothing. */
export class MmmRunCompleted {
  static readonly topic = 'mmm.run-completed.v1';

  @IsUUID()
  asset_id: string;

  @IsUUID()
  run_id: string;

  @IsString()
  target: string;

  @IsIn(['succeeded', 'failed'])
  status: string;

  @IsOptional()
  @IsIn(TRUST_TIERS)
  trust_tier: string | null;

  @IsOptional()
  @IsInt()
  @Min(1)
  n_weeks: number | null;

  @IsOptional()
  @IsInt()
  @Min(1)
  n_channels: number | null;

  @IsOptional()
  @IsString()
  error_code: string | null;
}

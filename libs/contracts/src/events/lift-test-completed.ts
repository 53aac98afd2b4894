import { IsArray, IsIn, IsOptional, IsString, IsUUID } from 'class-validator';
import { TRUST_TIERS } from '../modeling/run-state.js';

/** `lift.test-completed.v1`: a lift test was evaluated or failed; a model of its metric may learn from it. */
export class LiftTestCompleted {
  static readonly topic = 'lift.test-completed.v1';

  @IsUUID()
  asset_id: string;

  @IsUUID()
  test_id: string;

  /** A target. */
  @IsString()
  metric: string;

  @IsArray()
  @IsString({ each: true })
  channels: string[];

  @IsIn(['succeeded', 'failed'])
  status: string;

  @IsOptional()
  @IsIn(TRUST_TIERS)
  trust_tier: string | null;

  @IsOptional()
  @IsString()
  error_code: string | null;
}

import { IsIn, IsInt, IsOptional, IsString, IsUUID, Matches, Min } from 'class-validator';

const ISO_DATE = /^\d{4}-\d{2}-\d{2}$/;
const SEVERITIES = ['clean', 'suspected', 'likely', 'confirmed'] as const;

/** `integrity.verdict-changed.v1`: the current severity of an entity rose, or fell after quiet days. */
export class IntegrityVerdictChanged {
  static readonly topic = 'integrity.verdict-changed.v1';

  @IsUUID()
  asset_id: string;

  @IsString()
  entity_id: string;

  @IsIn(['network', 'host', 'asn', 'visitor'])
  entity_type: string;

  /** Of networks and hosts. */
  @IsOptional()
  @IsString()
  cidr: string | null;

  @IsOptional()
  @IsInt()
  asn: number | null;

  @IsString()
  network_type: string;

  @IsIn(SEVERITIES)
  old_severity: string;

  @IsIn(SEVERITIES)
  new_severity: string;

  @IsIn(['GIVT', 'SIVT'])
  ivt_class: string;

  /** A decimal number from 0 to 1. */
  @Matches(/^[01]\.\d{4}$/)
  p: string;

  @Matches(ISO_DATE)
  window_from: string;

  @Matches(ISO_DATE)
  window_to: string;

  /** Of the entry in the asset's ledger. */
  @IsInt()
  @Min(1)
  ledger_seq: number;
}

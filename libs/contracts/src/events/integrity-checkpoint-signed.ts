import { IsInt, IsString, IsUUID, Matches, Min } from 'class-validator';

/** `integrity.checkpoint-signed.v1`: a copy of the ledger's state outside the database. */
export class IntegrityCheckpointSigned {
  static readonly topic = 'integrity.checkpoint-signed.v1';

  @IsUUID()
  asset_id: string;

  /** Entries that the checkpoint covers. */
  @IsInt()
  @Min(1)
  size: number;

  /** RFC 6962 root in hex. */
  @Matches(/^[0-9a-f]{64}$/)
  root: string;

  /** The signed note. */
  @IsString()
  note: string;

  /** In the object storage. */
  @IsString()
  key: string;
}

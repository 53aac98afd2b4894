import { Column, Entity, JoinColumn, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { Principal } from './principal.entity.js';

/** An opaque bearer token `tp_<id>_<secret>`; of the secret only the SHA-256 is kept. */
@Entity({ schema: 'access', name: 'api_token' })
export class ApiToken {
  @PrimaryColumn('text', { name: 'token_id', primaryKeyConstraintName: 'api_token_pkey' })
  tokenId: string;

  @Column('uuid', { name: 'principal_id' })
  principalId: string;

  @Column('bytea', { name: 'secret_sha256' })
  secretSha256: Buffer;

  @Column('timestamptz', { name: 'created_at', default: () => 'now()' })
  createdAt: Date;

  /** Null: does not expire. */
  @Column('timestamptz', { name: 'expires_at', nullable: true })
  expiresAt: Date | null;

  @Column('timestamptz', { name: 'revoked_at', nullable: true })
  revokedAt: Date | null;

  @ManyToOne(() => Principal, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'principal_id', foreignKeyConstraintName: 'api_token_principal_id_fkey' })
  principal: Relation<Principal>;
}

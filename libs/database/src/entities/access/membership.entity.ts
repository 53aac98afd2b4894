import { Column, Entity, JoinColumn, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import type { Permission, Restriction } from '#contracts/permissions.js';
import { Asset } from './asset.entity.js';
import { Principal } from './principal.entity.js';

/** Joins a principal to one asset: what it may do there, and what is withheld from it. */
@Entity({ schema: 'access', name: 'membership' })
export class Membership {
  @PrimaryColumn('uuid', { name: 'asset_id', primaryKeyConstraintName: 'membership_pkey' })
  assetId: string;

  @PrimaryColumn('uuid', { name: 'principal_id', primaryKeyConstraintName: 'membership_pkey' })
  principalId: string;

  @Column('text', { array: true, default: () => "'{}'" })
  permissions: Permission[];

  @Column('text', { array: true, default: () => "'{}'" })
  restrictions: Restriction[];

  @ManyToOne(() => Asset, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'asset_id', foreignKeyConstraintName: 'membership_asset_id_fkey' })
  asset: Relation<Asset>;

  @ManyToOne(() => Principal, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'principal_id', foreignKeyConstraintName: 'membership_principal_id_fkey' })
  principal: Relation<Principal>;
}

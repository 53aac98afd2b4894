import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A property whose traffic and spend are measured; the tenant of everything else. */
@Entity({ schema: 'access', name: 'asset' })
export class Asset {
  @PrimaryColumn('uuid', { name: 'asset_id', primaryKeyConstraintName: 'asset_pkey' })
  assetId: string;

  @Column('text')
  name: string;

  /** IANA name; «today» and every date range are meant in it. */
  @Column('text')
  timezone: string;

  /** ISO 4217. */
  @Column('text')
  currency: string;

  @Column('timestamptz', { name: 'created_at', default: () => 'now()' })
  createdAt: Date;
}

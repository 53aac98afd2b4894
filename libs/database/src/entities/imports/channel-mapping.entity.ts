import { Column, Entity, PrimaryColumn } from 'typeorm';

/** An asset's own word on a channel name: its family, before the dictionary is asked. */
@Entity({ schema: 'imports', name: 'channel_mapping' })
export class ChannelMapping {
  @PrimaryColumn('uuid', { name: 'asset_id', primaryKeyConstraintName: 'channel_mapping_pkey' })
  assetId: string;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'channel_mapping_pkey' })
  name: string;

  @Column('text')
  family: string;
}

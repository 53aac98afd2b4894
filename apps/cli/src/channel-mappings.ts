import type { DataSource, EntityManager } from 'typeorm';
import { normalizeChannel } from '#contracts/channels/classify-channel.js';
import { CHANNEL_FAMILIES, type ChannelFamily } from '#contracts/channels/platforms.js';
import { ChannelMapping } from '#database/entities/imports/channel-mapping.entity.js';
import { CommandFailure } from './session.js';

const NAME_LIMIT = 256;

interface MappingRecord {
  asset_id: string;
  /** As it was given. */
  name: string;
  family: string;
}

/** The channel mapping of an asset. Names that normalise alike are one mapping: files are read that way. */
export class ChannelMappings {
  constructor(private readonly dataSource: DataSource) {}

  /** Stores the name as given, trimmed, in place of one that reads alike. */
  async set(assetId: string, name: string, family: string): Promise<MappingRecord> {
    const trimmed = checkedName(name);
    const known = checkedFamily(family);
    return this.dataSource.transaction(async (manager) => {
      const asset = await lockAsset(manager, assetId);
      const alike = await findAlike(manager, asset, trimmed);
      if (alike !== undefined) await manager.remove(alike);
      return record(
        await manager.save(manager.create(ChannelMapping, { assetId: asset, name: trimmed, family: known })),
      );
    });
  }

  /** @returns what was removed */
  async remove(assetId: string, name: string): Promise<MappingRecord> {
    return this.dataSource.transaction(async (manager) => {
      const asset = await lockAsset(manager, assetId);
      const alike = await findAlike(manager, asset, name);
      if (alike === undefined) throw new CommandFailure(`"${name}" is not mapped in the asset ${asset}.`);
      const removed = record(alike);
      await manager.remove(alike);
      return removed;
    });
  }

  async list(assetId: string): Promise<MappingRecord[]> {
    return this.dataSource.transaction(async (manager) => {
      const asset = await lockAsset(manager, assetId);
      const mappings = await manager.find(ChannelMapping, { where: { assetId: asset }, order: { name: 'ASC' } });
      return mappings.map(record);
    });
  }
}

/** Alike names have different keys in the table, so two writers of one asset must take turns. */
async function lockAsset(manager: EntityManager, assetId: string): Promise<string> {
  const [asset] = await manager.query<{ asset_id: string }[]>(
    'SELECT asset_id FROM access.asset WHERE asset_id::text = lower($1) FOR NO KEY UPDATE',
    [assetId],
  );
  if (asset === undefined) throw new CommandFailure(`There is no asset ${assetId}.`);
  return asset.asset_id;
}

async function findAlike(manager: EntityManager, assetId: string, name: string): Promise<ChannelMapping | undefined> {
  const normal = normalizeChannel(name);
  const mappings = await manager.findBy(ChannelMapping, { assetId });
  return mappings.find((mapping) => normalizeChannel(mapping.name) === normal);
}

function checkedName(name: string): string {
  const trimmed = name.trim();
  if (normalizeChannel(trimmed) === '') throw new CommandFailure('The name of a channel needs a letter or a digit.');
  if (Array.from(trimmed).length > NAME_LIMIT)
    throw new CommandFailure(`The name of a channel has at most ${NAME_LIMIT} characters.`);
  return trimmed;
}

function checkedFamily(family: string): ChannelFamily {
  const known = CHANNEL_FAMILIES.find((one) => one === family);
  if (known === undefined)
    throw new CommandFailure(`"${family}" is no family: choose from ${CHANNEL_FAMILIES.join(', ')}.`);
  return known;
}

function record({ assetId, name, family }: ChannelMapping): MappingRecord {
  return { asset_id: assetId, name, family };
}

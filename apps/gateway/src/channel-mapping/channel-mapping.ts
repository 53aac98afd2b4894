import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { normalizeChannel } from '#contracts/channels/classify-channel.js';
import { CHANNEL_FAMILIES, type ChannelFamily } from '#contracts/channels/platforms.js';
import { ChannelMapping } from '#database/entities/imports/channel-mapping.entity.js';
import { BodyMembers, MemberFault } from '../uploads/body-members.js';
import { list, memberOf, members as membersOf, oneOf, text } from '../uploads/member-values.js';

export const MOST_MAPPINGS = 1_000;

/** A channel name of an asset and its family, before the dictionary is asked. */
export interface MappedChannel {
  name: string;
  family: ChannelFamily;
}

/**
 * Reads `{mapping: [{name, family}]}`. Names that read alike, without case, accents and punctuation, are one channel and
 * may occur once.
 *
 * @throws AppError `invalid_json` · `invalid_parameter` naming the first item that is wrong
 */
export function readChannelMapping(body: string): MappedChannel[] {
  const members = new BodyMembers(body, ['mapping']);
  const mapping = members.required('mapping', withoutAlike(list(mappedChannel, { most: MOST_MAPPINGS })));
  members.check();
  return mapping ?? [];
}

function mappedChannel(value: unknown): MappedChannel {
  const given = membersOf(value, ['name', 'family']);
  return { name: memberOf(given, 'name', channelName), family: memberOf(given, 'family', oneOf(CHANNEL_FAMILIES)) };
}

function channelName(value: unknown): string {
  const name = text()(value);
  if (normalizeChannel(name) === '') throw new MemberFault('needs a letter or a digit');
  return name;
}

function withoutAlike(read: (value: unknown) => MappedChannel[]): typeof read {
  return (value) => {
    const mapping = read(value);
    const seen = new Set<string>();
    for (const [index, { name }] of mapping.entries()) {
      const normal = normalizeChannel(name);
      if (seen.has(normal)) throw new MemberFault('reads like a name before it', `[${index}].name`);
      seen.add(normal);
    }
    return mapping;
  };
}

/** The channel mapping of an asset as a whole; the command line changes single names. */
@Injectable()
export class ChannelMappingStore {
  constructor(@Inject(DataSource) private readonly dataSource: DataSource) {}

  /** By name. */
  async find(assetId: string): Promise<MappedChannel[]> {
    return this.dataSource.query<MappedChannel[]>(
      `SELECT name, family FROM imports.channel_mapping WHERE asset_id = $1 ORDER BY name COLLATE "C"`,
      [assetId],
    );
  }

  /** In place of the mapping before. The asset is locked: two writers must take turns, also with the command line. */
  async replace(assetId: string, mapping: readonly MappedChannel[]): Promise<void> {
    await this.dataSource.transaction(async (manager) => {
      await manager.query('SELECT FROM access.asset WHERE asset_id = $1 FOR NO KEY UPDATE', [assetId]);
      await manager.delete(ChannelMapping, { assetId });
      await manager.insert(
        ChannelMapping,
        mapping.map((channel) => ({ assetId, ...channel })),
      );
    });
  }
}

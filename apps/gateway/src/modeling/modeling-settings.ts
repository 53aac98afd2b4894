import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { ModelingSettings } from '#contracts/modeling/settings.js';
import { readSettings } from '#database/modeling/read-settings.js';
import { rowReader } from '#database/modeling/row-reader.js';
import { BodyMembers } from '../uploads/body-members.js';
import { decimal, list } from '../uploads/member-values.js';
import { target } from './modeling-values.js';

const MOST_TARGETS = 20;

/** What an asset has decided; null: the default, or unknown. */
export interface NewModelingSettings {
  targets: string[] | null;
  conversion_value: string | null;
}

/**
 * Reads `{targets?, conversion_value?}`; null is an absent member.
 *
 * @throws AppError `invalid_json` · `invalid_parameter` naming each member that is wrong
 */
export function readModelingSettings(body: string): NewModelingSettings {
  const members = new BodyMembers(body, ['targets', 'conversion_value']);
  const settings = {
    targets: members.optional('targets', list(target, { least: 1, most: MOST_TARGETS })) ?? null,
    conversion_value: members.optional('conversion_value', decimal) ?? null,
  };
  members.check();
  return settings;
}

/** What an asset decides about its models. */
@Injectable()
export class ModelingSettingsStore {
  constructor(@Inject(DataSource) private readonly dataSource: DataSource) {}

  /** As they are in force. */
  find(assetId: string): Promise<ModelingSettings> {
    return readSettings(rowReader(this.dataSource), assetId);
  }

  /** In place of those before. */
  async replace(assetId: string, { targets, conversion_value }: NewModelingSettings): Promise<void> {
    await this.dataSource.query(
      `INSERT INTO modeling.asset_setting (asset_id, targets, conversion_value) VALUES ($1, $2, $3)
       ON CONFLICT (asset_id) DO UPDATE SET targets = excluded.targets, conversion_value = excluded.conversion_value`,
      [assetId, targets, conversion_value],
    );
  }
}

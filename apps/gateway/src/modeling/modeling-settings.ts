import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { ModelingSettings } from '#contracts/modeling/settings.js';
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

  /** As they are in force: the default targets are conversions, and revenue once any value exists. */
  async find(assetId: string): Promise<ModelingSettings> {
    const [row] = await this.dataSource.query<[ModelingSettings]>(
      `SELECT coalesce(targets, CASE WHEN EXISTS (SELECT FROM reporting.outcome_day WHERE asset_id = $1 AND target = 'revenue')
                                     THEN ARRAY['conversions', 'revenue'] ELSE ARRAY['conversions'] END) AS targets,
              conversion_value::text AS conversion_value
         FROM (SELECT) AS one LEFT JOIN modeling.asset_setting ON asset_id = $1`,
      [assetId],
    );
    return row;
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

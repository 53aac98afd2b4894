import { CHANNEL_FAMILIES } from '#contracts/channels/platforms.js';
import type { ModelingSettings } from '#contracts/modeling/settings.js';
import type { ChannelMappingBody } from '../channel-mapping/channel-mapping.controller.js';
import { MOST_MAPPINGS, type MappedChannel } from '../channel-mapping/channel-mapping.js';
import type { NewModelingSettings } from '../modeling/modeling-settings.js';
import { TARGET } from './modeling-values.schemas.js';
import { objectOf, type Schema } from './object-schema.js';

const VALUE = { pattern: '^\\d{1,15}(\\.\\d{1,6})?$' };

export const MODELING_SETTINGS_SCHEMAS: Record<string, Schema> = {
  ModelingSettings: objectOf<ModelingSettings>({
    targets: {
      type: 'array',
      items: TARGET,
      description:
        'Of automatic runs. The default is `conversions`, and `revenue` once any event has a value; asked for, any target is modelled.',
    },
    conversion_value: {
      type: ['string', 'null'],
      ...VALUE,
      description: "What a conversion is worth, in the asset's currency. Null: unknown, and so are returns of counts.",
    },
  }),
  NewModelingSettings: objectOf<NewModelingSettings>(
    {
      targets: {
        type: ['array', 'null'],
        items: TARGET,
        minItems: 1,
        maxItems: 20,
        uniqueItems: true,
        description: 'Null, or absent: back to the default.',
      },
      conversion_value: {
        oneOf: [{ type: 'string', ...VALUE }, { type: 'number', minimum: 0 }, { type: 'null' }],
        description: 'Null, or absent: unknown.',
      },
    },
    {
      optional: ['targets', 'conversion_value'],
      description: 'Both are replaced. Any other member is refused; null is an absent member.',
    },
  ),
  ChannelMapping: objectOf<ChannelMappingBody>(
    {
      mapping: {
        type: 'array',
        maxItems: MOST_MAPPINGS,
        items: objectOf<MappedChannel>({
          name: {
            type: 'string',
            minLength: 1,
            maxLength: 256,
            description:
              'As files spell it; case, accents and punctuation do not matter, and names that read alike may occur once.',
          },
          family: { type: 'string', enum: [...CHANNEL_FAMILIES] },
        }),
      },
    },
    { description: "An asset's own channel names, asked before the dictionary of platforms." },
  ),
};

import type { OpenAPIV3_1 } from 'openapi-types';
import { ChannelMappingController } from '../channel-mapping/channel-mapping.controller.js';
import { endpoint } from './endpoint.js';
import { headers } from './headers.openapi.js';
import { jsonBody, jsonContent } from './json-body.openapi.js';

const tag = 'Cost import';
const TWO = {
  mapping: [
    { name: 'Flyers', family: 'print' },
    { name: 'Partner mail', family: 'email' },
  ],
};

const MAPPING: OpenAPIV3_1.ResponseObject = {
  description: 'The mapping, by name.',
  headers: headers([]),
  content: jsonContent('ChannelMapping', {
    two: { summary: 'Two names', value: TWO },
    none: { summary: 'No mapping', value: { mapping: [] } },
  }),
};
const BODY = jsonBody(
  'ChannelMapping',
  { two: { summary: 'Two names', value: TWO }, none: { summary: 'None any more', value: { mapping: [] } } },
  { maxBytes: 1_048_576, wrong: { name: 'mapping[1].name', reason: 'reads like a name before it' } },
);

/** An asset's own word on its channels. */
export const CHANNEL_MAPPING_PATHS = [
  endpoint(ChannelMappingController, 'mapping', {
    tag,
    summary: "The asset's own channel names",
    description: 'They are asked before the dictionary of platforms: what family a channel belongs to.',
    responses: { 200: MAPPING },
  }),
  endpoint(ChannelMappingController, 'replace', {
    ...BODY,
    tag,
    summary: 'Replace the mapping as a whole',
    description: 'Later imports warn of `unknown_channel` by it, and models and detection take families from it.',
    responses: { 200: MAPPING },
  }),
];

import type { OpenAPIV3_1 } from 'openapi-types';
import type { Page } from '../lists/paging.js';

export type Schema = OpenAPIV3_1.SchemaObject;
export type SchemaOrRef = Schema | OpenAPIV3_1.ReferenceObject;

/**
 * An object schema of an interface: the compiler asks for each of its members and refuses any other. All members are
 * required but those named in `optional`.
 */
export function objectOf<T extends object>(
  properties: { [K in keyof Required<T>]: SchemaOrRef },
  { optional = [] as (keyof T)[], description = '' } = {},
): Schema {
  return {
    type: 'object',
    ...(description === '' ? {} : { description }),
    required: Object.keys(properties).filter((name) => !optional.includes(name as keyof T)),
    properties,
  };
}

export function schemaRef(name: string): OpenAPIV3_1.ReferenceObject {
  return { $ref: `#/components/schemas/${name}` };
}

/** A page of a list of the named schema. */
export function pageSchema(items: string): Schema {
  return objectOf<Page<unknown>>({
    items: { type: 'array', items: schemaRef(items) },
    next_cursor: { type: ['string', 'null'], description: 'Send it as `cursor` for the next page; null on the last.' },
  });
}

/** Null, or what the named schema says. */
export function orNull(name: string): Schema {
  return { oneOf: [schemaRef(name), { type: 'null' }] };
}

export const COUNT: Schema = { type: 'integer', minimum: 0 };
export const TIMESTAMP: Schema = { type: 'string', format: 'date-time' };
export const UUID: Schema = { type: 'string', format: 'uuid' };

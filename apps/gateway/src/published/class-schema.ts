import type { Type } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { getMetadataStorage } from 'class-validator';
import type { Schema } from './object-schema.js';

type Rule = ReturnType<ReturnType<typeof getMetadataStorage>['getTargetValidationMetadatas']>[number];

/** What a property's rules say in JSON Schema. */
const KEYWORDS: Record<string, (constraint: unknown) => Schema> = {
  isDefined: () => ({}),
  isString: () => ({ type: 'string' }),
  isUuid: () => ({ type: 'string', format: 'uuid' }),
  isInt: () => ({ type: 'integer' }),
  isBoolean: () => ({ type: 'boolean' }),
  isArray: () => ({ type: 'array' }) as Schema,
  arrayMaxSize: (most) => ({ maxItems: most as number }),
  min: (least) => ({ minimum: least as number }),
  max: (most) => ({ maximum: most as number }),
  matches: (form) => ({ type: 'string', pattern: (form as RegExp).source }),
  isIn: (values) => ({
    enum: [...(values as string[])],
    ...((values as unknown[]).every((value) => typeof value === 'string') ? { type: 'string' as const } : {}),
  }),
};

export interface ClassProperty {
  name: string;
  schema: Schema;
  /** May be absent or null. */
  optional: boolean;
}

/**
 * The properties of a class-validator class in the order of the source, so that a document says what is checked.
 *
 * @throws Error for a rule that has no translation here
 */
export function propertiesOf(type: Type<object>): ClassProperty[] {
  const rules = getMetadataStorage().getTargetValidationMetadatas(type, '', false, false);
  return [...new Set(rules.map(({ propertyName }) => propertyName))].map((name) => {
    const own = rules.filter(({ propertyName }) => propertyName === name);
    const optional = own.some(({ name: rule }) => rule === 'isOptional');
    const schema: Schema = {};
    let items: Schema | undefined;
    for (const rule of own.filter(({ name: kind }) => kind !== 'isOptional')) {
      const said = rule.type === 'nestedValidation' ? schemaOfClass(nestedType(type, name)) : translated(rule, type);
      if (rule.each) items = { ...items, ...said };
      else Object.assign(schema, said);
    }
    const fallback = new type()[name as keyof object] as unknown;
    if (fallback !== undefined) schema.default = fallback;
    return { name, schema: items === undefined ? schema : { ...schema, type: 'array', items }, optional };
  });
}

/** An object schema of a class-validator class; an optional property may be null too. */
export function schemaOfClass(type: Type<object>, descriptions: { [name: string]: string | undefined } = {}): Schema {
  const properties = propertiesOf(type);
  return {
    type: 'object',
    required: properties.filter(({ optional }) => !optional).map(({ name }) => name),
    properties: Object.fromEntries(
      properties.map(({ name, schema, optional }) => {
        const description = descriptions[name];
        return [
          name,
          { ...(optional ? nullable(schema) : schema), ...(description === undefined ? {} : { description }) },
        ];
      }),
    ),
  };
}

/** The same schema with null allowed. */
function nullable(schema: Schema): Schema {
  const choices = schema.enum === undefined ? {} : { enum: [...(schema.enum as unknown[]), null] };
  return { ...schema, type: [schema.type, 'null'], ...choices } as Schema;
}

function translated({ name = '', constraints }: Rule, type: Type<object>): Schema {
  const keyword = KEYWORDS[name];
  if (keyword === undefined) throw new Error(`${type.name} has a rule that the published documents can't say: ${name}`);
  return keyword((constraints as unknown[] | undefined)?.[0]);
}

/** What `@Type` names is private to class-transformer, so one is made and asked. */
function nestedType(type: Type<object>, name: string): Type<object> {
  const made = plainToInstance(type, { [name]: [{}] }) as Record<string, [object]>;
  return (made[name]?.[0] ?? {}).constructor as Type<object>;
}

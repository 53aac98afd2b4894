import { expect } from '@jest/globals';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { OpenAPIV3_1 } from 'openapi-types';
import { openApiDocument } from '#apps/gateway/src/published/openapi.js';

const document = openApiDocument();
const paths = document.paths ?? {};

/** Headers of HTTP itself. */
const UNDOCUMENTED = new Set([
  'content-type',
  'content-length',
  'date',
  'connection',
  'keep-alive',
  'transfer-encoding',
]);

const ajv = new Ajv2020({ strict: false, allErrors: true });
(addFormats as unknown as (validator: Ajv2020) => void)(ajv);
ajv.addFormat('uri-reference', true);
ajv.addSchema(closed(document) as object, 'openapi');

/**
 * Checks an answer of the service against the OpenAPI document: its status, every header both ways, its type and its
 * body, also for members that the document does not know. An operation that is not documented must be 404 or 405.
 *
 * @param path as it was asked, with or without query
 * @returns the body: parsed when it is JSON, text otherwise
 */
export async function expectConforms(response: Response, method: string, path: string): Promise<unknown> {
  const found = documented(response.status, method, new URL(path, 'http://service').pathname);
  const where = `${method} ${path} → ${response.status}`;
  if (found === undefined) throw new Error(`${where} is not documented`);
  const { answer, pointer } = found;
  const headers = (answer.headers ?? {}) as Record<string, OpenAPIV3_1.HeaderObject>;
  for (const [name, header] of Object.entries(headers)) expectHeader(where, name, header, response.headers.get(name));
  const known = Object.keys(headers).map((name) => name.toLowerCase());
  const unknown = [...response.headers.keys()].filter((name) => !UNDOCUMENTED.has(name) && !known.includes(name));
  expect({ where, unknown }).toEqual({ where, unknown: [] });
  const text = await response.text();
  if (method === 'HEAD' || answer.content === undefined) {
    expect({ where, text }).toEqual({ where, text: '' });
    return text;
  }
  const type = response.headers.get('content-type')?.split(';', 1)[0] ?? '';
  const documentedType = [type, '*/*'].find((name) => name in (answer.content ?? {}));
  if (documentedType === undefined) throw new Error(`${where}: the type ${type} is not documented`);
  const body: unknown = type.endsWith('json') ? JSON.parse(text) : text;
  if (answer.content[documentedType]?.schema !== undefined) {
    expectValid(`${pointer}/content/${escaped(documentedType)}/schema`, body, where);
  }
  return body;
}

/** Checks a value against the schema at a JSON pointer of the document. */
export function expectValid(pointer: string, value: unknown, where = pointer): void {
  const validate = ajv.getSchema(`openapi#${pointer}`) as ValidateFunction | undefined;
  if (validate === undefined) throw new Error(`there is no schema at ${pointer}`);
  validate(value);
  expect({ where, errors: validate.errors ?? [] }).toEqual({ where, errors: [] });
}

/** One part of a JSON pointer in a URI fragment. */
export function escaped(part: string): string {
  return encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'));
}

function documented(
  status: number,
  method: string,
  path: string,
): { answer: OpenAPIV3_1.ResponseObject; pointer: string } | undefined {
  const template = Object.keys(paths)
    .filter((candidate) => matches(candidate, path))
    .sort((a, b) => a.split('{').length - b.split('{').length)[0];
  const verb = (method === 'HEAD' ? 'GET' : method).toLowerCase();
  const operation =
    template === undefined ? undefined : (paths[template] as Record<string, OpenAPIV3_1.OperationObject>)[verb];
  if (template === undefined || operation === undefined) {
    const name = template === undefined ? 'UnknownPath' : 'MethodNotAllowed';
    expect(status).toBe(template === undefined ? 404 : 405);
    return {
      answer: document.components?.responses?.[name] as OpenAPIV3_1.ResponseObject,
      pointer: `/components/responses/${name}`,
    };
  }
  const answer = operation.responses?.[status] as OpenAPIV3_1.ResponseObject | undefined;
  return answer && { answer, pointer: `/paths/${escaped(template)}/${verb}/responses/${status}` };
}

function matches(template: string, path: string): boolean {
  const pattern = template
    .replace(/[.]/g, '\\.')
    .replace(/\{key\}/, '.+')
    .replace(/\{\w+\}/g, '[^/]+');
  return new RegExp(`^${pattern}$`).test(path);
}

function expectHeader(where: string, name: string, header: OpenAPIV3_1.HeaderObject, value: string | null): void {
  if (value === null) {
    if (header.required === true) throw new Error(`${where}: the header ${name} is missing`);
    return;
  }
  const schema = header.schema as OpenAPIV3_1.SchemaObject;
  const typed = schema.type === 'integer' && /^\d+$/.test(value) ? Number(value) : value;
  const valid = ajv.validate(schema, typed);
  expect({ where, name, value, valid }).toEqual({ where, name, value, valid: true });
}

/** The document with every object closed: in a test a member that nobody has described is a fault. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== 'object' || value === null) return value;
  const copy = Object.fromEntries(Object.entries(value).map(([name, member]) => [name, closed(member)])) as Record<
    string,
    unknown
  >;
  const isObjectSchema = copy['type'] === 'object' && typeof copy['properties'] === 'object';
  return isObjectSchema && copy['additionalProperties'] === undefined ? { ...copy, additionalProperties: false } : copy;
}

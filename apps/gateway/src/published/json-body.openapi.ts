import type { OpenAPIV3_1 } from 'openapi-types';
import type { EndpointText } from './endpoint.js';
import { schemaRef } from './object-schema.js';
import type { DocumentedCode } from './problems.openapi.js';

type Examples = Record<string, OpenAPIV3_1.ExampleObject>;
type Content = NonNullable<OpenAPIV3_1.ResponseObject['content']>;

export function jsonContent(schema: string, examples: Examples): Content {
  return { 'application/json': { schema: schemaRef(schema), examples } };
}

/** How a JSON body is refused before its members are looked at. */
export function jsonBodyTexts(maxBytes: number): NonNullable<EndpointText['problemTexts']> {
  return {
    invalid_json: { detail: 'The body is not valid JSON.', sometimes: [] },
    invalid_encoding: { detail: 'The body is not valid gzip.', extensions: {}, sometimes: [] },
    unsupported_media_type: {
      detail: 'The Content-Type must be application/json, in UTF-8.',
      extensions: { accepted: ['application/json'] },
      headers: ['Connection'],
    },
    body_too_large: {
      detail: `The body may have at most ${maxBytes} bytes after inflation.`,
      extensions: { max_bytes: maxBytes },
      headers: ['Connection'],
    },
  };
}

/**
 * What paths that take a JSON body have in common.
 *
 * @param wrong how a member may be wrong
 * @param keyed whether an Idempotency-Key works
 */
export function jsonBody(
  schema: string,
  examples: Examples,
  { maxBytes, wrong, keyed = false }: { maxBytes: number; wrong: { name: string; reason: string }; keyed?: boolean },
): Required<Pick<EndpointText, 'requestHeaders' | 'requestBody' | 'problems' | 'problemTexts' | 'problemHeaders'>> {
  const problems: DocumentedCode[] = [
    'invalid_json',
    'invalid_encoding',
    'request_timeout',
    'body_too_large',
    'unsupported_media_type',
    ...(keyed ? (['idempotency_key_reused'] as const) : []),
  ];
  return {
    requestHeaders: [...(keyed ? (['Idempotency-Key'] as const) : []), 'Content-Encoding'],
    requestBody: { required: true, content: jsonContent(schema, examples) },
    problems,
    problemTexts: {
      invalid_parameter: { detail: `\`${wrong.name}\` ${wrong.reason}.`, extensions: { errors: [wrong] } },
      ...jsonBodyTexts(maxBytes),
    },
    problemHeaders: ['Connection'],
  };
}

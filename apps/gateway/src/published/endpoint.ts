import { RequestMethod, type Type } from '@nestjs/common';
import { HTTP_CODE_METADATA, METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import type { OpenAPIV3_1 } from 'openapi-types';
import { queryClassOf } from '#runtime/query.js';
import { ACCESS, type AccessRule } from '../access/access.decorators.js';
import { propertiesOf } from './class-schema.js';
import { requestHeaderRef, type HeaderName, type RequestHeaderName } from './headers.openapi.js';
import type { Schema } from './object-schema.js';
import { problemResponses, type DocumentedCode, type ProblemContext } from './problems.openapi.js';
import { QUERY_PARAMETERS, type ParameterText } from './query-parameters.openapi.js';

type Parameter = OpenAPIV3_1.ParameterObject | OpenAPIV3_1.ReferenceObject;

/** What only a person can say of an endpoint; the rest is read from its controller. */
export interface EndpointText {
  tag: string;
  summary: string;
  description?: string;
  pathParameters?: Record<string, { description: string; schema: Schema; example: string }>;
  requestHeaders?: readonly RequestHeaderName[];
  /** Query parameters that no class declares, instead of those of a class. */
  parameters?: readonly Parameter[];
  /** Of query parameters that mean something else here than elsewhere. */
  parameterTexts?: Record<string, ParameterText>;
  requestBody?: OpenAPIV3_1.RequestBodyObject;
  /** Answers that are no problems. */
  responses: Record<string, OpenAPIV3_1.ResponseObject>;
  /** Codes beyond those that follow from the guard and the query class. */
  problems?: readonly DocumentedCode[];
  problemTexts?: ProblemContext['texts'];
  /** Headers that any problem of this endpoint may have. */
  problemHeaders?: readonly HeaderName[];
}

/**
 * The path item of a controller's method. Path, HTTP method, query parameters, permissions and the errors that follow
 * from them come from the decorators that the program runs by.
 */
export function endpoint<C>(
  controller: Type<C>,
  method: keyof C & string,
  text: EndpointText,
): { path: string; item: OpenAPIV3_1.PathItemObject } {
  const handler = (controller.prototype as Record<string, object>)[method] ?? {};
  const path = templateOf(controller, handler);
  const verb = RequestMethod[Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod].toLowerCase();
  const status = String((Reflect.getMetadata(HTTP_CODE_METADATA, handler) as number | undefined) ?? 200);
  if (!(status in text.responses))
    throw new Error(`${controller.name}.${method} answers ${status}, which is not described`);
  const rule = Reflect.getMetadata(ACCESS, handler) as AccessRule | undefined;
  const query = text.parameters === undefined ? queryParameters(controller, method, text.parameterTexts) : undefined;
  const problems: DocumentedCode[] = [
    ...(query === undefined ? [] : (['invalid_parameter'] as const)),
    ...guardProblems(rule),
    ...(text.problems ?? []),
    'internal',
  ];
  const operation: OpenAPIV3_1.OperationObject<{ 'x-permissions'?: readonly string[] }> = {
    operationId: `${controller.name.replace(/Controller$/, '')}_${method}`,
    tags: [text.tag],
    summary: text.summary,
    description: [text.description, permissionsSentence(rule)]
      .filter((sentence) => sentence !== undefined)
      .join('\n\n'),
    security: rule === undefined ? [] : [{ bearer: [] }],
    ...(rule === undefined ? {} : { 'x-permissions': rule.permissions }),
    parameters: [
      ...Object.entries(text.pathParameters ?? {}).map(
        ([name, parameter]) => ({ name, in: 'path', required: true, ...parameter }) as OpenAPIV3_1.ParameterObject,
      ),
      ...(query ?? []),
      ...(text.parameters ?? []),
      ...[...(text.requestHeaders ?? []), 'traceparent' as const].map(requestHeaderRef),
    ],
    ...(text.requestBody === undefined ? {} : { requestBody: text.requestBody }),
    responses: {
      ...text.responses,
      ...problemResponses(problems, {
        instance: path,
        texts: text.problemTexts ?? {},
        sometimes: text.problemHeaders ?? [],
      }),
    },
  };
  return { path, item: { [verb]: operation } };
}

/** `api/v1/x` and `:id/y` as `/api/v1/x/{id}/y`; a wildcard is the parameter `key`. */
function templateOf(controller: Type<unknown>, handler: object): string {
  const parts = [controller, handler].map((target) => Reflect.getMetadata(PATH_METADATA, target) as string);
  return templateOfRoute(
    `/${parts
      .map((part) => part.replace(/^\/|\/$/g, ''))
      .filter((part) => part !== '')
      .join('/')}`,
  );
}

/** A path of Fastify as OpenAPI writes it. */
export function templateOfRoute(url: string): string {
  return url.replace(/:(\w+)/g, '{$1}').replace('*', '{key}');
}

function queryParameters(
  controller: Type<unknown>,
  method: string,
  texts: Record<string, ParameterText> = {},
): OpenAPIV3_1.ParameterObject[] {
  const type = queryClassOf(controller, method);
  if (type === undefined) throw new Error(`${controller.name}.${method} declares no class for its query`);
  const known: Partial<Record<string, ParameterText>> = { ...QUERY_PARAMETERS, ...texts };
  return propertiesOf(type as Type<object>).map(({ name, schema, optional }) => {
    const text = known[name];
    if (text === undefined) throw new Error(`${type.name}.${name} is not described`);
    const schemaWithExample: object = { ...schema, examples: [text.example] };
    return { name, in: 'query', required: !optional, description: text.description, schema: schemaWithExample };
  });
}

function guardProblems(rule: AccessRule | undefined): DocumentedCode[] {
  if (rule === undefined) return [];
  return [
    'unauthenticated',
    'forbidden',
    'not_found',
    'unavailable',
    ...(rule.object === undefined ? (['asset_required'] as const) : []),
    ...(rule.check === undefined ? [] : (['range_too_large'] as const)),
  ];
}

function permissionsSentence(rule: AccessRule | undefined): string | undefined {
  return rule === undefined
    ? undefined
    : `Needs the permission ${rule.permissions.map((name) => `\`${name}\``).join(' or ')}.`;
}

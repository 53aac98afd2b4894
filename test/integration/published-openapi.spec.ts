import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Validator } from '@seriousme/openapi-schema-validator';
import type { OpenAPIV3_1 } from 'openapi-types';
import { ROW_CODES } from '#contracts/row-codes.js';
import { ERRORS } from '#contracts/errors.js';
import { queryClassOf } from '#runtime/query.js';
import { propertiesOf } from '#apps/gateway/src/published/class-schema.js';
import { templateOfRoute } from '#apps/gateway/src/published/endpoint.js';
import { openApiDocument } from '#apps/gateway/src/published/openapi.js';
import { escaped, expectValid } from '../support/conforms.js';
import { httpHandlers } from '../support/http-handlers.js';
import { RecordingModule, RouteRecord } from '../support/recorded-routes.js';
import { startService, type TestService } from '../support/service.js';

const document = openApiDocument();
const operations = Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
  Object.entries(item as Record<string, OpenAPIV3_1.OperationObject>).map(([verb, operation]) => ({
    path,
    verb,
    operation,
    pointer: `/paths/${escaped(path)}/${verb}`,
  })),
);

let service: TestService;

beforeAll(async () => {
  service = await startService({}, RecordingModule);
});

afterAll(async () => {
  await service.stop();
});

interface Example {
  pointer: string;
  value: unknown;
}

/** Each example of a document with the pointer of the schema that it is an example of. */
function examplesIn(value: unknown, pointer = ''): Example[] {
  if (typeof value !== 'object' || value === null) return [];
  const node = value as {
    schema?: object;
    example?: unknown;
    examples?: Record<string, { value: unknown }> | unknown[];
  };
  const here: Example[] = [];
  if (node.schema !== undefined) {
    const named =
      node.examples === undefined || Array.isArray(node.examples)
        ? []
        : Object.values(node.examples).map((example) => example.value);
    const inSchema = (node.schema as { examples?: unknown[] }).examples ?? [];
    for (const example of [...(node.example === undefined ? [] : [node.example]), ...named, ...inSchema])
      here.push({ pointer: `${pointer}/schema`, value: example });
  }
  return [
    ...here,
    ...Object.entries(value).flatMap(([name, member]) =>
      name === 'examples' ? [] : examplesIn(member, `${pointer}/${escaped(name)}`),
    ),
  ];
}

describe('the OpenAPI document', () => {
  it('is served as it is built, with an ETag that works', async () => {
    const response = await fetch(`${service.baseUrl}/api/v1/openapi.json`);
    expect(await response.json()).toEqual(JSON.parse(JSON.stringify(document)));
    const again = await fetch(`${service.baseUrl}/api/v1/openapi.json`, {
      headers: { 'If-None-Match': response.headers.get('etag') ?? '' },
    });
    expect(again.status).toBe(304);
  });

  it('is valid OpenAPI 3.1', async () => {
    const result = await new Validator().validate(
      JSON.parse(JSON.stringify(document)) as Parameters<Validator['validate']>[0],
    );
    expect(result).toEqual({ valid: true });
  });

  it('has only examples that fit their schemas, and one in each parameter, header and body', () => {
    const examples = examplesIn(document);
    expect(examples.length).toBeGreaterThan(300);
    for (const { pointer, value } of examples) expectValid(pointer, value);
    const withExample = new Set(examples.map(({ pointer }) => pointer));
    const silent = operations
      .flatMap(({ operation, pointer }) => [
        ...(operation.parameters ?? []).flatMap((parameter, index) =>
          '$ref' in parameter ? [] : [`${pointer}/parameters/${index}/schema`],
        ),
        ...Object.entries((operation.requestBody as OpenAPIV3_1.RequestBodyObject | undefined)?.content ?? {}).map(
          ([type]) => `${pointer}/requestBody/content/${escaped(type)}/schema`,
        ),
        ...Object.entries(operation.responses ?? {}).flatMap(([status, response]) =>
          Object.keys((response as OpenAPIV3_1.ResponseObject).headers ?? {}).map(
            (name) => `${pointer}/responses/${status}/headers/${escaped(name)}/schema`,
          ),
        ),
      ])
      .filter((place) => !withExample.has(place));
    expect(silent).toEqual([]);
  });

  it('gives each operation an id of its own, a summary and an answer that is no error', () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { operation } of operations) {
      expect(operation.summary).toBeTruthy();
      expect(Object.keys(operation.responses ?? {}).some((status) => /^[23]/.test(status))).toBe(true);
    }
  });

  it('names exactly the paths and methods that the program has', () => {
    const { routes } = service.app.get(RouteRecord);
    const served = routes
      .filter(({ method }) => method !== 'HEAD')
      .map(({ method, url }) => `${method} ${templateOfRoute(url)}`);
    expect(served.sort()).toEqual(operations.map(({ verb, path }) => `${verb.toUpperCase()} ${path}`).sort());
    const of = (wanted: string): string[] =>
      routes
        .filter(({ method }) => method === wanted)
        .map(({ url }) => url)
        .sort();
    expect(of('HEAD')).toEqual(of('GET'));
  });

  it('names exactly the query parameters that are checked', () => {
    for (const { controller, method, name } of httpHandlers()) {
      const query = queryClassOf(controller, method);
      if (query === undefined) continue;
      const operation = operations.find(
        ({ operation: { operationId } }) => operationId === name.replace('Controller.', '_'),
      )?.operation;
      const documented = (operation?.parameters ?? []).flatMap((parameter) =>
        'name' in parameter && parameter.in === 'query' ? [parameter.name] : [],
      );
      expect({ name, documented }).toEqual({
        name,
        documented: propertiesOf(query as new () => object).map((property) => property.name),
      });
    }
  });

  it('documents every error code', () => {
    const documented = new Set(
      [
        ...operations.flatMap(({ operation }) => Object.values(operation.responses ?? {})),
        ...Object.values(document.components?.responses ?? {}),
      ].flatMap((response) =>
        Object.keys((response as OpenAPIV3_1.ResponseObject).content?.['application/problem+json']?.examples ?? {}),
      ),
    );
    expect([...documented].sort()).toEqual(Object.keys(ERRORS).sort());
  });

  it('puts each code under its status, with the members of the table', () => {
    const problems = operations
      .flatMap(({ operation }) => Object.entries(operation.responses ?? {}))
      .flatMap(([status, response]) =>
        Object.entries(
          (response as OpenAPIV3_1.ResponseObject).content?.['application/problem+json']?.examples ?? {},
        ).map(([code, example]) => ({ status, code, value: (example as { value: Record<string, unknown> }).value })),
      );
    expect(problems.length).toBeGreaterThan(60);
    for (const { status, code, value } of problems) {
      const known = ERRORS[code as keyof typeof ERRORS];
      expect(value).toMatchObject({ code, status: Number(status), title: known.title });
      expect(known.status).toBe(Number(status));
    }
  });

  it('explains every row code', () => {
    const schema = document.components?.schemas?.['RowIssue'] as {
      properties: { code: { enum: string[]; description: string } };
    };
    expect(schema.properties.code.enum).toEqual(Object.keys(ROW_CODES));
    for (const { meaning } of Object.values(ROW_CODES)) expect(schema.properties.code.description).toContain(meaning);
  });

  it('asks for a token exactly where the guard does', async () => {
    for (const { path, verb, operation } of operations) {
      const guarded = (operation.security ?? []).length > 0;
      const url = path.replace(/\{\w+\}/g, '019aa1c2-7f3e-7a61-b0c4-5d2f3c9e8a10');
      const { status } = await fetch(service.baseUrl + url, { method: verb.toUpperCase() });
      expect({ url, unauthenticated: status === 401 }).toEqual({ url, unauthenticated: guarded });
    }
  });
});

describe('the page at /docs', () => {
  it('loads only what the service itself serves', async () => {
    const response = await fetch(`${service.baseUrl}/docs`);
    const page = await response.text();
    const loaded = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, url]) => url ?? '');
    expect(loaded.length).toBeGreaterThanOrEqual(4);
    for (const url of loaded) {
      expect(url).not.toMatch(/^([a-z]+:)?\/\//);
      expect((await fetch(new URL(url, `${service.baseUrl}/docs`))).status).toBe(200);
    }
    expect(page).not.toMatch(/<script>|onload=/);
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'; script-src 'self';");
    expect(await (await fetch(`${service.baseUrl}/docs/start.js`)).text()).toContain("'api/v1/openapi.json'");
  });

  it('is found with a slash at the end too', async () => {
    const response = await fetch(`${service.baseUrl}/docs/`);
    expect({ url: response.url, status: response.status }).toEqual({ url: `${service.baseUrl}/docs`, status: 200 });
  });

  it('has no other files of the package', async () => {
    for (const file of ['package.json', '..%2Fpackage.json', 'toString', '__proto__']) {
      expect((await fetch(`${service.baseUrl}/docs/${file}`)).status).toBe(404);
    }
  });
});

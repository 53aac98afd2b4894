import { ValidationPipe, type ArgumentMetadata, type Type, type ValidationError } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import { AppError } from '#contracts/errors.js';

/** The query of an endpoint that takes no parameter: any is refused. */
export class NoQuery {}

/**
 * Checks every query against its class: an unknown parameter, one given twice, or one not of its form is 400 and named.
 * Each endpoint declares a class, `NoQuery` at least; a test walks all routes.
 */
export class QueryPipe extends ValidationPipe {
  constructor() {
    super({
      transform: true,
      whitelist: true,
      forbidNonWhitelisted: true,
      forbidUnknownValues: false,
      stopAtFirstError: true,
      exceptionFactory: invalidParameters,
    });
  }

  override async transform(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    if (metadata.type === 'query') refuseInheritedNames(value);
    return (await super.transform(value, metadata)) as unknown;
  }
}

/** The validator takes `toString` and its like for properties of every class, and lets them pass. */
function refuseInheritedNames(query: unknown): void {
  const names = Object.keys(query as object).filter((name) => name in Object.prototype);
  if (names.length > 0)
    throw invalidParameter(names.map((name) => ({ name, reason: 'is not a parameter of this path' })));
}

function invalidParameters(failures: ValidationError[]): AppError {
  const errors = failures.map(({ property, value, constraints }) => ({
    name: property,
    reason:
      Array.isArray(value) && !('whitelistValidation' in (constraints ?? {}))
        ? 'is given more than once'
        : reasonOf(property, constraints ?? {}),
  }));
  return invalidParameter(errors);
}

function reasonOf(property: string, constraints: Record<string, string>): string {
  if ('whitelistValidation' in constraints) return 'is not a parameter of this path';
  const [message] = Object.values(constraints);
  return message?.startsWith(`${property} `) === true
    ? message.slice(property.length + 1)
    : (message ?? 'is not valid');
}

/** 400 `invalid_parameter` that names each parameter and says why. */
export function invalidParameter(errors: { name: string; reason: string }[]): AppError {
  const detail = errors.map(({ name, reason }) => `\`${name}\` ${reason}`).join('; ');
  return new AppError('invalid_parameter', `${detail}.`, { extensions: { errors } });
}

/** The class by which an endpoint's query is checked. */
export function queryClassOf(controller: Type<unknown>, method: string): Type<unknown> | undefined {
  const parameters = (Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, method) ?? {}) as Record<
    string,
    { index: number }
  >;
  const query = Object.entries(parameters).find(([key]) => key.startsWith(`${RouteParamtypes.QUERY}:`));
  if (query === undefined) return undefined;
  const types = Reflect.getMetadata('design:paramtypes', controller.prototype as object, method) as Type<unknown>[];
  return types[query[1].index];
}

/** For guards, which run before pipes: checks the query as the endpoint's pipe will. */
export async function checkQuery(controller: Type<unknown>, method: string, query: unknown): Promise<void> {
  await new QueryPipe().transform(query, { type: 'query', metatype: queryClassOf(controller, method) ?? NoQuery });
}

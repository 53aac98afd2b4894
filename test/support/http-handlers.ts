import type { Type } from '@nestjs/common';
import { MODULE_METADATA, METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import { StandaloneModule } from '#apps/standalone/src/standalone.module.js';

export interface Handler {
  controller: Type<unknown>;
  method: string;
  handler: object;
  /** `Controller.method` */
  name: string;
}

/** Every method of a controller of the program that answers HTTP, found through the modules. */
export function httpHandlers(module: Type<unknown> = StandaloneModule): Handler[] {
  return [...controllersOf(module)]
    .filter((controller) => Reflect.hasMetadata(PATH_METADATA, controller))
    .flatMap((controller) =>
      Object.getOwnPropertyNames(controller.prototype)
        .map((method) => ({
          method,
          handler: (Object.getOwnPropertyDescriptor(controller.prototype, method)?.value ?? {}) as object,
        }))
        .filter(({ handler }) => Reflect.hasMetadata(METHOD_METADATA, handler))
        .map(({ method, handler }) => ({ controller, method, handler, name: `${controller.name}.${method}` })),
    );
}

function controllersOf(module: Type<unknown>, seen = new Set<unknown>()): Set<Type<unknown>> {
  if (seen.has(module)) return new Set();
  seen.add(module);
  const metadata = (name: string): Type<unknown>[] => (Reflect.getMetadata(name, module) ?? []) as Type<unknown>[];
  const imported = metadata(MODULE_METADATA.IMPORTS).filter((part) => typeof part === 'function');
  return new Set([
    ...metadata(MODULE_METADATA.CONTROLLERS),
    ...imported.flatMap((part) => [...controllersOf(part, seen)]),
  ]);
}

import { SetMetadata } from '@nestjs/common';

export const PUBLIC = Symbol('public');

/** Leaves an endpoint without a guard. A test holds the list of all that carry this, so that none is opened by accident. */
export function Public(reason: string): MethodDecorator {
  return SetMetadata(PUBLIC, reason);
}

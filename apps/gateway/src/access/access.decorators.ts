import { createParamDecorator, SetMetadata, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { EXPORT_FILES, type ExportFile } from '#contracts/exports.js';
import type { Permission } from '#contracts/permissions.js';
import type { Caller, Membership, OwnedObject } from './access.service.js';

export const ACCESS = Symbol('access');

export interface AccessRule {
  /** Any of these is enough. */
  permissions: readonly Permission[];
  /** The asset is that of the object whose id is the path parameter `id`. */
  object?: OwnedObject;
  /** The file that the path gives out: its own permission and restriction count. */
  file?: (pathParameters: Record<string, string>) => ExportFile;
  /** What is wrong with the query beyond its form; throws. */
  check?: (query: unknown) => void;
}

/** Lets in members that have any of the permissions in the asset of the request. */
export function RequiresPermission(...permissions: Permission[]): MethodDecorator {
  return SetMetadata(ACCESS, { permissions } satisfies AccessRule);
}

/** The same, behind what can be wrong with the query beyond its form. */
export function RequiresCheckedPermission(
  check: (query: unknown) => void,
  ...permissions: Permission[]
): MethodDecorator {
  return SetMetadata(ACCESS, { permissions, check } satisfies AccessRule);
}

/** The same for an object addressed by its id: its asset decides, and another tenant's object does not exist. */
export function RequiresPermissionFor(object: OwnedObject, ...permissions: Permission[]): MethodDecorator {
  return SetMetadata(ACCESS, { permissions, object } satisfies AccessRule);
}

/**
 * For a path that gives out a file: lets in members who may have it.
 *
 * @param permissions any that one of the files needs
 */
export function RequiresFileAccess(
  permissions: readonly Permission[],
  rule: Required<Pick<AccessRule, 'file' | 'check'>>,
): MethodDecorator {
  return SetMetadata(ACCESS, { permissions, ...rule } satisfies AccessRule);
}

/** The same for the file of an object addressed by its id. */
export function RequiresFileOf(object: OwnedObject, file: ExportFile): MethodDecorator {
  const { permission } = EXPORT_FILES[file];
  return SetMetadata(ACCESS, { permissions: [permission], object, file: () => file } satisfies AccessRule);
}

/** Who asks, and as a member of which asset. */
export interface Member extends Membership {
  caller: Caller;
}

export type GuardedRequest = FastifyRequest & { member?: Member };

/** The member whom the guard has let in. */
export const CurrentMember = createParamDecorator((_: unknown, context: ExecutionContext): Member => {
  const { member } = context.switchToHttp().getRequest<GuardedRequest>();
  if (member === undefined) throw new Error('CurrentMember is only for guarded endpoints');
  return member;
});

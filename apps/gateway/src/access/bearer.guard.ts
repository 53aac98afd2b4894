import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { isUUID } from 'class-validator';
import { AppError } from '#contracts/errors.js';
import { PUBLIC } from '#runtime/public.decorator.js';
import { checkQuery } from '#runtime/query.js';
import { ACCESS, type AccessRule, type GuardedRequest } from './access.decorators.js';
import { AccessService, type Caller, type Membership } from './access.service.js';
import { refusalOfFile } from './file-access.js';

/**
 * Every endpoint is closed unless it is marked public. Order: token (401), name of a report (404), parameters (400),
 * asset (400, 404), permission (403); so nothing is learned about data before the request itself is right.
 */
@Injectable()
export class BearerGuard implements CanActivate {
  constructor(
    @Inject(Reflector) private readonly reflector: Reflector,
    @Inject(AccessService) private readonly access: AccessService,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    if (context.getType() !== 'http' || this.reflector.get<unknown>(PUBLIC, context.getHandler()) !== undefined)
      return true;
    const rule = this.reflector.get<AccessRule | undefined>(ACCESS, context.getHandler());
    if (rule === undefined)
      throw new Error(`${context.getClass().name}.${context.getHandler().name} has no access rule`);
    const request = context.switchToHttp().getRequest<GuardedRequest>();
    const caller = await this.authenticate(request);
    const file = rule.file?.(request.params as Record<string, string>);
    await checkQuery(context.getClass(), context.getHandler().name, request.query);
    rule.check?.(request.query);
    const membership = await this.select(rule, request, caller);
    const refusal = file === undefined ? undefined : refusalOfFile(membership, file);
    if (refusal !== undefined) throw refusal;
    if (!rule.permissions.some((permission) => membership.permissions.includes(permission))) {
      throw new AppError('forbidden', `This needs the permission ${rule.permissions.join(' or ')} for the asset.`);
    }
    request.member = { ...membership, caller };
    return true;
  }

  private async authenticate(request: GuardedRequest): Promise<Caller> {
    const [, token] = /^Bearer +([^\s]+) *$/i.exec(request.headers.authorization ?? '') ?? [];
    const caller = token === undefined ? undefined : await this.access.authenticate(token);
    if (caller !== undefined) return caller;
    const detail =
      token === undefined ? 'Send `Authorization: Bearer <token>`.' : 'The token is unknown, expired or revoked.';
    throw new AppError('unauthenticated', detail, {
      headers: { 'WWW-Authenticate': token === undefined ? 'Bearer' : 'Bearer error="invalid_token"' },
    });
  }

  private async select(rule: AccessRule, request: GuardedRequest, { memberships }: Caller): Promise<Membership> {
    const wanted = (request.query as { asset_id?: string }).asset_id?.toLowerCase();
    if (rule.object !== undefined) {
      const { id } = request.params as { id: string };
      const assetId = isUUID(id) ? await this.access.assetOf(rule.object, id) : undefined;
      const owner = memberships.find((membership) => membership.assetId === assetId);
      if (owner === undefined || (wanted !== undefined && wanted !== assetId))
        throw new AppError('not_found', 'There is no such object.');
      return owner;
    }
    if (wanted === undefined) {
      const [only, ...others] = memberships;
      if (only !== undefined && others.length === 0) return only;
      throw new AppError(
        'asset_required',
        only === undefined
          ? 'The token sees no asset.'
          : `The token sees ${memberships.length} assets: say which by \`asset_id\`.`,
      );
    }
    const membership = memberships.find(({ assetId }) => assetId === wanted);
    if (membership === undefined) throw new AppError('not_found', 'There is no such asset.');
    return membership;
  }
}

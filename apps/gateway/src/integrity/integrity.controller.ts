import { Controller, Get, Inject, Query } from '@nestjs/common';
import type { EntityItem, IntegrityStatus } from '#contracts/integrity/entity-list.js';
import {
  CurrentMember,
  RequiresCheckedPermission,
  RequiresPermission,
  type Member,
} from '../access/access.decorators.js';
import { dateRange } from '../exports/date-range.js';
import { checkFileQuery } from '../exports/exports.dto.js';
import { AssetQuery } from '../lists/list-query.js';
import type { Page } from '../lists/paging.js';
import { EntityList } from './entity-list.js';
import { EntitiesQuery } from './integrity.dto.js';
import { IntegrityStatusReader } from './integrity-status.js';

@Controller('api/v1/integrity')
export class IntegrityController {
  constructor(
    @Inject(IntegrityStatusReader) private readonly statusReader: IntegrityStatusReader,
    @Inject(EntityList) private readonly entityList: EntityList,
  ) {}

  @Get('status')
  @RequiresPermission('integrity:read')
  status(@CurrentMember() { assetId }: Member, @Query() _query: AssetQuery): Promise<IntegrityStatus> {
    return this.statusReader.status(assetId);
  }

  @Get('entities')
  @RequiresCheckedPermission(checkFileQuery, 'integrity:read')
  entities(@CurrentMember() member: Member, @Query() query: EntitiesQuery): Promise<Page<EntityItem>> {
    const { severity, type, limit, cursor } = query;
    const range = dateRange(query, member.timezone, new Date());
    return this.entityList.list(member.assetId, range, { severity, type }, { limit, cursor });
  }
}

import { Transform } from 'class-transformer';
import { IsIn, IsInt, IsOptional, Matches } from 'class-validator';
import { AppError } from '#contracts/errors.js';
import { ENTITY_ID, ENTITY_TYPES, SEVERITIES, type EntityType, type Severity } from '#contracts/integrity/severity.js';
import { BLOCKLIST_DEFAULT_CAP } from '#contracts/layouts/blocklist.layout.js';
import { EXPORT_FILES } from '#contracts/exports.js';
import { RequiresFileAccess } from '../access/access.decorators.js';
import { checkFileQuery, FileQuery } from '../exports/exports.dto.js';
import { ListQuery } from '../lists/list-query.js';
import { capOf } from './cap.js';

const DAY = /^\d{4}-\d{2}-\d{2}$/;

const asCap = ({ value }: { value: unknown }): unknown => (typeof value === 'string' ? (capOf(value) ?? value) : value);

export class BlocklistQuery extends FileQuery {
  @IsOptional()
  @Transform(asCap)
  @IsInt({ message: 'cap must be a whole number' })
  cap = BLOCKLIST_DEFAULT_CAP;
}

/** The query of the list of entities. */
export class EntitiesQuery extends ListQuery {
  @IsOptional()
  @Matches(DAY, { message: 'from must be a date YYYY-MM-DD' })
  from?: string;

  @IsOptional()
  @Matches(DAY, { message: 'to must be a date YYYY-MM-DD' })
  to?: string;

  @IsOptional()
  @IsIn([...SEVERITIES])
  severity?: Severity;

  @IsOptional()
  @IsIn([...ENTITY_TYPES])
  type?: EntityType;
}

/** Lets in members who may have what is known of an entity; an id that none can have is not found. */
export function GivesOutEntity(): MethodDecorator {
  return RequiresFileAccess([EXPORT_FILES['integrity-entity'].permission], {
    file({ entity_id: id }) {
      if (id === undefined || !ENTITY_ID.test(id)) throw new AppError('not_found', 'There is no such entity.');
      return 'integrity-entity';
    },
    check: checkFileQuery,
  });
}

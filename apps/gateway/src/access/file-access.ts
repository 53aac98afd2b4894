import { AppError } from '#contracts/errors.js';
import { EXPORT_FILES, type ExportFile } from '#contracts/exports.js';
import type { Permission, Restriction } from '#contracts/permissions.js';
import type { Membership } from './access.service.js';

type Rights = Pick<Membership, 'permissions' | 'restrictions'>;

interface Rule {
  permission: Permission;
  refusedTo?: Restriction;
}

/** The permissions that let a member read some file, each once. */
export const FILE_PERMISSIONS: readonly Permission[] = [
  ...new Set(Object.values(EXPORT_FILES).map(({ permission }) => permission)),
];

/** The files that the member's permissions cover; restrictions may still keep some back. */
export function filesFor({ permissions }: Rights): ExportFile[] {
  return (Object.keys(EXPORT_FILES) as ExportFile[]).filter((file) => permissions.includes(ruleOf(file).permission));
}

/**
 * Why the member may not have the file as things are now; undefined when it may.
 *
 * @param holdsCost of a file that is there already: whether it holds what a cost-restricted member may not see
 */
export function refusalOfFile(rights: Rights, file: ExportFile, holdsCost = false): AppError | undefined {
  const { permission, refusedTo } = ruleOf(file);
  if (!rights.permissions.includes(permission))
    return new AppError('forbidden', `This needs the permission ${permission} for the asset.`);
  if (refusedTo !== undefined && rights.restrictions.includes(refusedTo))
    return new AppError('raw_data_restricted', 'The membership carries the raw data restriction.');
  if (holdsCost && rights.restrictions.includes('cost_data'))
    return new AppError('forbidden', 'The file holds cost data, which the membership may not see: export it anew.');
  return undefined;
}

function ruleOf(file: ExportFile): Rule {
  return EXPORT_FILES[file];
}

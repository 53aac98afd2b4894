export const PERMISSIONS = [
  'cost:write',
  'cost:read',
  'reports:read',
  'users:read',
  'events:read',
  'events:write',
  'consent:read',
  'models:read',
  'models:write',
  'integrity:read',
  'integrity:write',
] as const;
export type Permission = (typeof PERMISSIONS)[number];

export const RESTRICTIONS = ['raw_data', 'cost_data'] as const;
export type Restriction = (typeof RESTRICTIONS)[number];

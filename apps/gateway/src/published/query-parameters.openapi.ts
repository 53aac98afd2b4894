import type { DownloadQuery } from '#storage/download.dto.js';
import type { TemplateQuery } from '../cost-import/cost-import.dto.js';
import type { TwoFormatQuery } from '../exports/exports.dto.js';
import type { BlocklistQuery, EntitiesQuery } from '../integrity/integrity.dto.js';
import type { ListQuery } from '../lists/list-query.js';

export interface ParameterText {
  description: string;
  example: string | number;
}

type Described<T extends object> = Record<keyof T, ParameterText>;

/** What each query parameter means; its form comes from the class that checks it. */
export const QUERY_PARAMETERS: Described<
  ListQuery & TemplateQuery & TwoFormatQuery & DownloadQuery & BlocklistQuery & Omit<EntitiesQuery, 'type'>
> = {
  expires: { description: 'When the signed link ends, in seconds since 1970.', example: '1767600300' },
  name: { description: 'File name for the browser.', example: 'tallyport-channels.csv' },
  type: { description: 'Content-Type of the answer.', example: 'text/csv' },
  signature: {
    description: 'HMAC-SHA-256 of key and parameters.',
    example: '47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU',
  },
  asset_id: {
    description: 'The asset. May be left out when the token sees exactly one, else 400 `asset_required`.',
    example: '0b9d0c5e-3f52-4a57-9f0a-6c1f6a6f2f11',
  },
  cursor: {
    description: '`next_cursor` of the page before.',
    example: 'MjAyNi0wMS0wNSAwODowMDowMC4xMjM0NTYrMDAgMDE5YWExYzItN2YzZS03YTYxLWIwYzQtNWQyZjNjOWU4YTEw',
  },
  limit: { description: 'Items of a page.', example: 50 },
  example: {
    description: '`1`: the example file, twelve weeks across three channels, instead of the template.',
    example: '1',
  },
  from: {
    description:
      'First day of the range, in the time zone of the asset. Default: 29 days before `to`. The range may have 366 days.',
    example: '2026-01-01',
  },
  to: { description: 'Last day of the range, inclusive. Default: yesterday.', example: '2026-01-31' },
  format: { description: 'The form of the file.', example: 'csv' },
  bom: {
    description:
      '`1` puts a byte-order mark in front, for spreadsheet programs. Default: as the file says, mostly none.',
    example: '0',
  },
  cap: {
    description: 'Most rows of the list; below 1 it is 1, above 5,000 it is 5,000.',
    example: 1000,
  },
  severity: {
    description: 'Only entities of this severity. Default: suspected and above. `clean` lists networks only.',
    example: 'confirmed',
  },
  formulas: {
    description:
      '`raw` leaves text cells that begin like a formula as they are; by default they get a leading apostrophe.',
    example: 'escaped',
  },
};

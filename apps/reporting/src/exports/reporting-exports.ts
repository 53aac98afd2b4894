import type { ExportDefinition } from '#jobs/export-definition.js';
import { channelsAdvancedExport } from './channels-advanced.export.js';
import { channelsExport } from './channels.export.js';
import { consentRecordsExport } from './consent-records.export.js';
import { geoExport } from './geo.export.js';
import { overviewExport } from './overview.export.js';
import { rawEventsExport } from './raw-events.export.js';
import { sourcesExport } from './sources.export.js';
import { techExport } from './tech.export.js';
import { usersExport } from './users.export.js';

/** Every file that reporting writes. */
export const REPORTING_EXPORTS: readonly ExportDefinition[] = [
  channelsExport,
  sourcesExport,
  geoExport,
  techExport,
  overviewExport,
  usersExport,
  channelsAdvancedExport,
  rawEventsExport,
  consentRecordsExport,
];

import type { ExportDefinition } from '#jobs/export-definition.js';
import { liftTestExport } from './lift-test.export.js';
import { mmmRunExport } from './mmm-run.export.js';

/** Every file of this service. */
export const MODELING_EXPORTS: readonly ExportDefinition[] = [mmmRunExport, liftTestExport];

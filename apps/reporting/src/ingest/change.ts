import type { Outcome } from './outcomes.js';
import type { SessionChange } from './session-table.js';

/** What a transaction does to one version of an asset's rollups; a rebuild applies it to the new version too. */
export interface Change extends SessionChange {
  outcomes: readonly Outcome[];
}

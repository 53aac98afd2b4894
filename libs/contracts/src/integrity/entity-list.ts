import type { EntityType, Severity } from './severity.js';

/** How far scoring has come with what was collected. */
export interface IntegrityStatus {
  /** Events that were taken and not yet read. */
  pending_events: number;
  /** Networks whose sessions changed since they were scored, and that are due. */
  dirty_networks: number;
  /** Entries. */
  ledger_size: number;
  /** Of the newest checkpoint; 0 without one. */
  checkpoint_size: number;
  /** The newest local day that was scored, `YYYY-MM-DD`; null before the first. */
  scored_through: string | null;
}

/** An entity in a range of days. */
export interface EntityItem {
  entity_id: string;
  entity_type: EntityType;
  /** The highest of its days in the range. */
  severity: Severity;
  /** Null: unknown. */
  asn: number | null;
  asn_org: string | null;
  network_type: string;
  sessions: number;
  /** Those that count as invalid traffic of this entity. */
  flagged_sessions: number;
  /** Of the strongest window, 0 to 1. */
  score: number;
}

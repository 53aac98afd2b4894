import type { CollectKind } from '#contracts/collect/collect-report.js';
import { CommandFailure } from '../session.js';

/** The fields of each kind as contract and gateway have them; a CSV file names its columns like them. */
const FIELDS: Record<CollectKind, { required: readonly string[]; optional: readonly string[] }> = {
  events: {
    required: ['event_id', 'event_time', 'event_type', 'distinct_id'],
    optional: [
      'event_name', 'global_user_id', 'page_host', 'page_path', 'ft_channel', 'ft_source', 'lt_channel',
      'lt_channel_type', 'lt_source', 'lt_medium', 'lt_campaign', 'ip', 'geo_country', 'geo_region', 'geo_city',
      'ua_browser', 'ua_os', 'value', 'currency',
    ], // prettier-ignore
  },
  consent: {
    required: ['consent_id', 'consent_at', 'action'],
    optional: ['accepted', 'rejected', 'mode', 'revision', 'config_version', 'locale', 'distinct_id', 'ip'],
  },
  identities: {
    required: ['global_user_id'],
    optional: ['distinct_ids', 'email', 'phone', 'crm_client_id', 'first_seen_at', 'identified_at'],
  },
};

/** Cells of these hold several texts, with spaces between them or as a JSON array. */
const LISTS = new Set(['accepted', 'rejected', 'distinct_ids']);

/** Makes records of the rows of a CSV file whose first row names the columns: trimmed, in any case and order; others are ignored. */
export class CsvRecords {
  /** By column; undefined: not ours. */
  private readonly fields: (string | undefined)[];

  /** @throws CommandFailure when a required column is missing */
  constructor(kind: CollectKind, header: readonly string[]) {
    const { required, optional } = FIELDS[kind];
    const names = header.map((cell) => cell.trim().toLowerCase());
    const missing = required.filter((field) => !names.includes(field));
    if (missing.length > 0)
      throw new CommandFailure(`The header of the CSV file lacks the columns ${missing.join(', ')} of ${kind}`);
    const known = new Set([...required, ...optional]);
    this.fields = names.map((name, column) => (known.has(name) && names.indexOf(name) === column ? name : undefined));
  }

  /** One line of NDJSON. Empty cells are absent fields. */
  line(cells: readonly string[]): Buffer {
    const record: Record<string, unknown> = {};
    for (const [column, field] of this.fields.entries()) {
      const cell = cells[column];
      if (field === undefined || cell === undefined || cell === '') continue;
      record[field] = LISTS.has(field) ? textsOf(cell) : cell;
    }
    return Buffer.from(JSON.stringify(record));
  }
}

function textsOf(cell: string): unknown {
  if (cell.trimStart().startsWith('[')) {
    try {
      return JSON.parse(cell) as unknown;
    } catch {
      // Then it is a text that begins with a bracket.
    }
  }
  return cell.split(/\s+/).filter((text) => text !== '');
}

import { RAW_EVENTS_LAYOUT } from '#contracts/layouts/raw-events.layout.js';
import { instantText, type InstantRange } from './local-range.js';
import { timeText } from './time-text.js';

/** Code points that `looksLikeFormula` finds at the beginning of a text; PostgreSQL's text holds no NUL. */
const FORMULA_STARTS = Array.from('=+-@\t\r\n＝＋－＠', (character) => character.codePointAt(0)).join(', ');

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export interface RawEventsCopy {
  assetId: string;
  range: InstantRange;
  /** Put a `'` before what looks like a formula: costs a quarter more. */
  escapeFormulas: boolean;
  limit?: number;
}

/** The rows of the raw file as PostgreSQL writes them: oldest first, LF, quotes only where needed, absent text empty. */
export function rawEventsCopy({ assetId, range, escapeFormulas, limit }: RawEventsCopy): string {
  // COPY takes no parameters.
  if (!UUID.test(assetId)) throw new TypeError(`${assetId} is no UUID`);
  const cells = RAW_EVENTS_LAYOUT.map(({ key, type }) => {
    if (type === 'timestamp') return timeText(key);
    if (type !== 'text' || !escapeFormulas) return key;
    return `CASE WHEN ascii(${key}) IN (${FORMULA_STARTS}) THEN '''' || ${key} ELSE ${key} END`;
  });
  return `COPY (
    SELECT ${cells.join(', ')}
      FROM reporting.event
     WHERE asset_id = '${assetId}' AND event_time >= '${instantText(range.from)}' AND event_time < '${instantText(range.until)}'
     ORDER BY event_time, event_id COLLATE "C" ${limit === undefined ? '' : `LIMIT ${limit}`}
    ) TO STDOUT (FORMAT csv)`;
}

import type { CheckedRecord } from '#contracts/collect/collected.js';
import type { BadRecord } from '#messaging/dead-letter-records.js';

/** The good records of some messages, and the bad ones by the place of their message. */
export function readRecords<T>(
  messages: readonly { records: readonly unknown[] }[],
  read: (record: unknown, now: Date) => CheckedRecord<T>,
  now: Date,
): { records: T[]; bad: BadRecord[][] } {
  const good: T[] = [];
  const bad = messages.map(({ records }) => {
    const refused: BadRecord[] = [];
    for (const record of records) {
      const checked = read(record, now);
      if ('issue' in checked) refused.push({ record, ...checked.issue });
      else good.push(checked.record);
    }
    return refused;
  });
  return { records: good, bad };
}

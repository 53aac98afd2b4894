import { describe, expect, it } from '@jest/globals';
import { collectedKey, visitorBucket } from '#contracts/collect/visitor-bucket.js';
import { RecordGroups, type RecordGroup } from './record-groups.js';

const ASSET = '019aa1c2-7f3e-7a61-b0c4-5d2f3c9e8a10';

/** Groups that were given out on the way, for records of one size by visitors in turn. */
function sentOf(records: number, visitors: number, bytes: number): { groups: RecordGroups; sent: RecordGroup[] } {
  const groups = new RecordGroups(ASSET);
  const sent: RecordGroup[] = [];
  for (let id = 0; id < records; id++)
    sent.push(...groups.add(visitorBucket(`visitor-${id % visitors}`), { id }, bytes));
  return { groups, sent };
}

describe('groups of records', () => {
  it('are sent with 500 records, the rest at the end', () => {
    const { groups, sent } = sentOf(1_250, 1, 10);
    expect(sent.map(({ records }) => records.length)).toEqual([500, 500]);
    expect(groups.takeAll()).toEqual([
      { key: collectedKey(ASSET, visitorBucket('visitor-0')), records: Array.from({ length: 250 }, (_, id) => ({ id: 1_000 + id })), bytes: 2_500 },
    ]); // prettier-ignore
    expect(groups.takeAll()).toEqual([]);
  });

  it('are sent before they have more than 480,000 bytes; a larger record goes alone', () => {
    expect(sentOf(10, 1, 100_000).sent.map(({ records }) => records.length)).toEqual([4, 4]);
    expect(sentOf(3, 1, 1_000_000).sent.map(({ records }) => records.length)).toEqual([1, 1]);
  });

  it('are all sent when together they have more than 4 MB', () => {
    const { groups, sent } = sentOf(1_001, 1_000, 4_000);
    expect(sent.flatMap(({ records }) => records)).toHaveLength(1_001);
    expect(new Set(sent.map(({ key }) => key)).size).toBe(32);
    expect(groups.takeAll()).toEqual([]);
  });
});

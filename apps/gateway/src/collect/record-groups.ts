import { MAX_RECORDS_IN_MESSAGE } from '#contracts/collect/collected.js';
import { collectedKey } from '#contracts/collect/visitor-bucket.js';
import type { SentRecord } from './collected-kinds.js';

/** What a message may hold, its envelope not counted: messages stay under 500 KB. */
const MAX_MESSAGE_BYTES = 480_000;
/** All groups together: then none waits any longer to become full. */
const MAX_WAITING_BYTES = 4_000_000;

/** Records for one message. */
export interface RecordGroup {
  key: string;
  records: SentRecord[];
  /** At least what they take as JSON. */
  bytes: number;
}

/** Gathers records of one asset by their bucket into messages as full as they may be. */
export class RecordGroups {
  private groups = new Map<string, RecordGroup>();
  private waitingBytes = 0;

  constructor(private readonly assetId: string) {}

  /** @returns the groups that are to be sent now */
  add(bucket: number, record: SentRecord, bytes: number): RecordGroup[] {
    const key = collectedKey(this.assetId, bucket);
    const ready: RecordGroup[] = [];
    let group = this.groups.get(key);
    if (group !== undefined && group.bytes + bytes > MAX_MESSAGE_BYTES) {
      ready.push(this.take(group));
      group = undefined;
    }
    if (group === undefined) {
      group = { key, records: [], bytes: 0 };
      this.groups.set(key, group);
    }
    group.records.push(record);
    group.bytes += bytes;
    this.waitingBytes += bytes;
    if (group.records.length === MAX_RECORDS_IN_MESSAGE) ready.push(this.take(group));
    if (this.waitingBytes > MAX_WAITING_BYTES) ready.push(...this.takeAll());
    return ready;
  }

  takeAll(): RecordGroup[] {
    const all = [...this.groups.values()];
    this.groups = new Map();
    this.waitingBytes = 0;
    return all;
  }

  private take(group: RecordGroup): RecordGroup {
    this.groups.delete(group.key);
    this.waitingBytes -= group.bytes;
    return group;
  }
}

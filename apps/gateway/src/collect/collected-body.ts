import { setImmediate } from 'node:timers/promises';
import { MAX_COLLECT_ERRORS, type CollectReport } from '#contracts/collect/collect-report.js';
import type { CollectIssue } from '#contracts/collect/collected.js';
import { idHash, visitorBucket } from '#contracts/collect/visitor-bucket.js';
import { AppError } from '#contracts/errors.js';
import { BodyLines, type BodyLine } from './body-lines.js';
import type { CheckedLine, CollectedKind } from './collected-kinds.js';
import { parseLine } from './collected-line.js';
import { RecordGroups, type RecordGroup } from './record-groups.js';

/** How long lines are read in one go. */
const TURN_MS = 8;
const LINES_BETWEEN_LOOKS = 32;
/** A record as JSON is never longer than its line but for a number that becomes digits (1e14), empty lists, and its comma. */
const GROWTH_BYTES = 64;

/**
 * Reads a body line by line and gives out the records that are good, in messages as full as they may be, while it
 * reads. The event loop turns every few milliseconds, and of the lines only the hashes of their ids stay in memory.
 */
export class CollectedBody {
  /** Of the lines read so far. */
  readonly report: CollectReport = { accepted: 0, rejected: 0, ip_dropped: 0, errors: [] };
  private readonly groups: RecordGroups;
  /** In which the first record with an id went, by the hash of the id. */
  private readonly bucketsOfIds = new Map<number, number>();
  private readonly now = new Date();
  private turnStarted = performance.now();

  constructor(
    private readonly kind: CollectedKind,
    assetId: string,
  ) {
    this.groups = new RecordGroups(assetId);
  }

  /**
   * @throws AppError `empty_file` when there is no line, `invalid_encoding` for UTF-16
   */
  async *read(body: AsyncIterable<Buffer>): AsyncGenerator<RecordGroup, void, undefined> {
    const lines = new BodyLines();
    let isFirst = true;
    let read = 0;
    for await (const chunk of body) {
      if (isFirst && isUtf16(chunk)) throw new AppError('invalid_encoding', 'The body is UTF-16; send it as UTF-8.');
      isFirst = false;
      for (const line of lines.cut(chunk)) {
        yield* this.take(line);
        if (++read % LINES_BETWEEN_LOOKS === 0 && this.turnIsOver()) await this.nextTurn();
      }
      if (this.turnIsOver()) await this.nextTurn();
    }
    for (const line of lines.end()) yield* this.take(line);
    if (this.report.accepted + this.report.rejected === 0) throw new AppError('empty_file', 'The body has no line.');
    yield* this.groups.takeAll();
  }

  private take({ line, bytes }: BodyLine): RecordGroup[] {
    const parsed = parseLine(bytes);
    if ('fault' in parsed) return this.refuse(line, { field: '', code: 'invalid_json', message: parsed.fault });
    const checked = this.kind.read(parsed.value, this.now);
    if ('issue' in checked) return this.refuse(line, checked.issue);
    this.report.accepted++;
    if (checked.ipDropped) this.report.ip_dropped++;
    return this.groups.add(this.bucketOf(checked), checked.record, (bytes?.length ?? 0) + GROWTH_BYTES);
  }

  /**
   * The bucket of the visitor, but of an id that came before in this body, under whichever visitor, the one it went in: in
   * messages of their own the second might be faster. Two ids with one hash are rare, and any bucket is right.
   */
  private bucketOf({ visitor, onceId }: CheckedLine): number {
    const own = visitorBucket(visitor);
    if (onceId === undefined) return own;
    const hash = idHash(onceId);
    const first = this.bucketsOfIds.get(hash);
    if (first === undefined) this.bucketsOfIds.set(hash, own);
    return first ?? own;
  }

  private refuse(line: number, issue: CollectIssue): RecordGroup[] {
    this.report.rejected++;
    if (this.report.errors.length < MAX_COLLECT_ERRORS) this.report.errors.push({ line, ...issue });
    return [];
  }

  private turnIsOver(): boolean {
    return performance.now() - this.turnStarted >= TURN_MS;
  }

  private async nextTurn(): Promise<void> {
    await setImmediate();
    this.turnStarted = performance.now();
  }
}

function isUtf16(start: Buffer): boolean {
  return (start[0] === 0xff && start[1] === 0xfe) || (start[0] === 0xfe && start[1] === 0xff);
}

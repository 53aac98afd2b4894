import type { IncomingMessage } from 'node:http';
import { Inject, Injectable } from '@nestjs/common';
import {
  COLLECT_MAX_BYTES,
  COLLECT_MEDIA_TYPE,
  type CollectKind,
  type CollectReport,
  type CollectStatus,
} from '#contracts/collect/collect-report.js';
import { EventBus } from '#messaging/event-bus.js';
import { outgoingEvent, type OutgoingEvent } from '#messaging/outgoing.js';
import type { ObjectBody } from '#storage/object-store.js';
import { GatewayConfig } from '../gateway.config.js';
import { GatewayOutbox } from '../gateway-outbox.js';
import { UploadSlots } from '../limits/upload-slots.js';
import { bodyChunks } from '../uploads/body-chunks.js';
import { acceptedType, receiveUpload } from '../uploads/receive-upload.js';
import { COLLECTED_KINDS } from './collected-kinds.js';
import { CollectedBody } from './collected-body.js';
import { CollectedCounts } from './collected-counts.js';

/** Messages are handed to the broker when they have this many bytes together; it takes 1 MB at once. */
const SEND_BYTES = 450_000;

/** Takes in what collectors post: receive → check each line → messages on the topic → count → report. */
@Injectable()
export class CollectService {
  constructor(
    @Inject(GatewayConfig) private readonly config: GatewayConfig,
    @Inject(EventBus) private readonly bus: EventBus,
    @Inject(GatewayOutbox) private readonly outbox: GatewayOutbox,
    @Inject(CollectedCounts) private readonly counts: CollectedCounts,
    @Inject(UploadSlots) private readonly slots: UploadSlots,
  ) {}

  /**
   * Resolves when every accepted record is safe: acknowledged by the broker, or in the embedded mode committed. When it
   * fails a part may be on the topic already; sending all of it again changes nothing there.
   *
   * @throws AppError `unsupported_media_type`, `body_too_large`, `request_timeout`, `invalid_encoding`, `empty_file`;
   *   what isDependencyAway() accepts when the broker or the database is away
   */
  async take(kind: CollectKind, assetId: string, request: IncomingMessage): Promise<CollectReport> {
    acceptedType(request, [COLLECT_MEDIA_TYPE]);
    // The place is kept until the records are sent: they take memory until then.
    return this.slots.run(async () => {
      const file = await receiveUpload(request, {
        maxBytes: COLLECT_MAX_BYTES,
        slowBodyMs: this.config.SLOW_BODY_MS,
        spoolDirectory: this.config.SPOOL_DIRECTORY,
      });
      try {
        return await (this.bus.durable
          ? this.publish(kind, assetId, file.body)
          : this.commit(kind, assetId, file.body));
      } finally {
        await file.discard();
      }
    });
  }

  status(assetId: string): Promise<CollectStatus> {
    return this.counts.status(assetId);
  }

  /** Straight to the broker, which keeps them: nothing else is written, so there is no dual write. */
  private async publish(kind: CollectKind, assetId: string, body: ObjectBody): Promise<CollectReport> {
    const { topic } = COLLECTED_KINDS[kind];
    const collected = new CollectedBody(COLLECTED_KINDS[kind], assetId);
    let waiting: OutgoingEvent[] = [];
    let waitingBytes = 0;
    let waitingRecords = 0;
    let acknowledged = 0;
    const send = async (): Promise<void> => {
      if (waiting.length > 0) await this.bus.publish(waiting);
      acknowledged += waitingRecords;
      waiting = [];
      waitingBytes = 0;
      waitingRecords = 0;
    };
    try {
      for await (const { key, records, bytes } of collected.read(bodyChunks(body))) {
        if (waiting.length > 0 && waitingBytes + bytes > SEND_BYTES) await send();
        waiting.push(outgoingEvent('gateway', topic, assetId, { asset_id: assetId, records }, key));
        waitingBytes += bytes;
        waitingRecords += records.length;
      }
      await send();
    } finally {
      await this.counts.add(assetId, topic, acknowledged);
    }
    return collected.report;
  }

  /** The in-process bus keeps nothing: the committed rows of the outbox are the messages. */
  private commit(kind: CollectKind, assetId: string, body: ObjectBody): Promise<CollectReport> {
    const { topic } = COLLECTED_KINDS[kind];
    const collected = new CollectedBody(COLLECTED_KINDS[kind], assetId);
    return this.outbox.transaction(async (tx) => {
      for await (const { key, records } of collected.read(bodyChunks(body)))
        tx.emit(topic, assetId, { asset_id: assetId, records }, key);
      await this.counts.add(assetId, topic, collected.report.accepted, tx.manager);
      return collected.report;
    });
  }
}

import { Inject } from '@nestjs/common';
import { ExportCompleted } from '#contracts/events/export-completed.js';
import { ExportFailed } from '#contracts/events/export-failed.js';
import { Consumes, EventData, KafkaConsumer } from '#messaging/consumer.decorator.js';
import { EstimateWaiters, ExportWaiters } from './export-waiters.js';

/** Each gateway instance reads the ends of all exports in a group of its own and wakes its clients. */
@KafkaConsumer()
export class ExportEndsConsumer {
  constructor(
    @Inject(ExportWaiters) private readonly waiters: ExportWaiters,
    @Inject(EstimateWaiters) private readonly estimates: EstimateWaiters,
  ) {}

  @Consumes(ExportCompleted)
  completed(@EventData() event: ExportCompleted): void {
    this.waiters.wake(event.export_id);
  }

  @Consumes(ExportFailed)
  failed(@EventData() event: ExportFailed): void {
    this.waiters.wake(event.export_id);
    this.estimates.wake(event.export_id);
  }
}

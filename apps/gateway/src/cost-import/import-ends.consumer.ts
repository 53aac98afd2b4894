import { Inject } from '@nestjs/common';
import { CostImportCompleted } from '#contracts/events/cost-import-completed.js';
import { CostImportFailed } from '#contracts/events/cost-import-failed.js';
import { Consumes, EventData, KafkaConsumer } from '#messaging/consumer.decorator.js';
import { ImportWaiters } from './import-waiters.js';

/** Each gateway instance reads the ends of all imports in a group of its own and wakes its clients. */
@KafkaConsumer()
export class ImportEndsConsumer {
  constructor(@Inject(ImportWaiters) private readonly waiters: ImportWaiters) {}

  @Consumes(CostImportCompleted)
  completed(@EventData() event: CostImportCompleted): void {
    this.waiters.wake(event.import_id);
  }

  @Consumes(CostImportFailed)
  failed(@EventData() event: CostImportFailed): void {
    this.waiters.wake(event.import_id);
  }
}

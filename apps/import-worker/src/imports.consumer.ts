import { Inject } from '@nestjs/common';
import { CostImportRequested } from '#contracts/events/cost-import-requested.js';
import { Consumes, EventData, KafkaConsumer } from '#messaging/consumer.decorator.js';
import { ImportRunner } from './import-runner.js';

/** The job row is there already, so a message only wakes the runner, and its offset is committed at once. */
@KafkaConsumer()
export class ImportsConsumer {
  constructor(@Inject(ImportRunner) private readonly runner: ImportRunner) {}

  @Consumes(CostImportRequested)
  requested(@EventData() _event: CostImportRequested): void {
    this.runner.wake();
  }
}

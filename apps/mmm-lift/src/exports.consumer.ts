import { Inject } from '@nestjs/common';
import { ExportRequestedModeling } from '#contracts/events/export-requested-modeling.js';
import { ExportRunner } from '#jobs/export-runner.js';
import { Consumes, EventData, KafkaConsumer } from '#messaging/consumer.decorator.js';

/** The job row is there already, so a message only wakes the runner, and its offset is committed at once. */
@KafkaConsumer()
export class ExportsConsumer {
  constructor(@Inject(ExportRunner) private readonly runner: ExportRunner) {}

  @Consumes(ExportRequestedModeling)
  requested(@EventData() _event: ExportRequestedModeling): void {
    this.runner.wake();
  }
}

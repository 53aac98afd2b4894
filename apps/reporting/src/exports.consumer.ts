import { Inject } from '@nestjs/common';
import { ExportRequestedReporting } from '#contracts/events/export-requested-reporting.js';
import { ExportRunner } from '#jobs/export-runner.js';
import { Consumes, EventData, KafkaConsumer } from '#messaging/consumer.decorator.js';

/** The job row is there already, so a message only wakes the runner, and its offset is committed at once. */
@KafkaConsumer()
export class ExportsConsumer {
  constructor(@Inject(ExportRunner) private readonly runner: ExportRunner) {}

  @Consumes(ExportRequestedReporting)
  requested(@EventData() _event: ExportRequestedReporting): void {
    this.runner.wake();
  }
}

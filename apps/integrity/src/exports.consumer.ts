import { Inject } from '@nestjs/common';
import { ExportRequestedIntegrity } from '#contracts/events/export-requested-integrity.js';
import { ExportRunner } from '#jobs/export-runner.js';
import { Consumes, EventData, KafkaConsumer } from '#messaging/consumer.decorator.js';

/** The job row is there already, so a message only wakes the runner, and its offset is committed at once. */
@KafkaConsumer()
export class ExportsConsumer {
  constructor(@Inject(ExportRunner) private readonly runner: ExportRunner) {}

  @Consumes(ExportRequestedIntegrity)
  requested(@EventData() _event: ExportRequestedIntegrity): void {
    this.runner.wake();
  }
}

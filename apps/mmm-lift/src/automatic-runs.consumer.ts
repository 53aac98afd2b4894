import { Inject } from '@nestjs/common';
import type { Envelope } from '#contracts/envelope.js';
import { CostImportCompleted } from '#contracts/events/cost-import-completed.js';
import { LiftTestCompleted } from '#contracts/events/lift-test-completed.js';
import { Consumes, EventEnvelope, KafkaConsumer } from '#messaging/consumer.decorator.js';
import { AutomaticRuns } from './runs/automatic-runs.js';

/** Queues runs for what may have changed a model; the runner works on them when their time has come. */
@KafkaConsumer()
export class AutomaticRunsConsumer {
  constructor(@Inject(AutomaticRuns) private readonly runs: AutomaticRuns) {}

  @Consumes(CostImportCompleted)
  async imported(@EventEnvelope() { id, data }: Envelope<CostImportCompleted>): Promise<void> {
    if (data.inserted + data.updated > 0) await this.runs.afterImport(id, data.asset_id);
  }

  @Consumes(LiftTestCompleted)
  async tested(@EventEnvelope() { id, data }: Envelope<LiftTestCompleted>): Promise<void> {
    if (data.status === 'succeeded') await this.runs.afterTest(id, data.asset_id, data.metric);
  }
}

import { Inject } from '@nestjs/common';
import { LiftTestRequested } from '#contracts/events/lift-test-requested.js';
import { MmmRunRequested } from '#contracts/events/mmm-run-requested.js';
import { Consumes, EventData, KafkaConsumer } from '#messaging/consumer.decorator.js';
import { ModelingRunner } from './runs/modeling-runner.js';

/** The rows are there already, so a message only wakes the runner, and its offset is committed at once. */
@KafkaConsumer()
export class RequestsConsumer {
  constructor(@Inject(ModelingRunner) private readonly runner: ModelingRunner) {}

  @Consumes(MmmRunRequested)
  runRequested(@EventData() _event: MmmRunRequested): void {
    this.runner.wake();
  }

  @Consumes(LiftTestRequested)
  testRequested(@EventData() _event: LiftTestRequested): void {
    this.runner.wake();
  }
}

import { Inject } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { CostImportCompleted } from '#contracts/events/cost-import-completed.js';
import { Consumes, EventData, KafkaConsumer } from '#messaging/consumer.decorator.js';

/** Notes imports whose costs are to be read; the scorer reads them. */
@KafkaConsumer()
export class CostImportsConsumer {
  constructor(@Inject(DataSource) private readonly dataSource: DataSource) {}

  @Consumes(CostImportCompleted)
  async completed(@EventData() { asset_id, import_id }: CostImportCompleted): Promise<void> {
    await this.dataSource.query(
      'INSERT INTO integrity.cost_pending (asset_id, import_id) VALUES ($1, $2) ON CONFLICT DO NOTHING',
      [asset_id, import_id],
    );
  }
}

import type { Topic } from '#contracts/topics.js';
import { durationHistogram } from '#runtime/metrics.js';

const durations = durationHistogram({
  name: 'tallyport_ingest_batch_seconds',
  help: 'Time in which a batch of one asset was committed',
  labelNames: ['service', 'topic'],
});

/** Failed batches count too: they take as long. */
export async function timeBatch<T>(service: string, topic: Topic, work: () => Promise<T>): Promise<T> {
  const stop = durations.startTimer({ service, topic });
  try {
    return await work();
  } finally {
    stop();
  }
}

import { IsUUID, Length } from 'class-validator';
import { v7 as uuidv7 } from 'uuid';
import type { Envelope } from '#contracts/envelope.js';
import { Consumes, EventData, EventEnvelope, KafkaConsumer } from '../src/consumer.decorator.js';

/** An event of the tests; `eventOn` gives it a topic of its own. */
export class PriceChanged {
  static readonly topic: string = 'price.changed.v1';

  @IsUUID()
  asset_id: string;

  @Length(1, 20)
  price: string;
}

export const ASSET = '0190f3c2-0000-7000-8000-000000000001';

/** The message of an event as the outbox would send it. */
export function priceChanged(price: string, topic = PriceChanged.topic): { key: string; value: string; id: string } {
  const event: Envelope = {
    specversion: '1.0',
    id: uuidv7(),
    source: '/tallyport/test',
    type: topic,
    time: new Date().toISOString(),
    subject: ASSET,
    datacontenttype: 'application/json',
    traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    data: { asset_id: ASSET, price },
  };
  return { key: ASSET, value: JSON.stringify(event), id: event.id };
}

/** What a handler does with an event; tests replace it. */
export type React = (event: PriceChanged, envelope: Envelope<PriceChanged>) => unknown;

/** A consumer class of one topic, with the list of what it got. */
export function consumerOf(topic: string, react: React = () => undefined) {
  class OnTopic extends PriceChanged {
    static override readonly topic = topic;
  }
  @KafkaConsumer()
  class PriceConsumer {
    static readonly attempts: PriceChanged[] = [];

    @Consumes(OnTopic)
    async changed(@EventData() event: unknown, @EventEnvelope() envelope: unknown): Promise<void> {
      PriceConsumer.attempts.push(event as PriceChanged);
      await react(event as PriceChanged, envelope as Envelope<PriceChanged>);
    }
  }
  return { consumer: PriceConsumer, event: OnTopic };
}

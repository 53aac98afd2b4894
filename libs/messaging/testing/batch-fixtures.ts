import { IsArray, IsUUID } from 'class-validator';
import { v7 as uuidv7 } from 'uuid';
import { BatchConsumer, type BatchMessage, type GivenUpMessage } from '../src/batch-consumer.js';
import { ASSET } from './consumer-fixtures.js';

/** An event of the tests with records, as collectors send them. */
export class PricesCollected {
  static readonly topic: string = 'prices.collected.v1';

  @IsUUID()
  asset_id: string;

  @IsArray()
  records: unknown[];
}

export type PricesMessage = BatchMessage<PricesCollected>;
export type TakeBatch = (messages: readonly PricesMessage[]) => unknown;

/** A message with such records; each record a price. */
export function pricesCollected(
  records: unknown[],
  topic = PricesCollected.topic,
): { key: string; value: string; id: string } {
  const id = uuidv7();
  const event = {
    specversion: '1.0',
    id,
    source: '/tallyport/gateway',
    type: topic,
    time: new Date().toISOString(),
    subject: ASSET,
    datacontenttype: 'application/json',
    traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    data: { asset_id: ASSET, records },
  };
  return { key: `${ASSET}:0`, value: JSON.stringify(event), id };
}

/** The records of messages, for short expectations. */
export const recordsOf = (messages: readonly PricesMessage[]): unknown[] =>
  messages.flatMap(({ data }) => data.records);

/** A batch consumer of a topic that notes what it got; `react` and `onGaveUp` may fail. */
export class BatchRecorder extends BatchConsumer<PricesCollected> {
  readonly event: typeof PricesCollected;
  /** The records of each call. */
  readonly calls: unknown[][] = [];
  readonly givenUp: GivenUpMessage[] = [];
  onGaveUp: (letter: GivenUpMessage) => unknown = () => undefined;

  constructor(
    topic: string = PricesCollected.topic,
    private readonly react: TakeBatch = () => undefined,
  ) {
    super();
    this.event = class extends PricesCollected {
      static override readonly topic = topic;
    };
  }

  async handle(messages: readonly PricesMessage[]): Promise<void> {
    this.calls.push(recordsOf(messages));
    await this.react(messages);
  }

  override async gaveUp(letter: GivenUpMessage): Promise<void> {
    this.givenUp.push(letter);
    await this.onGaveUp(letter);
  }
}

/** The recorder as a provider of its own token. */
export const providerOf = (recorder: BatchRecorder) => ({ provide: Symbol('batch consumer'), useValue: recorder });

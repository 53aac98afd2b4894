import { KafkaJSNonRetriableError, KafkaJSNumberOfRetriesExceeded, type IHeaders, type Message } from 'kafkajs';

/** A record as the log keeps it. */
export interface LogRecord {
  key: Buffer | null;
  value: Buffer | null;
  headers: IHeaders;
  timestamp: string;
  offset: string;
}

type Listener = (event: { payload: Record<string, unknown> }) => void;
/** Its options are missing in the types of kafkajs. */
const NonRetriable = KafkaJSNonRetriableError as unknown as new (error: Error, options: { cause: Error }) => Error;

type EachMessage = (payload: {
  topic: string;
  partition: number;
  message: LogRecord;
  heartbeat: () => Promise<void>;
}) => Promise<void>;

interface BatchPayload {
  batch: { topic: string; partition: number; messages: LogRecord[] };
  heartbeat: () => Promise<void>;
  isRunning: () => boolean;
  isStale: () => boolean;
  resolveOffset: (offset: string) => void;
  commitOffsetsIfNecessary: () => Promise<void>;
}
type EachBatch = (payload: BatchPayload) => Promise<void>;

const UNRECOVERABLE = ['RangeError', 'ReferenceError', 'SyntaxError', 'TypeError'];

const EVENTS = {
  CONNECT: 'consumer.connect',
  DISCONNECT: 'consumer.disconnect',
  GROUP_JOIN: 'consumer.group_join',
  HEARTBEAT: 'consumer.heartbeat',
  END_BATCH_PROCESS: 'consumer.end_batch_process',
  REBALANCING: 'consumer.rebalancing',
  CRASH: 'consumer.crash',
  STOP: 'consumer.stop',
} as const;

/**
 * As much of kafkajs as our code and Nest call, with one partition a topic and the crash rules of kafkajs 2.2.4: a
 * failed message is tried again in place, after `retriesBeforeCrash` the consumer crashes and restarts at the same
 * message; a raw TypeError and its like end it for good.
 */
export class InMemoryKafka {
  retriesBeforeCrash = 5;
  /** The next sends of this topic fail with this error. */
  readonly refuse = new Map<string, Error>();
  /** What the next heartbeat rejects with. */
  heartbeatError: Error | undefined;
  heartbeats = 0;
  connectedProducers = 0;
  readonly producerConfigs: unknown[] = [];
  readonly requests: { acks: number | undefined; bytes: number }[] = [];
  readonly consumers: InMemoryConsumer[] = [];
  private readonly logs = new Map<string, LogRecord[]>();

  constructor(topics: string[]) {
    for (const topic of topics) this.logs.set(topic, []).set(`${topic}.dlq`, []);
  }

  log(topic: string): LogRecord[] {
    const log = this.logs.get(topic);
    if (log === undefined) throw new KafkaJSNonRetriableError(`This server does not host ${topic}`);
    return log;
  }

  append(topic: string, { key, value, headers }: Message): void {
    const log = this.log(topic);
    log.push({
      key: bytes(key ?? null),
      value: bytes(value),
      headers: Object.fromEntries(
        Object.entries(headers ?? {}).map(([name, text]) => [name, bytes(text as string)]),
      ) as IHeaders,
      timestamp: String(Date.now()),
      offset: String(log.length),
    });
    for (const consumer of this.consumers) consumer.wake();
  }

  consumer(config: Record<string, unknown>): InMemoryConsumer {
    const consumer = new InMemoryConsumer(this, config);
    this.consumers.push(consumer);
    return consumer;
  }

  producer(config: unknown): object {
    this.producerConfigs.push(config);
    return {
      events: { CONNECT: 'producer.connect', DISCONNECT: 'producer.disconnect' },
      on: () => undefined,
      connect: () => {
        this.connectedProducers += 1;
        return Promise.resolve();
      },
      disconnect: () => {
        this.connectedProducers -= 1;
        return Promise.resolve();
      },
      send: ({ topic, messages, acks }: { topic: string; messages: Message[]; acks?: number }) => {
        this.requests.push({ acks, bytes: messages.reduce((sum, { value }) => sum + (value?.length ?? 0), 0) });
        const error = this.refuse.get(topic);
        if (error !== undefined) return Promise.reject(error);
        for (const message of messages) this.append(topic, message);
        return Promise.resolve([]);
      },
    };
  }

  admin(): object {
    return {
      connect: () => Promise.resolve(),
      disconnect: () => Promise.resolve(),
      listTopics: () => Promise.resolve([...this.logs.keys()]),
    };
  }
}

export class InMemoryConsumer {
  readonly events = EVENTS;
  disconnected = false;
  subscription: { topics: string[]; fromBeginning?: boolean } = { topics: [] };
  runOptions: Record<string, unknown> = {};
  private readonly listeners: [string, Listener][] = [];
  private readonly positions = new Map<string, number>();
  /** Topics whose partition was sought away while a batch was handled. */
  readonly stale = new Set<string>();
  /** Offsets as they were committed, `topic@offset`; of batches only. */
  readonly commits: string[] = [];
  private eachMessage: EachMessage | undefined;
  private eachBatch: EachBatch = () => Promise.resolve();
  private reading = Promise.resolve();

  constructor(
    private readonly kafka: InMemoryKafka,
    readonly config: Record<string, unknown>,
  ) {}

  on(event: string, listener: Listener): void {
    this.listeners.push([event, listener]);
  }

  emit(event: string, payload: Record<string, unknown> = {}): void {
    for (const [name, listener] of this.listeners) if (name === event) listener({ payload });
  }

  connect(): Promise<void> {
    return Promise.resolve();
  }

  async disconnect(): Promise<void> {
    this.disconnected = true;
    await this.reading;
  }

  subscribe(subscription: { topics: string[]; fromBeginning?: boolean }): Promise<void> {
    this.subscription = subscription;
    for (const topic of subscription.topics) this.kafka.log(topic);
    return Promise.resolve();
  }

  run({ eachMessage, eachBatch, ...options }: { eachMessage?: EachMessage; eachBatch?: EachBatch }): Promise<void> {
    this.eachMessage = eachMessage;
    if (eachBatch !== undefined) this.eachBatch = eachBatch;
    this.runOptions = options;
    this.emit(EVENTS.GROUP_JOIN);
    this.wake();
    return Promise.resolve();
  }

  /** The offset after the last acknowledged message. */
  position(topic: string): number {
    return this.positions.get(topic) ?? 0;
  }

  wake(): void {
    this.reading = this.reading.then(() => this.read());
  }

  private async read(): Promise<void> {
    for (const topic of this.subscription.topics) {
      while (this.kafka.log(topic).length > this.position(topic) && !this.disconnected) await this.handle(topic);
    }
  }

  private async handle(topic: string): Promise<void> {
    for (let attempt = 0; !this.disconnected; attempt++) {
      try {
        await this.deliver(topic);
        this.emit(EVENTS.END_BATCH_PROCESS);
        return;
      } catch (error) {
        if (!(error instanceof Error) || UNRECOVERABLE.includes(error.name)) {
          this.disconnected = true;
          this.emit(EVENTS.CRASH, {
            error: new NonRetriable(error as Error, { cause: error as Error }),
            restart: false,
          });
          return;
        }
        if (attempt < this.kafka.retriesBeforeCrash) continue;
        const crash = new KafkaJSNumberOfRetriesExceeded(error, { retryCount: attempt, retryTime: 1 });
        this.emit(EVENTS.CRASH, { error: crash, restart: true });
        attempt = -1;
        await new Promise((resolve) => setTimeout(resolve, 1));
        this.emit(EVENTS.GROUP_JOIN);
      }
    }
  }

  private async deliver(topic: string): Promise<void> {
    const messages = this.kafka.log(topic).slice(this.position(topic));
    const heartbeat = (): Promise<void> => this.heartbeat();
    const [message] = messages;
    if (this.eachMessage !== undefined && message !== undefined) {
      await this.eachMessage({ topic, partition: 0, message, heartbeat });
      this.positions.set(topic, this.position(topic) + 1);
      return;
    }
    this.stale.delete(topic);
    await this.eachBatch({
      batch: { topic, partition: 0, messages },
      heartbeat,
      isRunning: () => !this.disconnected,
      isStale: () => this.stale.has(topic),
      resolveOffset: (offset) => this.positions.set(topic, Number(offset) + 1),
      commitOffsetsIfNecessary: () => {
        this.commits.push(`${topic}@${this.position(topic)}`);
        return Promise.resolve();
      },
    });
  }

  private heartbeat(): Promise<void> {
    this.kafka.heartbeats += 1;
    this.emit(EVENTS.HEARTBEAT);
    return this.kafka.heartbeatError === undefined ? Promise.resolve() : Promise.reject(this.kafka.heartbeatError);
  }
}

function bytes(text: Buffer | string | null): Buffer | null {
  return text === null ? null : Buffer.from(text as string);
}

import type { DataSource } from 'typeorm';
import { CostImportRequested } from '#contracts/events/cost-import-requested.js';
import { EventBus, type OutgoingMessage } from '../src/event-bus.js';
import { Outbox } from '../src/outbox.js';
import { ASSET } from './consumer-fixtures.js';

export const OUTBOX_TOPIC = CostImportRequested.topic;

export const eventData = () => ({ import_id: '0190f3c2-0000-7000-8000-00000000000a', asset_id: ASSET });

/** A broker that notes what it takes, and can be away, slow or choosy. */
export class RecordingBus extends EventBus {
  readonly durable = true;
  readonly sent: OutgoingMessage[] = [];
  readonly calls: number[] = [];
  /** Runs before a call is accepted; throws to refuse it. */
  gate: (messages: OutgoingMessage[]) => Promise<void> | void = () => undefined;

  async publish(messages: OutgoingMessage[]): Promise<void> {
    this.calls.push(messages.length);
    await this.gate(messages);
    this.sent.push(...messages);
  }

  deadLetter(): Promise<void> {
    return Promise.reject(new Error('not used'));
  }
}

interface Row {
  id: string;
  published: boolean;
  parked: boolean;
  attempts: number;
  last_error: string | null;
}

export function outboxRows(dataSource: DataSource): Promise<Row[]> {
  return dataSource.query<Row[]>(`SELECT id, published_at IS NOT NULL AS published, parked_at IS NOT NULL AS parked,
    attempts, last_error FROM imports.outbox ORDER BY id`);
}

/** Committed rows whose process died before it could publish. */
export async function orphanRows(dataSource: DataSource, count = 1, age = '1 minute'): Promise<void> {
  const dead = new Outbox(dataSource, new RecordingBus(), 'imports');
  await dataSource.transaction(async (manager) => {
    for (let n = 0; n < count; n++) await dead.add(manager, OUTBOX_TOPIC, ASSET, eventData());
  });
  await ageRows(dataSource, age);
}

export async function ageRows(dataSource: DataSource, age = '1 minute'): Promise<void> {
  await dataSource.query(`UPDATE imports.outbox SET created_at = clock_timestamp() - $1::interval`, [age]);
}

/** As if the wait after a failure were over. */
export async function endClaims(dataSource: DataSource): Promise<void> {
  await dataSource.query(`UPDATE imports.outbox SET claimed_until = claimed_until - interval '1 hour'`);
}

import { setTimeout as sleep } from 'node:timers/promises';
import type { CollectedLine } from '../fixtures/clicking-network.js';

export interface IntegrityStatus {
  pending_events: number;
  dirty_networks: number;
  ledger_size: number;
  checkpoint_size: number;
  scored_through: string | null;
}

const SETTLE_MS = 60_000;

/** A member of an asset, as it talks to the gateway. */
export class IntegrityClient {
  constructor(
    private readonly baseUrl: string,
    private readonly token: string,
  ) {}

  call(path: string, init: { method?: string; body?: string; type?: string } = {}): Promise<Response> {
    const { method = 'GET', body, type } = init;
    return fetch(`${this.baseUrl}/api/v1/${path}`, {
      method,
      headers: { Authorization: `Bearer ${this.token}`, ...(type === undefined ? {} : { 'Content-Type': type }) },
      ...(body === undefined ? {} : { body }),
    });
  }

  async json<T>(path: string): Promise<T> {
    return (await this.ok(path, this.call(path)).then((answer) => answer.json())) as T;
  }

  async text(path: string): Promise<string> {
    return this.ok(path, this.call(path)).then((answer) => answer.text());
  }

  async collect(lines: readonly CollectedLine[]): Promise<void> {
    for (let from = 0; from < lines.length; from += 2000) {
      const body = lines
        .slice(from, from + 2000)
        .map((line) => JSON.stringify(line))
        .join('\n');
      await this.ok(
        'collect/events',
        this.call('collect/events', { method: 'POST', type: 'application/x-ndjson', body }),
      );
    }
  }

  async importCosts(rows: readonly string[]): Promise<void> {
    const body = ['date,channel,cost,currency', ...rows].join('\n');
    await this.ok('cost-import', this.call('cost-import', { method: 'POST', type: 'text/csv', body }));
  }

  /** Waits until everything that was collected is scored, and the ledger has what it must. */
  async settled(isEnough: (status: IntegrityStatus) => boolean = () => true): Promise<IntegrityStatus> {
    for (const end = Date.now() + SETTLE_MS; ;) {
      const status = await this.json<IntegrityStatus>('integrity/status');
      const { pending_events, dirty_networks, scored_through } = status;
      if (pending_events === 0 && dirty_networks === 0 && scored_through !== null && isEnough(status)) return status;
      if (Date.now() > end) throw new Error(`Scoring has not settled: ${JSON.stringify(status)}`);
      await sleep(100);
    }
  }

  private async ok(path: string, pending: Promise<Response>): Promise<Response> {
    const answer = await pending;
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return answer;
  }
}

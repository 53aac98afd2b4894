import { setTimeout as sleep } from 'node:timers/promises';
import type { LiftTest } from '#contracts/modeling/lift-test.js';
import type { MixRun, MixRunItem } from '#contracts/modeling/mix-run.js';
import type { MixShop } from '../fixtures/mix-shop.js';

const END_MS = 120_000;

/** A member of an asset who fits models, as it talks to the gateway. */
export class ModelsClient {
  constructor(
    private readonly baseUrl: string,
    private readonly token: string,
  ) {}

  async call(method: string, path: string, body?: string, type = 'application/json'): Promise<Response> {
    return fetch(`${this.baseUrl}/api/v1/${path}`, {
      method,
      headers: { Authorization: `Bearer ${this.token}`, ...(body === undefined ? {} : { 'Content-Type': type }) },
      ...(body === undefined ? {} : { body }),
    });
  }

  async json<T>(method: string, path: string, body?: object): Promise<T> {
    const response = await this.call(method, path, body === undefined ? undefined : JSON.stringify(body));
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  }

  /** Orders of a shop, until reporting has finished with them. */
  async collect(shop: MixShop): Promise<void> {
    const orders = shop.orders();
    for (let from = 0; from < orders.length; from += 2_000) {
      const lines = orders.slice(from, from + 2_000).map((order) => JSON.stringify(order));
      const response = await this.call('POST', 'collect/events', lines.join('\n'), 'application/x-ndjson');
      if (response.status !== 202) throw new Error(await response.text());
    }
    for (const end = Date.now() + END_MS; Date.now() < end;) {
      const { pending } = await this.json<{ pending: number }>('GET', 'collect/status');
      if (pending === 0) return;
      await sleep(100);
    }
    throw new Error('reporting has not finished');
  }

  async importCosts(csv: string): Promise<void> {
    const response = await this.call('POST', 'cost-import', csv, 'text/csv');
    if (response.status !== 200) throw new Error(await response.text());
  }

  async fit(body: object): Promise<string> {
    return (await this.json<{ run_id: string }>('POST', 'mmm/runs', body)).run_id;
  }

  async runs(): Promise<MixRunItem[]> {
    return (await this.json<{ items: MixRunItem[] }>('GET', 'mmm/runs')).items;
  }

  run(id: string, include = ''): Promise<MixRun> {
    return this.json('GET', `mmm/runs/${id}${include === '' ? '' : `?include=${include}`}`);
  }

  /** Waits until a run is in its end state. */
  endedRun(id: string): Promise<MixRun> {
    return this.ended(() => this.run(id));
  }

  endedTest(id: string): Promise<LiftTest> {
    return this.ended(() => this.json<LiftTest>('GET', `lift/tests/${id}`));
  }

  private async ended<T extends { status: string }>(look: () => Promise<T>): Promise<T> {
    for (const end = Date.now() + END_MS; ;) {
      const one = await look();
      if (['succeeded', 'failed', 'skipped'].includes(one.status)) return one;
      if (Date.now() > end) throw new Error(`has not ended: ${JSON.stringify(one)}`);
      await sleep(100);
    }
  }
}

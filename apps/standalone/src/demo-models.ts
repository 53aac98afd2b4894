import { setTimeout as sleep } from 'node:timers/promises';
import type { DemoShop } from '#apps/cli/src/demo-shop/demo-shop.js';
import { EXPERIMENT, newestExperiment } from '#apps/cli/src/demo-shop/experiment.js';
import { table } from '#apps/cli/src/table.js';
import type { LiftTest } from '#contracts/modeling/lift-test.js';
import type { MixRun } from '#contracts/modeling/mix-run.js';
import type { Credentials } from './credentials.js';

const TARGET = 'conversions';
/** What an advertiser of this shop would enter: about the mean revenue of a conversion. */
const CONVERSION_VALUE = '22';
const FIT_MS = 300_000;

/** A fitted model and an evaluated test, or why there is none: a short demo has too few weeks. */
export interface DemoModels {
  run: MixRun;
  test: LiftTest;
}

/**
 * Evaluates the newest lift test of the shop, then fits a mix model that learns from it, as an analyst would.
 *
 * @param shop whose records were all made
 * @throws Error when one of them has not ended after five minutes
 */
export async function fitModels(shop: DemoShop, credentials: Credentials): Promise<DemoModels> {
  const api = new ModelsApi(credentials);
  await api.send('PUT', 'modeling/settings', { targets: [TARGET], conversion_value: CONVERSION_VALUE });
  const { from, to } = newestExperiment(shop.to);
  const test = await api.ended<LiftTest>('lift/tests', 'test_id', {
    name: EXPERIMENT.campaign,
    metric: TARGET,
    channels: [EXPERIMENT.channel.channel],
    campaigns: [EXPERIMENT.campaign],
    geo_level: 'country',
    treated: [EXPERIMENT.country],
    test_from: from,
    test_to: to,
  });
  const run = await api.ended<MixRun>('mmm/runs', 'run_id', { target: TARGET });
  return { run, test };
}

/** Their ids where there are numbers. */
export function modelIds({ run, test }: DemoModels): { run?: string; test?: string } {
  return {
    ...(run.status === 'succeeded' ? { run: run.run_id } : {}),
    ...(test.status === 'succeeded' ? { test: test.test_id } : {}),
  };
}

/** The model beside what is true of this shop, for people to read. */
export function modelText({ run, test }: DemoModels, { truth }: DemoShop): string {
  const conversions = [...truth.values()].reduce((sum, count) => sum + count, 0);
  const rows = run.channels.map((channel) => [
    channel.channel,
    percent(channel.contribution_share),
    `${percent(channel.contribution_share_lo)} to ${percent(channel.contribution_share_hi)}`,
    percent((truth.get(channel.channel) ?? 0) / conversions),
    channel.identified ? 'yes' : `no: ${channel.reasons.join(', ')}`,
  ]);
  const model =
    run.error === null
      ? `${table(['CHANNEL', 'SHARE OF CONVERSIONS', '90 % INTERVAL', 'TRUE', 'IDENTIFIED'], rows)}\nTrust tier ${run.trust_tier ?? ''}.`
      : `No model: ${run.error.detail}`;
  const lift =
    test.error === null
      ? `The lift test in Germany: ${number(test.lift_total)} more conversions ` +
        `(${number(test.lift_lo)} to ${number(test.lift_hi)}), trust tier ${test.trust_tier ?? ''}.`
      : `No lift test: ${test.error.detail}`;
  return `${model}\n${lift}`;
}

class ModelsApi {
  constructor(private readonly credentials: Credentials) {}

  /** Creates a run or a test, and waits until it has ended. */
  async ended<T extends { status: string }>(path: string, idOf: string, body: object): Promise<T> {
    const created = (await this.send('POST', path, body)) as Record<string, string>;
    for (const end = Date.now() + FIT_MS; Date.now() < end;) {
      const one = (await this.send('GET', `${path}/${created[idOf] ?? ''}`)) as T;
      if (one.status === 'succeeded' || one.status === 'failed') return one;
      await sleep(250);
    }
    throw new Error(`${path} has not ended after five minutes.`);
  }

  async send(method: string, path: string, body?: object): Promise<unknown> {
    const { base_url: baseUrl, token, asset_id: assetId } = this.credentials;
    const response = await fetch(`${baseUrl}/api/v1/${path}${method === 'GET' ? '' : `?asset_id=${assetId}`}`, {
      method,
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
    return response.json();
  }
}

function percent(share: number | null): string {
  return share === null ? '' : `${(100 * share).toFixed(1)} %`;
}

function number(value: number | null): string {
  return value === null ? '' : value.toFixed(0);
}

import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { MmmLiftModule } from '#apps/mmm-lift/src/mmm-lift.module.js';
import { ModelingHousekeeping } from '#apps/mmm-lift/src/modeling-housekeeping.js';
import { envelope, type Envelope } from '#contracts/envelope.js';
import { CostImportCompleted } from '#contracts/events/cost-import-completed.js';
import { LiftTestCompleted } from '#contracts/events/lift-test-completed.js';
import { EventBus } from '#messaging/event-bus.js';
import { until } from '../fixtures/cost-import-client.js';
import { ModelRows } from '../fixtures/model-rows.js';
import { startService, type TestService } from '../support/service.js';

const DEBOUNCE_S = 2;
const MAX_S = 5;

let service: TestService;
let assetId: string;

beforeAll(async () => {
  service = await startService(
    { MODEL_DEBOUNCE_SECONDS: `${DEBOUNCE_S}`, MODEL_DEBOUNCE_MAX_SECONDS: `${MAX_S}`, MODEL_WORKERS: '1' },
    MmmLiftModule,
  );
});

beforeEach(async () => {
  ({ assetId } = await service.newAsset());
});

afterAll(async () => {
  await service.stop();
  Object.assign(process.env, { MODEL_DEBOUNCE_SECONDS: '', MODEL_DEBOUNCE_MAX_SECONDS: '', MODEL_WORKERS: '' });
});

interface Run {
  run_id: string;
  target: string;
  trigger: string;
  status: string;
  error_code: string | null;
  /** Seconds from the creation. */
  due: number;
  started: number | null;
}

const runs = (): Promise<Run[]> =>
  service.dataSource.query<Run[]>(
    `SELECT run_id, target, trigger, status, error_code, extract(epoch FROM not_before - created_at)::float8 AS due,
            extract(epoch FROM started_at - created_at)::float8 AS started FROM modeling.run WHERE asset_id = $1 ORDER BY created_at, target`,
    [assetId],
  );
const allEnded = (): Promise<Run[]> => until(runs, (rows) => rows.every(({ status }) => status === 'failed'));
const targets = async (): Promise<string[]> => (await runs()).map(({ target }) => target);

function imported(changes: Partial<CostImportCompleted> = {}): Envelope<CostImportCompleted> {
  return envelope(CostImportCompleted.topic, 'import-worker', assetId, {
    import_id: randomUUID(),
    asset_id: assetId,
    outcome: 'clean',
    total: 3,
    inserted: 2,
    updated: 1,
    skipped: 0,
    changed: 3,
    imported_from: '2026-01-04',
    imported_to: '2026-01-18',
    channels: ['Google Ads'],
    channels_truncated: false,
    weeks: [{ from: '2026-01-04', to: '2026-01-18' }],
    file: { key: `imports/${assetId}/${randomUUID()}/costs.csv`, sha256: '0'.repeat(64) },
    ...changes,
  });
}

function tested(changes: Partial<LiftTestCompleted> = {}): Envelope<LiftTestCompleted> {
  return envelope(LiftTestCompleted.topic, 'mmm-lift', assetId, {
    asset_id: assetId,
    test_id: randomUUID(),
    metric: 'goal:signup',
    channels: ['Google Ads'],
    status: 'succeeded',
    trust_tier: 'high',
    error_code: null,
    ...changes,
  });
}

async function tell(...events: Envelope[]): Promise<void> {
  await service.app
    .get(EventBus)
    .publish(events.map((event) => ({ topic: event.type, key: event.subject, value: JSON.stringify(event) })));
}

async function known(target: string): Promise<void> {
  await new ModelRows(service.dataSource, assetId).outcomes([{ day: '2026-01-04', target, value: 10 }]);
}

async function setTargets(list: string[] | null): Promise<void> {
  await service.dataSource.query(
    `INSERT INTO modeling.asset_setting (asset_id, targets) VALUES ($1, $2)
     ON CONFLICT (asset_id) DO UPDATE SET targets = EXCLUDED.targets`,
    [assetId, list],
  );
}

describe('cost imports', () => {
  it('again and again make one run, when none has come for the time of the debounce', async () => {
    for (let n = 0; n < 8; n++) {
      await tell(imported());
      expect(await runs()).toMatchObject([{ status: 'queued', target: 'conversions', trigger: 'cost_import' }]);
      await sleep(300);
    }
    const [run] = await allEnded();
    // The asset has no data: the run was tried.
    expect(run?.error_code).toBeTruthy();
    expect(run?.started).toBeGreaterThan(7 * 0.3 + DEBOUNCE_S - 0.05);
    await sleep(DEBOUNCE_S * 1000);
    expect(await runs()).toHaveLength(1);
  });

  it('that never stop put a run off for no longer than the most', async () => {
    const start = Date.now();
    while (Date.now() - start < MAX_S * 1000 + 600) {
      await tell(imported());
      await sleep(250);
    }
    const rows = await allEnded();
    expect(rows).toHaveLength(2);
    expect(rows[0]?.due).toBeCloseTo(MAX_S, 2);
    expect(rows[0]?.started).toBeGreaterThanOrEqual(MAX_S);
    expect(rows[0]?.started).toBeLessThan(MAX_S + 2);
  }, 30_000);

  it('that come at the same time make one run', async () => {
    await Promise.all(Array.from({ length: 20 }, () => tell(imported())));
    expect(await runs()).toHaveLength(1);
  });

  it('delivered twice make no second run, and put off nothing', async () => {
    const event = imported();
    await tell(event);
    const [first] = await runs();
    await sleep(300);
    await tell(event);
    expect(await runs()).toEqual([first]);
    await allEnded();
    await tell(event, event);
    expect(await runs()).toHaveLength(1);
    await tell(imported());
    expect(await runs()).toHaveLength(2);
  });

  it('without a row that was written start nothing; equal rows that were written again do', async () => {
    await tell(imported({ outcome: 'none', inserted: 0, updated: 0, skipped: 3, changed: 0 }));
    expect(await runs()).toEqual([]);
    await tell(imported({ inserted: 0, updated: 3, changed: 0 }));
    expect(await runs()).toHaveLength(1);
  });

  it('start a run for revenue once any value exists', async () => {
    await known('goal:signup');
    await tell(imported());
    expect(await targets()).toEqual(['conversions']);
    await known('revenue');
    await tell(imported());
    expect(await targets()).toEqual(['conversions', 'revenue']);
  });

  it('start a run for each target of the settings, and none for an empty list', async () => {
    await setTargets([]);
    await tell(imported());
    expect(await targets()).toEqual([]);
    await setTargets(['goal:signup', 'revenue']);
    await tell(imported());
    expect((await targets()).sort()).toEqual(['goal:signup', 'revenue']);
  });

  it('of two assets have nothing to do with each other', async () => {
    const other = assetId;
    await tell(imported());
    ({ assetId } = await service.newAsset());
    await tell(imported());
    expect(await runs()).toHaveLength(1);
    assetId = other;
    expect(await runs()).toHaveLength(1);
  });
});

describe('lift tests', () => {
  it('with numbers start a run for their metric, later than the debounce', async () => {
    await tell(tested());
    expect(await runs()).toMatchObject([{ target: 'goal:signup', trigger: 'lift_test', status: 'queued' }]);
    expect((await runs())[0]?.due).toBeCloseTo(DEBOUNCE_S, 2);
  });

  it('that failed start nothing', async () => {
    await tell(tested({ status: 'failed', trust_tier: null, error_code: 'no_baseline' }));
    expect(await runs()).toEqual([]);
  });

  it('share the waiting run with imports', async () => {
    await tell(tested({ metric: 'conversions' }), imported());
    expect(await runs()).toMatchObject([{ target: 'conversions', trigger: 'lift_test' }]);
  });

  it('and imports do not wait for a run that somebody asked for', async () => {
    await service.dataSource.query(
      `INSERT INTO modeling.run (asset_id, run_id, target, trigger, not_before) VALUES ($1, $2, 'conversions', 'request', 'infinity')`,
      [assetId, randomUUID()],
    );
    await tell(imported());
    expect((await runs()).map(({ trigger }) => trigger).sort()).toEqual(['cost_import', 'request']);
  });
});

describe('housekeeping', () => {
  it('forgets events after 30 days', async () => {
    await tell(imported());
    const forget = (): Promise<number> => service.app.get(ModelingHousekeeping).forgetSeenEvents();
    expect(await forget()).toBe(0);
    const [{ count } = { count: 0 }] = await service.dataSource.query<{ count: number }[]>(
      `WITH aged AS (UPDATE modeling.consumer_inbox SET seen_at = seen_at - interval '31 days' RETURNING 1) SELECT count(*)::int FROM aged`,
    );
    expect(count).toBeGreaterThan(0);
    expect(await forget()).toBe(count);
  });
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Services } from './processes.js';
import { stack } from './support.js';

describe('probe', () => {
  let services: Services;
  beforeAll(async () => { services = await Services.on(stack.env); });
  afterAll(async () => { await services.stop(); });
  it('times', async () => {
    const t = async (label: string) => {
      const begin = Date.now();
      const worker = await services.start('import-worker');
      await worker.untilReady();
      console.error(label, Date.now() - begin);
      return worker;
    };
    const a = await t('first');
    const b = await t('second beside');
    await b.terminate();
    const b2 = await t('after SIGTERM');
    await b2.kill();
    const c = await t('after SIGKILL, one other alive');
    await c.kill(); await a.kill();
    const d = await t('after SIGKILL of all');
    await d.kill();
    await t('again');
    expect(1).toBe(1);
  }, 300_000);
});

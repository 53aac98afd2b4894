import { it } from '@jest/globals';
import { dayText } from '../fixtures/clicking-network.js';
import { eventsOf } from '../sim/events-of.js';
import { IntegrityClient } from '../support/integrity-client.js';
import { startService } from '../support/service.js';

it('x', async () => {
  const service = await startService({ LOG_LEVEL: 'debug', LOG_FORMAT: 'text' });
  const truth = eventsOf({ seed: 71, mix: 'hard', heldOut: true, until: dayText(2) });
  const asset = await service.newAsset({ timezone: truth.timezone });
  const client = new IntegrityClient(service.baseUrl, asset.token);
  const t = Date.now();
  await client.collect(truth.events as never);
  console.log('events', truth.events.length, 'collected', Date.now() - t);
  for (let i = 0; i < 90; i++) {
    const rows = await service.dataSource.query(`SELECT left(query, 120) AS q, state, wait_event, now() - query_start AS d FROM pg_stat_activity WHERE datname = current_database() AND state <> 'idle' AND pid <> pg_backend_pid()`);
    const status = await client.json<any>('integrity/status');
    if (i % 3 === 0) console.log(Date.now() - t, JSON.stringify(status), JSON.stringify(rows));
    if (status.scored_through !== null && status.dirty_networks === 0) break;
    await new Promise((r) => setTimeout(r, 1000));
  }
  await service.stop();
}, 200000);

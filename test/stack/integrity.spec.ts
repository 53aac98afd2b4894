import { spawnSync } from 'node:child_process';
import { writeFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { run } from '#apps/cli/src/run.js';
import type { IntegrityCheckpointSigned } from '#contracts/events/integrity-checkpoint-signed.js';
import type { IntegrityVerdictChanged } from '#contracts/events/integrity-verdict-changed.js';
import { clickingNetwork, dayText, HOSTER, HOSTER_ENTITY, peopleAtHome } from '../fixtures/clicking-network.js';
import { IntegrityClient } from '../support/integrity-client.js';
import type { TestAsset } from '../support/service.js';
import { until } from './phases.js';
import { Services, type ServiceProcess } from './processes.js';
import { stack } from './support.js';

const DAYS = [9, 8, 7, 6, 5, 4, 3];
const SCORING = { SCORE_QUIET_MS: '500', SCORE_INTERVAL_MS: '3000' };
const SESSIONS = DAYS.length * 140;

describe('integrity', () => {
  let services: Services;
  let gateway: ServiceProcess;
  let integrity: ServiceProcess;
  let asset: TestAsset;
  let client: IntegrityClient;

  beforeAll(async () => {
    services = await Services.on(stack.env);
    [gateway, integrity] = await Promise.all([services.start('gateway'), services.start('integrity', SCORING)]);
    await Promise.all([gateway.untilReady(), integrity.untilReady()]);
  }, 120_000);

  afterAll(async () => {
    await services.stop();
  });

  beforeEach(async () => {
    asset = await services.newAsset();
    client = new IntegrityClient(gateway.url, asset.token);
  });

  const traffic = () => DAYS.flatMap((day) => [...peopleAtHome(day), ...clickingNetwork(day)]);
  const verifyLedger = () => run(['integrity', 'verify-ledger', '--asset', asset.assetId], services.env);
  const count = async (table: string, where = 'true'): Promise<number> => {
    const [row] = await services.dataSource.query<{ rows: number }[]>(
      `SELECT count(*)::int AS rows FROM integrity.${table} WHERE asset_id = $1 AND ${where}`,
      [asset.assetId],
    );
    return row?.rows ?? 0;
  };
  const found = async () => (await client.json<{ items: object[] }>('integrity/entities')).items;
  const confirmed = [{ entity_id: HOSTER_ENTITY, severity: 'confirmed', flagged_sessions: SESSIONS }];

  it('finds what clicks, claims it, and both verifiers agree', async () => {
    await client.collect(traffic());
    await client.settled();
    expect(await found()).toMatchObject(confirmed);
    const folder = mkdtempSync(join(tmpdir(), 'tallyport-claim-'));
    try {
      const claim = await client.text('integrity/evidence/refund.csv');
      expect(claim).toContain(`,google_ads,confirmed,${SESSIONS},`);
      expect(claim.trimEnd().endsWith(',true')).toBe(true);
      writeFileSync(join(folder, 'claim.csv'), claim);
      writeFileSync(join(folder, 'bundle.json'), await client.text('integrity/evidence/bundle.json'));
      const verify = (command: string, file: string) =>
        spawnSync(command, [resolve('deploy/verifier', file), 'claim.csv', 'bundle.json'], {
          cwd: folder,
          encoding: 'utf8',
        });
      const node = verify(process.execPath, 'tallyport-verify.mjs');
      expect(node).toMatchObject({ status: 0 });
      const python = verify('python3', 'tallyport_verify.py');
      if (python.error !== undefined) process.stderr.write('skipped: the Python verifier, python3 is not there\n');
      else expect([python.status, python.stdout]).toEqual([0, node.stdout]);
    } finally {
      rmSync(folder, { recursive: true });
    }
    const [signed] = await services.events<IntegrityCheckpointSigned>('integrity.checkpoint-signed.v1', asset);
    expect(signed).toMatchObject({ asset_id: asset.assetId, key: `checkpoints/${asset.assetId}/${signed?.size}.txt` });
    const verdicts = await services.events<IntegrityVerdictChanged>('integrity.verdict-changed.v1', asset);
    expect(verdicts).toMatchObject([{ entity_id: HOSTER_ENTITY, new_severity: 'confirmed' }]);
    expect(await verifyLedger()).toMatchObject({ code: 0 });
  });

  it('that is killed between verdict and ledger leaves neither, and its successor writes both once', async () => {
    const hold = services.dataSource.createQueryRunner();
    await hold.startTransaction();
    await hold.query('LOCK TABLE integrity.ivt_verdict IN SHARE MODE');
    try {
      await client.collect(traffic());
      const waiting = () =>
        services.dataSource.query<unknown[]>(
          `SELECT pid FROM pg_locks JOIN pg_class ON pg_class.oid = relation WHERE relname = 'ivt_verdict' AND NOT granted`,
        );
      await until(waiting, (rows) => rows.length > 0);
      await integrity.kill();
    } finally {
      await hold.rollbackTransaction();
      await hold.release();
    }
    expect([await count('evidence_entry'), await count('ivt_verdict')]).toEqual([0, 0]);
    integrity = await (await services.start('integrity', SCORING)).untilReady();
    await client.settled();
    expect(await found()).toMatchObject(confirmed);
    expect(await count('evidence_entry', `kind = 'detection'`)).toBe(DAYS.length);
    expect(await verifyLedger()).toMatchObject({ code: 0 });
  });

  it('that is killed while it takes events counts none twice and loses none', async () => {
    const sent = traffic();
    await client.collect(sent.slice(0, 500));
    await until(
      () => count('seen_event'),
      (events) => events > 0,
    );
    const sending = client.collect(sent.slice(500));
    await integrity.kill();
    await sending;
    integrity = await (await services.start('integrity', SCORING)).untilReady();
    await client.settled();
    expect(await count('seen_event')).toBe(sent.length);
    expect(await found()).toMatchObject(confirmed);
  });

  it('goes on exporting from a broken chain, says so, and appends nothing to it', async () => {
    await client.collect(traffic());
    await client.settled();
    await services.dataSource.query(`
      ALTER TABLE integrity.evidence_entry DISABLE TRIGGER USER;
      UPDATE integrity.evidence_entry SET body = replace(body, '"flagged_sessions":140', '"flagged_sessions":139')
       WHERE asset_id = '${asset.assetId}' AND seq = (
         SELECT max(seq) FROM integrity.evidence_entry WHERE asset_id = '${asset.assetId}' AND kind = 'detection');
      ALTER TABLE integrity.evidence_entry ENABLE TRIGGER USER`);
    const claim = await client.text('integrity/evidence/refund.csv');
    expect(claim.trimEnd().endsWith(',false')).toBe(true);
    expect(await verifyLedger()).toMatchObject({ code: 1 });
    const before = await count('evidence_entry');
    await client.collect(clickingNetwork(2));
    await until(
      () => integrity.log,
      (log) => log.includes('integrity.ledger.broken'),
    );
    expect(await count('evidence_entry')).toBe(before);
    const other = await services.newAsset();
    const otherClient = new IntegrityClient(gateway.url, other.token);
    await otherClient.collect(traffic());
    await otherClient.settled();
    expect((await otherClient.json<{ items: object[] }>('integrity/entities')).items).toMatchObject(confirmed);
  });

  it('without a key detects, and claims nothing to be verified', async () => {
    await integrity.end();
    integrity = await services.start('integrity', { ...SCORING, INTEGRITY_SIGNING_KEY_FILE: '' });
    await integrity.untilReady();
    await client.collect(traffic());
    const { checkpoint_size: signed } = await client.settled();
    expect(signed).toBe(0);
    expect((await client.text('integrity/evidence/refund.csv')).trimEnd().endsWith(',false')).toBe(true);
    await integrity.end();
    integrity = await (await services.start('integrity', SCORING)).untilReady();
    expect((await client.text('integrity/evidence/refund.csv')).trimEnd().endsWith(',true')).toBe(true);
    expect(await client.text(`integrity/blocklist/google.csv?from=${dayText(9)}&to=${dayText(3)}`)).toBe(
      `IP address\n${HOSTER}.*\n`,
    );
  });
});

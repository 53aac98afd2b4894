import { describe, expect, it } from '@jest/globals';
import { Attacker } from '../../../../test/fixtures/ledger-attack.js';
import { LedgerPlace } from '../../../../test/fixtures/ledger-place.js';
import { detectionEntries } from '../../../../test/fixtures/ledger.js';
import { lastHour, LedgerWatch } from './ledger-watch.js';
import { LedgerConfig } from './ledger.config.js';

describe('the nightly hour', () => {
  it('verifies every ledger once, freezes the broken one and no other', async () => {
    const own = await LedgerPlace.open();
    const signing = own.service();
    const [good, broken] = [await own.filled(signing), await own.filled(signing)];
    await new Attacker(own, broken).run([
      "UPDATE integrity.evidence_entry SET body = replace(body, 'google', 'goggle') WHERE asset_id = $1 AND seq = 3",
    ]);
    const watch = () => new LedgerWatch(own.dataSource, own.objects, signing.keys, new LedgerConfig());
    const tomorrow = new Date(Date.now() + 24 * 3_600_000);
    expect(await watch().round(new Date())).toBe(0);
    const looked = await Promise.all([watch().round(tomorrow), watch().round(tomorrow)]);
    const frozen = await own.dataSource.query<unknown[]>(
      'SELECT asset_id, broken_reason FROM integrity.ledger_head WHERE broken_at IS NOT NULL',
    );
    expect(frozen).toEqual([{ asset_id: broken, broken_reason: expect.stringContaining('entry 3') }]);
    expect(looked[0] + looked[1]).toBeGreaterThanOrEqual(2);
    await signing.append(good, detectionEntries(1));
    await own.close();
  });

  it.each([
    ['2026-09-30T02:59:59Z', '2026-09-29T03:00:00.000Z'],
    ['2026-09-30T03:00:00Z', '2026-09-30T03:00:00.000Z'],
    ['2026-09-30T23:00:00Z', '2026-09-30T03:00:00.000Z'],
  ])('was last before %s at %s', (now, expected) => {
    expect(lastHour(new Date(now), 3).toISOString()).toBe(expected);
  });
});

import { describe, expect, it } from '@jest/globals';
import { basis, config, detection, hashOf, OPTIONS } from '../../../../test/support/claims/claim-entries.js';
import { type ClaimEntry, currentEntries } from './current-entries.js';
import { commitment } from './claim-samples.js';
import { evidenceHash } from './evidence-hash.js';
import { type ClaimOptions, refundRows } from './refund-claim.js';

const rowsOf = (entries: ClaimEntry[], options: Partial<ClaimOptions> = {}) =>
  refundRows(currentEntries(entries, 1000), { ...OPTIONS, ...options });

describe('the entries that count', () => {
  it('leaves out what is superseded, and what lies behind the checkpoint', () => {
    const first = detection(1, { flagged: 3 });
    const second = detection(2, { flagged: 5, supersedes: 1 });
    const third = detection(3, { flagged: 9, supersedes: 2 });
    const seqs = (size: number) => currentEntries([third, first, second], size).detections.map(({ seq }) => seq);
    expect([seqs(1), seqs(2), seqs(3)]).toEqual([[1], [2], [3]]);
  });

  it('lets a clean day take a flagged one back', () => {
    expect(rowsOf([detection(1), detection(2, { severity: 'clean', flagged: 0, supersedes: 1 })])).toEqual([]);
  });

  it('keeps a visitor apart by network, and never counts one entity, channel and day twice', () => {
    const visitor = { entity: 'vis-1', entity_type: 'visitor' } as const;
    const { detections } = currentEntries(
      [detection(1, visitor), detection(2, { ...visitor, asn: 1 }), detection(3), detection(4, { asn: 1 })],
      9,
    );
    expect(detections.map(({ seq }) => seq)).toEqual([1, 2, 4]);
  });

  it('takes the newest cost basis per channel, day and currency, and the newest config', () => {
    const { bases, config: newest } = currentEntries(
      [config(1), basis(4), basis(2), basis(3, { currency: 'USD' }), config(5), config(6)],
      5,
    );
    expect(bases.map(({ seq }) => seq)).toEqual([3, 4]);
    expect(newest?.seq).toBe(5);
  });
});

describe('a row of the refund claim', () => {
  it('says what its entries say', () => {
    const entries = [
      detection(1),
      detection(2, { day: '2026-09-03', flagged: 5 }),
      basis(3),
      basis(4, { day: '2026-09-02' }),
    ];
    expect(rowsOf(entries)).toEqual([
      {
        asn: 24940,
        asn_org: 'Example Hosting GmbH',
        network_type: 'hosting',
        channel: 'google_ads',
        severity: 'likely',
        flagged_sessions: 15,
        window_from: '2026-08-31T22:00:00Z',
        window_to: '2026-09-03T21:59:59Z',
        estimated_wasted: '10.00',
        currency: 'EUR',
        reasons: ['click_flood=48>8'],
        sample_ips: [],
        evidence_hash: evidenceHash([1, 2, 3].map(hashOf)),
        entries: [1, 2, 3],
      },
    ]);
  });

  it('has the hash of its entry as evidence when there is only one', () => {
    expect(rowsOf([detection(7)]).map((row) => row.evidence_hash)).toEqual([hashOf(7)]);
  });

  it.each([
    ['a known unpaid channel', { paid: false }],
    ['a suspected day', { severity: 'suspected' }],
    ['no flagged session', { flagged: 0 }],
    ['a day before the range', { day: '2026-08-31' }],
    ['a day after it', { day: '2026-10-01' }],
  ] as const)('does not stand for %s', (_, payload) => {
    expect(rowsOf([detection(1, payload)])).toEqual([]);
  });

  it('takes the highest severity of the entity in the range for all its sessions', () => {
    const entries = [
      detection(1),
      detection(2, { day: '2026-09-02', severity: 'confirmed', channel: 'news', paid: false }),
      detection(3, { day: '2026-08-30', severity: 'confirmed', entity: 'net-other' }),
      detection(4, { entity: 'net-other' }),
    ];
    expect(rowsOf(entries).map((row) => [row.severity, row.entries])).toEqual([
      ['confirmed', [1]],
      ['likely', [4]],
    ]);
  });

  it('stands once for each currency, with the same sessions', () => {
    const rows = rowsOf([detection(1), basis(2), basis(3, { currency: 'USD', spend: '50' })]);
    expect(rows.map((row) => [row.currency, row.estimated_wasted, row.flagged_sessions, row.entries])).toEqual([
      ['EUR', '10.00', 10, [1, 2]],
      ['USD', '5.00', 10, [1, 3]],
    ]);
  });

  it('says so when no day has a cost', () => {
    const [row] = rowsOf([detection(1, { paid: null }), basis(2, { spend: '0.00' }), basis(3, { channel: 'other' })], {
      currencyDefault: 'CHF',
    });
    expect(row).toMatchObject({ estimated_wasted: '0.00', currency: 'CHF', entries: [1] });
    expect(row?.reasons).toEqual(['click_flood=48>8', 'no_cost_data']);
  });

  it.each([
    ['2026-10-31', false],
    ['2026-11-01', true],
  ])('made on %s, 60 and 61 days after its last day: outside the window %s', (today, outside) => {
    expect(rowsOf([detection(1)], { today })[0]?.reasons.includes('outside_60_day_window')).toBe(outside);
  });

  it('takes the name of the network from the newest entry', () => {
    expect(rowsOf([detection(1), detection(2, { entity: 'b', asn_org: 'New Name' })])[0]?.asn_org).toBe('New Name');
  });

  it.each([
    ['a day of 25 hours', 'Europe/Berlin', '2026-10-25', '2026-10-24T22:00:00Z', '2026-10-25T22:59:59Z'],
    ['a day of 23 hours', 'Europe/Berlin', '2026-03-29', '2026-03-28T23:00:00Z', '2026-03-29T21:59:59Z'],
    ['a day that begins at one', 'Asia/Beirut', '2026-03-29', '2026-03-28T22:00:00Z', '2026-03-29T20:59:59Z'],
    ['three quarters of an hour', 'Asia/Kathmandu', '2026-09-01', '2026-08-31T18:15:00Z', '2026-09-01T18:14:59Z'],
    ['far east', 'Pacific/Kiritimati', '2026-09-01', '2026-08-31T10:00:00Z', '2026-09-01T09:59:59Z'],
  ])('has the bounds of %s', (_, timezone, day, window_from, window_to) => {
    const range = { from: day, to: day, timezone, today: day };
    expect(rowsOf([detection(1, { day })], range)[0]).toMatchObject({ window_from, window_to });
  });
});

describe('the order of rows', () => {
  it('is severity, money, asn, channel, network type, currency', () => {
    const of = (seq: number, payload: Parameters<typeof detection>[1]) =>
      detection(seq, { entity: `e${seq}`, ...payload });
    const rows = rowsOf([
      of(1, { asn: null, channel: 'x' }),
      of(2, { asn: 9, channel: 'x' }),
      of(3, { asn: 10, channel: 'x' }),
      of(4, { asn: 9, channel: 'b' }),
      of(5, { asn: 9, channel: 'b', network_type: 'cdn' }),
      of(6, { asn: 99, channel: 'google_ads' }),
      of(7, { asn: 100, channel: 'x', severity: 'confirmed' }),
      basis(8),
      basis(9, { currency: 'USD' }),
    ]);
    expect(rows.map((row) => [row.entries[0], row.currency])).toEqual([
      [7, 'EUR'],
      [6, 'EUR'],
      [6, 'USD'],
      [5, 'EUR'],
      [4, 'EUR'],
      [2, 'EUR'],
      [3, 'EUR'],
      [1, 'EUR'],
    ]);
  });
});

describe('reasons', () => {
  const reason = (code: string, observed: string, limit: string, contribution: string) =>
    ({ code, observed, limit, contribution }) as ReturnType<typeof detection>['payload']['reasons'][number];

  it('are those of the entries in which they weigh most, strongest first', () => {
    const [row] = rowsOf([
      detection(1, {
        reasons: [reason('no_engagement', '90.0%', '50.0%', '0.6000'), reason('click_flood', '20', '8', '0.4000')],
      }),
      detection(2, {
        day: '2026-09-02',
        reasons: [reason('click_flood', '48', '8', '0.7000'), reason('no_engagement', '97.2%', '52.0%', '0.6000')],
      }),
      basis(3),
    ]);
    expect(row?.reasons).toEqual(['click_flood=48>8', 'no_engagement=90.0%>50.0%']);
  });

  it('use < where the low number is the anomaly, and no sign without numbers', () => {
    const [row] = rowsOf([
      detection(1, {
        reasons: [
          reason('regular_interval', '0.03', '0.65', '0.5000'),
          reason('id_churn', '0.12', '0.12', '0.2000'),
          reason('hosting_network', 'AS24940', '', '0.2000'),
          reason('burst', '94.0%', '30.0%', '0.1000'),
        ],
      }),
      basis(2),
    ]);
    expect(row?.reasons).toEqual([
      'regular_interval=0.03<0.65',
      'id_churn=0.12<0.12',
      'hosting_network',
      'burst=94.0%>30.0%',
    ]);
  });

  it('are at most eight, the notices included', () => {
    const codes = [
      'declared_bot',
      'click_flood',
      'repeat_click',
      'no_engagement',
      'burst',
      'night_flat',
      'geo_conflict',
      'paid_only',
    ];
    const reasons = [...codes, 'network_hopping'].map((code, index) => reason(code, '2', '1', `0.${9 - index}000`));
    const [row] = rowsOf([detection(1, { reasons })], { today: '2027-01-01' });
    expect(row?.reasons).toHaveLength(8);
    expect(row?.reasons.slice(-3)).toEqual(['night_flat=2>1', 'no_cost_data', 'outside_60_day_window']);
  });
});

describe('sample_ips', () => {
  const sample = (seq: number, ip: string) => ({ seq, ip, salt: seq.toString(16).padStart(32, '0') });

  it('are by flagged sessions, then IPv4 first, then by number; at most ten; erased ones are gone', () => {
    const ips = ['203.0.113.20', '203.0.113.3', '2001:db8::/64', '2001:db8:0:1::/64', '9.9.9.9', '198.51.100.1'];
    const many = Array.from({ length: 8 }, (_, index) => `192.0.2.${index}`);
    const samples = [...ips, ...many].map((ip) => sample(1, ip));
    const more = sample(2, '198.51.100.1');
    const [row] = rowsOf(
      [
        detection(1, { ip_commit: samples.map((one) => [commitment(one), many.includes(one.ip) ? 1 : 5]) }),
        detection(2, { day: '2026-09-02', ip_commit: [[commitment(more), 1]] }),
      ],
      { samples: [...samples.filter(({ ip }) => ip !== '9.9.9.9'), more, sample(1, '1.1.1.1')] },
    );
    expect(row?.sample_ips).toEqual([
      '198.51.100.1',
      '203.0.113.3',
      '203.0.113.20',
      '2001:db8::/64',
      '2001:db8:0:1::/64',
      ...many.slice(0, 5),
    ]);
  });
});

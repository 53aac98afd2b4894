import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { spreadCosts } from '#contracts/costs/weekly-spread.js';
import { basis, detection, OPTIONS } from '../../../../test/support/claims/claim-entries.js';
import {
  fraction,
  type Fraction,
  isAtMost,
  multiply,
  sum,
  toCents,
} from '../../../../test/support/claims/slow-decimals.js';
import { currentEntries } from './current-entries.js';
import { refundRows } from './refund-claim.js';
import { wastedSpend } from './wasted-spend.js';

const day = (number: number): string => `2026-09-0${number}`;

interface Place {
  channel: string;
  day: string;
}

/** Flagged sessions of one network, and the cost of one channel and day. */
interface Case {
  flagged: (Place & { asn: number; sessions: number })[];
  costs: (Place & { currency: string; spend: string; unflagged: number })[];
}

const place = {
  channel: fc.constantFrom('google_ads', 'meta_ads', 'bing_ads'),
  day: fc.integer({ min: 1, max: 7 }).map(day),
};
const spend = fc
  .tuple(fc.integer({ min: 0, max: 99_999 }), fc.integer({ min: 0, max: 999_999 }), fc.integer({ min: 0, max: 6 }))
  .map(([whole, behind, digits]) =>
    digits === 0 ? String(whole) : `${whole}.${String(behind).padStart(6, '0').slice(0, digits)}`,
  );
const cases: fc.Arbitrary<Case> = fc.record({
  flagged: fc.array(
    fc.record({ ...place, asn: fc.integer({ min: 1, max: 4 }), sessions: fc.integer({ min: 1, max: 60 }) }),
    {
      minLength: 1,
      maxLength: 12,
    },
  ),
  costs: fc.uniqueArray(
    fc.record({
      ...place,
      currency: fc.constantFrom('EUR', 'USD'),
      spend,
      unflagged: fc.integer({ min: -30, max: 60 }),
    }),
    { maxLength: 16, selector: (cost) => `${cost.channel} ${cost.day} ${cost.currency}` },
  ),
});

const at = (a: Place, b: Place): boolean => a.channel === b.channel && a.day === b.day;
const total = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);

/** All sessions of the place; with `unflagged` below 0 a basis that does not know all flagged ones yet. */
function paidOf({ flagged }: Case, cost: Case['costs'][number]): number {
  const known = total(flagged.filter((one) => at(one, cost)).map(({ sessions }) => sessions));
  return Math.max(0, known + cost.unflagged);
}

function claimOf(one: Case) {
  const detections = one.flagged.map(({ channel, day: on, asn, sessions }, index) =>
    detection(index + 1, { entity: `net-${index}`, channel, day: on, asn, flagged: sessions }),
  );
  const bases = one.costs.map(({ channel, day: on, currency, spend: amount, ...rest }, index) =>
    basis(100 + index, {
      channel,
      day: on,
      currency,
      spend: amount,
      paid_sessions: paidOf(one, { channel, day: on, currency, spend: amount, ...rest }),
    }),
  );
  return refundRows(currentEntries([...detections, ...bases], 1000), OPTIONS);
}

/** Σ min(flagged, paid) × spend / max(paid, 1), as the design states it, by hand. */
function slowly(one: Case, row: { channel: string; asn: number | null; currency: string }): Fraction {
  return sum(
    one.costs
      .filter(({ channel, currency }) => channel === row.channel && currency === row.currency)
      .map((cost) => {
        const sessions = total(one.flagged.filter((f) => at(f, cost) && f.asn === row.asn).map((f) => f.sessions));
        const paid = paidOf(one, cost);
        return multiply(fraction(cost.spend), fraction(String(Math.min(sessions, paid)), Math.max(paid, 1)));
      }),
  );
}

describe('estimated_wasted', () => {
  it('equals a slow reference to the cent, and never claims more than was spent, in 1,000 random cases', () => {
    let rows = 0;
    fc.assert(
      fc.property(cases, (one) => {
        const known: Case = {
          ...one,
          costs: one.costs.map((cost) => ({ ...cost, unflagged: Math.abs(cost.unflagged) })),
        };
        const claim = claimOf(known);
        rows += claim.length;
        for (const row of claim) expect(row.estimated_wasted).toBe(toCents(slowly(known, row)));
        for (const currency of ['EUR', 'USD']) {
          const spent = sum(
            known.costs.filter((cost) => cost.currency === currency).map((cost) => fraction(cost.spend)),
          );
          const claimed = claim.filter((row) => row.currency === currency);
          expect(isAtMost(sum(claimed.map((row) => slowly(known, row))), spent)).toBe(true);
        }
      }),
      { numRuns: 1000, seed: 8 },
    );
    expect(rows).toBeGreaterThan(3000);
  }, 120_000);

  it('stays within the spend when flagged sessions are ahead of the cost basis', () => {
    fc.assert(
      fc.property(cases, (one) => {
        const claim = claimOf(one);
        for (const currency of ['EUR', 'USD']) {
          const spent = sum(one.costs.filter((cost) => cost.currency === currency).map((cost) => fraction(cost.spend)));
          const claimed = claim.filter((row) => row.currency === currency);
          // Printed amounts are at most half a cent off each.
          const slack = fraction('0.005', 1);
          const bound = sum([spent, ...claimed.map(() => slack)]);
          expect(isAtMost(sum(claimed.map((row) => fraction(row.estimated_wasted))), bound)).toBe(true);
        }
      }),
      { numRuns: 300, seed: 9 },
    );
  }, 120_000);

  it.each([
    ['half a cent goes to the even cent below', '0.01', 1, 2, '0.00'],
    ['and to the even cent above', '0.03', 1, 2, '0.02'],
    ['just over half a cent goes up', '0.010001', 1, 2, '0.01'],
    ['no session of the channel, no cost', '50', 3, 0, '0.00'],
    ['all sessions flagged', '12.345678', 7, 7, '12.35'],
    ['no more than all sessions', '10', 9, 3, '10.00'],
  ])('%s', (_, amount, flagged, paid, expected) => {
    expect(wastedSpend([{ flagged, paid, claimed: 0, spend: amount }])).toBe(expected);
  });

  it('rounds once a row, not once a day', () => {
    const third = { flagged: 1, paid: 3, claimed: 1, spend: '0.01' };
    expect(wastedSpend([third, third, third])).toBe('0.01');
  });
});

describe('a sheet worked by hand: three channels, two currencies, weekly and daily costs', () => {
  /**
   * google_ads, daily in EUR: 1 Sep 120.00 for 60 sessions, 2 Sep 90.00 for 45.
   * meta_ads, weekly in USD, dated on Sundays: 700.00 on 6 Sep for 31 Aug to 6 Sep with 10, 20, 0, 0, 30, 0, 10 sessions
   * gives 100, 200, 0, 0, 300, 0, 100; 70.00 on 13 Sep for a week without sessions gives 10.00 a day.
   * bing_ads, daily: on 1 Sep 10.00 EUR and 33.33 USD for 9 sessions.
   */
  const sessions = new Map([
    ['2026-08-31', 10],
    ['2026-09-01', 20],
    ['2026-09-04', 30],
    ['2026-09-06', 10],
  ]);
  const costs = spreadCosts(
    [
      { channel: 'google_ads', day: '2026-09-01', currency: 'EUR', spend: '80.00' },
      { channel: 'google_ads', day: '2026-09-01', currency: 'EUR', spend: '40' },
      { channel: 'google_ads', day: '2026-09-02', currency: 'EUR', spend: '90' },
      { channel: 'meta_ads', day: '2026-09-06', currency: 'USD', spend: '700' },
      { channel: 'meta_ads', day: '2026-09-13', currency: 'USD', spend: '70' },
      { channel: 'bing_ads', day: '2026-09-01', currency: 'EUR', spend: '10' },
      { channel: 'bing_ads', day: '2026-09-01', currency: 'USD', spend: '33.33' },
    ],
    'auto',
    (channel, on) => (channel === 'meta_ads' ? (sessions.get(on) ?? 0) : 1),
  );
  const paid = (channel: string, on: string): number =>
    channel === 'meta_ads' ? (sessions.get(on) ?? 0) : channel === 'bing_ads' ? 9 : on === '2026-09-01' ? 60 : 45;
  const entries = [
    // AS1: google 25/60 × 120 + 7/45 × 90 = 50 + 14 = 64.00
    detection(1, { asn: 1, entity: 'a', channel: 'google_ads', day: '2026-09-01', flagged: 25 }),
    detection(2, { asn: 1, entity: 'a', channel: 'google_ads', day: '2026-09-02', flagged: 7 }),
    // AS2: google 10/60 × 120 = 20.00
    detection(3, { asn: 2, entity: 'b', channel: 'google_ads', day: '2026-09-01', flagged: 10 }),
    // AS1: meta 7/20 × 200 + 11/30 × 300 = 70 + 110 = 180.00
    detection(4, { asn: 1, entity: 'a', channel: 'meta_ads', day: '2026-09-01', flagged: 7 }),
    detection(5, { asn: 1, entity: 'a', channel: 'meta_ads', day: '2026-09-04', flagged: 11 }),
    // AS2: bing 4/9 × 10 = 4.44 EUR, 4/9 × 33.33 = 14.81 USD
    detection(6, { asn: 2, entity: 'b', channel: 'bing_ads', day: '2026-09-01', flagged: 4 }),
    ...costs.map((cost, index) => basis(10 + index, { ...cost, paid_sessions: paid(cost.channel, cost.day) })),
  ];

  it('agrees to the cent', () => {
    const rows = refundRows(currentEntries(entries, 100), OPTIONS);
    expect(rows.map((row) => [row.asn, row.channel, row.flagged_sessions, row.estimated_wasted, row.currency])).toEqual(
      [
        [1, 'meta_ads', 18, '180.00', 'USD'],
        [1, 'google_ads', 32, '64.00', 'EUR'],
        [2, 'google_ads', 10, '20.00', 'EUR'],
        [2, 'bing_ads', 4, '14.81', 'USD'],
        [2, 'bing_ads', 4, '4.44', 'EUR'],
      ],
    );
  });

  it('spreads the week without sessions evenly', () => {
    expect(costs.filter(({ day: on }) => on > '2026-09-06').map(({ spend: amount }) => amount)).toEqual(
      Array.from({ length: 7 }, () => '10.00'),
    );
  });
});

import { describe, expect, it } from '@jest/globals';
import type { DimensionIds } from './dimension-ids.js';
import { OutcomeSums, type OutcomeFields } from './outcomes.js';

const BERLIN = 3;
const BONN = 4;

/** Each spelling of a channel has an id of its own. */
function at(place: number, spelling = 6): DimensionIds {
  return [0, 1, 2, place, 4, 5, spelling];
}

function event(fields: Partial<OutcomeFields> = {}): OutcomeFields {
  return {
    event_type: 'page_view',
    event_name: null,
    lt_channel: null,
    lt_channel_type: null,
    geo_country: null,
    geo_region: null,
    geo_city: null,
    value: null,
    currency: null,
    ...fields,
  };
}

const NOWHERE = { country: '', region: '', city: '' };
const CONVERSIONS = { ...NOWHERE, target: 'conversions', currency: '', value: '0', organic: '0' };

describe('outcomes', () => {
  it('have a row of conversions for each day and place with any event', () => {
    const sums = new OutcomeSums('EUR');
    sums.add(event(), 1, at(BERLIN));
    sums.add(event({ event_type: 'click' }), 1, at(BERLIN));
    sums.add(event({ event_type: 'conversion' }), 1, at(BONN));
    sums.add(event({ event_type: 'Conversion' }), 2, at(BONN));
    expect(sums.take()).toEqual([
      { ...CONVERSIONS, day: 1, place: BERLIN, events: 2 },
      { ...CONVERSIONS, day: 1, place: BONN, value: '1', events: 1 },
      { ...CONVERSIONS, day: 2, place: BONN, events: 1 },
    ]);
  });

  it('count goals by the name of events of any type, however odd it is', () => {
    const sums = new OutcomeSums('EUR');
    sums.add(event({ event_name: 'sign-up' }), 1, at(BERLIN));
    sums.add(event({ event_name: 'sign-up', event_type: 'conversion' }), 1, at(BERLIN));
    sums.add(event({ event_name: '1:2' }), 1, at(BERLIN));
    expect(sums.take()).toEqual([
      { ...CONVERSIONS, day: 1, place: BERLIN, value: '1', events: 3 },
      {
        ...CONVERSIONS,
        target: 'goal:sign-up',
        day: 1,
        place: BERLIN,
        currency: '',
        value: '2',
        organic: '0',
        events: 0,
      },
      { ...CONVERSIONS, target: 'goal:1:2', day: 1, place: BERLIN, currency: '', value: '1', organic: '0', events: 0 },
    ]);
  });

  it('sum values of any event exactly and by currency; one without is in that of the asset', () => {
    const sums = new OutcomeSums('EUR');
    const revenue = { ...NOWHERE, target: 'revenue', day: 1, place: BERLIN, organic: '0.000000', events: 0 };
    for (const [value, currency] of [
      ['999999999999999.999999', null],
      ['999999999999999.999999', 'EUR'],
      ['0.5', 'USD'],
      ['-12.25', 'USD'],
      ['0', 'CHF'],
    ] as const)
      sums.add(event({ value, currency }), 1, at(BERLIN));
    expect(sums.take().slice(1)).toEqual([
      { ...revenue, currency: 'EUR', value: '1999999999999999.999998' },
      { ...revenue, currency: 'USD', value: '-11.750000' },
      { ...revenue, currency: 'CHF', value: '0.000000' },
    ]);
  });

  it('have the names of the place of the event', () => {
    const sums = new OutcomeSums('EUR');
    const place = { country: 'DE', region: 'NW', city: '' };
    sums.add(event({ geo_country: 'DE', geo_region: 'NW', event_name: 'a', value: '1' }), 1, at(BONN));
    expect(sums.take()).toMatchObject([place, place, place]);
  });

  it('know which part has an unpaid last touch', () => {
    const sums = new OutcomeSums('EUR');
    const sale = { event_type: 'conversion', event_name: 'sale', value: '10' };
    sums.add(event({ ...sale, lt_channel_type: 'organic_search' }), 1, at(BERLIN, 1));
    sums.add(event({ ...sale, lt_channel: 'Direct' }), 1, at(BERLIN, 2));
    sums.add(event({ ...sale, lt_channel: 'Direct', lt_channel_type: 'email' }), 1, at(BERLIN, 3));
    sums.add(event(sale), 1, at(BERLIN, 4));
    expect(sums.take().map(({ target, value, organic }) => [target, value, organic])).toEqual([
      ['conversions', '4', '2'],
      ['goal:sale', '4', '2'],
      ['revenue', '40.000000', '20.000000'],
    ]);
  });

  it('are forgotten once they were taken', () => {
    const sums = new OutcomeSums('EUR');
    sums.add(event({ value: '1' }), 1, at(BERLIN));
    expect(sums.size).toBe(2);
    sums.take();
    expect(sums.size).toBe(0);
    expect(sums.take()).toEqual([]);
  });
});

import { describe, expect, it } from '@jest/globals';
import { instantsApart } from './events-per-day.js';

const at = (time: string): number => Date.parse(time);

describe('instants with so many events between them', () => {
  it('divide large days and join small ones', () => {
    const days = [
      { day: '2026-03-01', events: 10 },
      { day: '2026-03-02', events: 10 },
      { day: '2026-03-05', events: 80 },
    ];
    expect(instantsApart(20, days, 'UTC')).toEqual([
      at('2026-03-03T00:00:00Z'),
      at('2026-03-05T06:00:00Z'),
      at('2026-03-05T12:00:00Z'),
      at('2026-03-05T18:00:00Z'),
      at('2026-03-06T00:00:00Z'),
    ]);
  });

  it('are of the local days, whatever the clock does', () => {
    // The day of 23 hours.
    expect(instantsApart(5, [{ day: '2026-03-29', events: 10 }], 'Europe/Berlin')).toEqual([
      at('2026-03-29T10:30:00Z'),
      at('2026-03-29T22:00:00Z'),
    ]);
  });

  it('are none of few events, or none at all', () => {
    expect(instantsApart(5, [{ day: '2026-03-29', events: 4 }], 'UTC')).toEqual([]);
    expect(instantsApart(5, [{ day: '2026-03-29', events: 0 }], 'UTC')).toEqual([]);
    expect(instantsApart(5, [], 'UTC')).toEqual([]);
  });
});

import { describe, expect, it } from '@jest/globals';
import { chooseControls, type PlaceBefore } from './default-controls.js';

function place(path: string, rest: Partial<PlaceBefore> = {}): PlaceBefore {
  return { place: path.split('/'), total: '10', days: 90, treated: false, ...rest };
}

describe('chooseControls', () => {
  it('leaves out the treated place itself and those with too few days', () => {
    const places = [
      place('DE/Hesse'),
      place('DE/Saxony', { days: 72 }),
      place('DE/Bremen', { days: 71 }),
      place('DE/Berlin'),
    ];
    expect(chooseControls(places, [['DE', 'Berlin']], 90).controls.map(({ name }) => name)).toEqual([
      'Hesse',
      'Saxony',
    ]);
  });

  it('does not count days on which nothing was recorded', () => {
    expect(chooseControls([place('DE', { days: 32 })], [], 40).controls).toHaveLength(1);
    expect(chooseControls([place('DE', { days: 0 })], [], 0).controls).toEqual([]);
  });

  it('takes the 100 largest, by name, whatever the order of rows', () => {
    const places = Array.from({ length: 130 }, (_, index) =>
      place(`P${index}`, { total: `${1_000 - (index % 65)}.5` }),
    );
    const { controls } = chooseControls(places, [], 90);
    expect(controls).toHaveLength(100);
    expect(controls.map(({ name }) => name)).toEqual([...controls.map(({ name }) => name)].sort());
    expect(chooseControls([...places].reverse(), [], 90).controls).toEqual(controls);
    expect(controls.map(({ name }) => name)).not.toContain('P64');
  });

  it('names places that share a name by their path, and tells which another test rules out', () => {
    const places = [
      place('DE/X/Frankfurt'),
      place('DE/Y/Frankfurt', { treated: true }),
      place('DE/X/Y', { treated: true, days: 3 }),
    ];
    expect(chooseControls(places, [], 90)).toEqual({
      controls: [{ name: 'DE/X/Frankfurt', place: ['DE', 'X', 'Frankfurt'] }],
      dropped: [{ control: 'DE/Y/Frankfurt', reason: 'overlapping_test' }],
    });
  });
});

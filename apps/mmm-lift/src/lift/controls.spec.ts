import { describe, expect, it } from '@jest/globals';
import { Random } from '../random/random.js';
import { bridgeOutages, chooseControls, type NamedControl } from './controls.js';
import { jumpOf, levelBreaks } from './level-break.js';

const random = Random.stream(4, 'controls', 0);
const days = Int32Array.from({ length: 60 }, (_, day) => day);
const noisy = (level: number): Float64Array =>
  Float64Array.from({ length: 74 }, (_, day) => level * (1 + 0.1 * Math.sin(day) + 0.03 * random.normal()));
const named = (count: number): NamedControl[] =>
  Array.from({ length: count }, (_, index) => ({ name: `place ${index}`, values: noisy(50 + 10 * index) }));
const broken = (values: Float64Array): Float64Array => values.map((value, day) => (day < 35 ? value : value * 1.5));

describe('the controls of a lift test', () => {
  it('stand in the order of their names, whatever the order of the input', () => {
    const controls = named(9);
    const chosen = chooseControls([...controls].reverse(), days);
    expect(chosen).toEqual(chooseControls(controls, days));
    expect(chosen.controls.map(({ name }) => name)).toEqual(controls.map(({ name }) => name));
    expect(chosen.dropped).toEqual([]);
  });

  it('are dropped when they are constant before the window, also if not in it', () => {
    const constant = { name: 'constant', values: new Float64Array(74).fill(3, 0, 60) };
    const { controls, dropped } = chooseControls([...named(3), constant], days);
    expect(controls).toHaveLength(3);
    expect(dropped).toEqual([{ control: 'constant', reason: 'constant' }]);
  });

  it('are dropped when a day has no number, wherever it lies', () => {
    const gappy = { name: 'gappy', values: noisy(20).map((value, day) => (day === 70 ? Number.NaN : value)) };
    expect(chooseControls([...named(2), gappy], days).dropped).toEqual([{ control: 'gappy', reason: 'gaps' }]);
  });

  it('are dropped when their level breaks before the window, without taking the others along', () => {
    const controls = named(9);
    const own = { name: 'place 4', values: broken(controls[4]?.values ?? new Float64Array(0)) };
    const { dropped } = chooseControls([...controls.filter(({ name }) => name !== 'place 4'), own], days);
    expect(dropped).toEqual([{ control: 'place 4', reason: 'level_break' }]);
  });

  it('are no donors without a positive mean, but serve as regressors', () => {
    const refunds = { name: 'refunds', values: noisy(-5) };
    expect(chooseControls([...named(8), refunds], days).dropped).toEqual([{ control: 'refunds', reason: 'no_level' }]);
    expect(chooseControls([...named(2), refunds], days).dropped).toEqual([]);
  });
});

describe('a level break', () => {
  it('is a jump, not a drift, a wave or a single day', () => {
    const flat = Array.from({ length: 60 }, () => 10 + random.normal());
    expect(jumpOf(flat)).toBeLessThan(4);
    expect(jumpOf(flat.map((value, day) => value + day))).toBeLessThan(4);
    expect(jumpOf(flat.map((value, day) => value + 5 * Math.sin(day / 6)))).toBeLessThan(4);
    expect(jumpOf(flat.map((value, day) => (day === 30 ? 1000 : value)))).toBeLessThan(4);
    expect(jumpOf(flat.map((value, day) => (day > 20 ? value + 8 : value)))).toBeGreaterThan(4);
    expect(jumpOf(Array.from({ length: 60 }, (_, day) => (day > 20 ? 2 : 1)))).toBe(Number.POSITIVE_INFINITY);
  });

  it('is not seen in the few sales of a small place', () => {
    const jumps = Array.from({ length: 200 }, (_, chain) => {
      const own = Random.stream(9, 'sparse', chain);
      const mean = 0.3 + (chain % 20) / 10;
      return jumpOf(Array.from({ length: 90 }, () => poisson(own, mean) / (100 + 5 * own.normal())));
    });
    expect(Math.max(...jumps)).toBeLessThan(4);
  });

  it('is judged from 28 days on and among three controls', () => {
    const controls = [broken(noisy(100)), noisy(90), noisy(80)];
    expect(levelBreaks(controls, days)).toEqual([0]);
    expect(levelBreaks(controls.slice(0, 2), days)).toEqual([]);
    expect(levelBreaks(controls, days.slice(22, 49))).toEqual([]);
  });

  it('is found in several controls, the largest first', () => {
    const controls = Array.from({ length: 8 }, () => noisy(100));
    controls[2] = broken(controls[2] ?? new Float64Array(0));
    controls[6] = broken(broken(controls[6] ?? new Float64Array(0)));
    expect(levelBreaks(controls, days)).toEqual([6, 2]);
  });
});

describe('an outage', () => {
  const y = Float64Array.from({ length: 74 }, (_, day) => ([10, 65].includes(day) ? Number.NaN : 5));
  const zeroAt = (values: Float64Array, ...outages: number[]): Float64Array =>
    values.map((value, day) => (outages.includes(day) ? 0 : value));
  const known = days.filter((day) => day !== 10);

  it('is bridged by the weekday when nothing at all was recorded', () => {
    const controls = named(2).map(({ name, values }) => ({ name, values: zeroAt(values, 10, 65) }));
    const bridged = bridgeOutages(controls, { y, period: 7 }, known);
    const alike = [...known].filter((day) => day % 7 === 65 % 7).map((day) => controls[1]?.values[day] ?? 0);
    expect(bridged[1]?.values[65]).toBeCloseTo(alike.reduce((sum, value) => sum + value, 0) / alike.length, 9);
    expect(bridged[0]?.values[10]).toBeGreaterThan(30);
    expect(bridged[0]?.values[11]).toBe(controls[0]?.values[11]);
  });

  it('of the treated places alone leaves the controls as they are', () => {
    const controls = named(2);
    const oneZero = [
      { name: 'zero', values: zeroAt(controls[0]?.values ?? new Float64Array(0), 10) },
      ...controls.slice(1),
    ];
    expect(bridgeOutages(oneZero, { y, period: 7 }, known)).toEqual(oneZero);
  });
});

/** Knuth's product of uniforms, for small means. */
function poisson(own: Random, mean: number): number {
  let count = 0;
  for (let product = own.uniform(); product > Math.exp(-mean); product *= own.uniform()) count += 1;
  return count;
}

import { analyse } from './analysis.js';
import type { LiftInput } from './lift-input.js';
import { type Interval, widened } from './totals.js';

/**
 * The change of the part that last touch gives to unpaid channels: the same analysis of that series with the controls' organic
 * values. A day whose outcome is missing is missing here too.
 *
 * @returns undefined without attribution, or where that part never changed before the window
 */
export function organicShift(input: LiftInput): (Interval & { total: number }) | undefined {
  const { organic, preLength, period, seed } = input;
  if (organic === null) return undefined;
  const y = Float64Array.from(input.y, (value, day) => (value === null ? Number.NaN : (organic.y[day] ?? Number.NaN)));
  const controls = input.controls.map(({ name }, index) => ({
    name,
    values: Float64Array.from(organic.controls[index] ?? []),
  }));
  const analysis = analyse({
    y,
    controls,
    preLength,
    period,
    treatedPlaces: input.treated.length,
    seed,
    purpose: 'organic',
  });
  if (analysis === undefined) return undefined;
  const { totals, calibration } = analysis;
  return { total: totals.lift, ...widened(totals.drawn, totals.lift, calibration.kappa) };
}

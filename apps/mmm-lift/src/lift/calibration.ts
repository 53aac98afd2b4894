import { at } from '../linalg/dot.js';
import type { Comparison } from './covariance.js';
import { daysWithValue, isConstant, knownDays, type Panel, scaleOf } from './panel.js';
import { posteriorOf } from './posterior.js';
import { comparisonFor, structureOf } from './structure.js';
import { windowTotal } from './window-total.js';

const MOST_PLACES = 36;
const MOST_EARLIER_WINDOWS = 4;
const SHORTEST_PRE_PERIOD = 21;
const STEPS = 600;
const FEWEST_LEFT = 7;
/** So many placebos with an error of one sd are taken for granted. */
const PRIOR_COUNT = 4;
const LARGEST_SQUARE = 25;

/** The factor by which all distances from a point value are multiplied, and the placebo errors in units of their sd behind it. */
export interface Calibration {
  kappa: number;
  z: number[];
}

/**
 * Runs the estimator where nothing happened: on controls as if they had been treated, and on windows before the test. Its errors
 * there tell by how much its own intervals are too narrow.
 *
 * @param panel controls in order of their names
 */
export function calibrate(panel: Panel, comparison: Comparison, treatedPlaces: number): Calibration {
  const places = comparison === 'donors' ? placeboPlaces(panel, treatedPlaces) : [];
  const z = [
    ...places.map((placebo) => errorOf(placebo, comparison)),
    ...earlierWindows(panel).map((placebo) => errorOf(placebo, comparisonOf(placebo, comparison))),
  ].filter((error) => error !== undefined);
  return { kappa: calibrationFactor(z), z };
}

/** κ = max(1, √((4 + Σ min(z², 25)) / (4 + number of z))) */
export function calibrationFactor(z: readonly number[]): number {
  const squares = z.reduce((sum, value) => sum + Math.min(value * value, LARGEST_SQUARE), 0);
  return Math.max(1, Math.sqrt((PRIOR_COUNT + squares) / (PRIOR_COUNT + z.length)));
}

/**
 * Each of the first controls as if treated, the others as its controls, with the days missing that miss in the test. If the test
 * treats several places, so do its placebos: sums are steadier than places, so that the same misfit weighs more in them. On GeoLift's cities the mean z² is 1.0 for one city, 1.7 for two and 2.0 for three.
 */
export function placeboPlaces(panel: Panel, treatedPlaces: number): Panel[] {
  const { controls, y } = panel;
  const joined = placesOf(treatedPlaces, controls.length);
  const stride = Math.floor(controls.length / joined);
  return controls.slice(0, MOST_PLACES).map((_, first) => {
    const treated = new Set(Array.from({ length: joined }, (__, next) => (first + next * stride) % controls.length));
    const sum = y.map((value) => (Number.isNaN(value) ? Number.NaN : 0));
    for (const index of treated) addTo(sum, controls[index]);
    return { ...panel, y: sum, controls: controls.filter((__, other) => !treated.has(other)) };
  });
}

/** How many places a placebo joins: as many as are treated, but no more than a quarter of the controls, and 7 must be left. */
function placesOf(treatedPlaces: number, controls: number): number {
  return Math.max(1, Math.min(treatedPlaces, Math.floor(controls / 4), controls - FEWEST_LEFT));
}

function addTo(sum: Float64Array, series: Float64Array | undefined): void {
  for (let day = 0; day < sum.length; day += 1) sum[day] = at(sum, day) + (series?.[day] ?? 0);
}

/** Windows of the same length back to back before the test, latest first, each with the days before it as its pre-period. */
export function earlierWindows(panel: Panel): Panel[] {
  const length = panel.y.length - panel.preLength;
  const windows: Panel[] = [];
  for (let count = 1; count <= MOST_EARLIER_WINDOWS; count += 1) {
    const preLength = panel.preLength - count * length;
    if (preLength < Math.max(SHORTEST_PRE_PERIOD, 2 * length)) break;
    const end = preLength + length;
    const cut = { ...panel, preLength, y: panel.y.slice(0, end) };
    const known = knownDays(cut);
    const controls = panel.controls
      .map((control) => control.slice(0, end))
      .filter((control) => isUsable(control, known, panel));
    windows.push({ ...cut, controls });
  }
  return windows;
}

/** Over the shorter time a control may have had nothing to learn from. */
function isUsable(control: Float64Array, known: Int32Array, { controls }: Panel): boolean {
  const scale = scaleOf(control, known);
  return !isConstant(scale) && (comparisonFor(controls.length) !== 'donors' || scale.mean > 0);
}

function comparisonOf({ controls }: Panel, comparison: Comparison): Comparison {
  return controls.length === 0 ? 'history' : comparison;
}

/** Its total in units of its sd; undefined where the placebo has no past or no window. */
function errorOf(panel: Panel, comparison: Comparison): number | undefined {
  const { y, preLength } = panel;
  const days = daysWithValue(y, preLength, y.length);
  if (days.length === 0 || isConstant(scaleOf(y, knownDays(panel)))) return undefined;
  const structure = structureOf(panel, comparison, STEPS);
  const { mean, sd } = windowTotal(structure, posteriorOf(structure), days);
  const observed = days.reduce((sum, day) => sum + at(y, day), 0);
  return (observed - mean) / sd;
}

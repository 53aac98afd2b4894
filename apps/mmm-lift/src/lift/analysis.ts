import { at } from '../linalg/dot.js';
import { Random } from '../random/random.js';
import { type Calibration, calibrate } from './calibration.js';
import { bridgeOutages, type ChosenControls, chooseControls, type NamedControl } from './controls.js';
import type { Comparison } from './covariance.js';
import { type Forecast, forecastWindow } from './forecast.js';
import { type Backcast, leaveOneOut } from './leave-one-out.js';
import { isConstant, knownDays, type Panel, type Scale, scaleOf } from './panel.js';
import { posteriorOf } from './posterior.js';
import { comparisonFor, structureOf } from './structure.js';
import { type Totals, totalsOf } from './totals.js';

const DRAWS = 2000;
const STEPS = 1500;

/** A series and its controls, as they were given. */
export interface Question {
  /** NaN: missing. */
  y: Float64Array;
  controls: NamedControl[];
  preLength: number;
  period: 7 | 1;
  /** Places that y is the sum of; 1 also for a whole market. */
  treatedPlaces: number;
  seed: number;
  /** Of the random numbers. */
  purpose: string;
}

export interface Analysis extends ChosenControls {
  comparison: Comparison;
  scale: Scale;
  weights: { control: string; weight: number }[];
  backcast: Backcast;
  forecast: Forecast;
  totals: Totals;
  calibration: Calibration;
}

/**
 * The series without the test, its total against what came, and how far such answers are off where nothing happened.
 *
 * @returns undefined where the series is constant or unknown before the window
 */
export function analyse({
  y,
  controls: offered,
  preLength,
  period,
  treatedPlaces,
  seed,
  purpose,
}: Question): Analysis | undefined {
  const known = knownDays({ y, controls: [], preLength, period });
  if (isConstant(scaleOf(y, known))) return undefined;
  const { controls: chosen, dropped } = chooseControls(offered, known);
  const controls = bridgeOutages(chosen, { y, period }, known);
  const panel: Panel = { y, controls: controls.map(({ values }) => values), preLength, period };
  const comparison = comparisonFor(controls.length);
  const structure = structureOf(panel, comparison, STEPS);
  const pieces = posteriorOf(structure);
  const forecast = forecastWindow(structure, pieces, DRAWS, Random.stream(seed, purpose, 0));
  return {
    controls,
    dropped,
    comparison,
    scale: structure.scale,
    weights: controls.flatMap(({ name }, index) =>
      structure.weights === null ? [] : [{ control: name, weight: at(structure.weights, index) }],
    ),
    backcast: leaveOneOut(structure, pieces),
    forecast,
    totals: totalsOf(panel, forecast),
    calibration: calibrate(panel, comparison, treatedPlaces),
  };
}

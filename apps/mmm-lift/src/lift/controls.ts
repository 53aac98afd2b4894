import { levelBreaks } from './level-break.js';
import { isConstant, type Panel, scaleOf } from './panel.js';
import { DONORS_FROM } from './structure.js';

export interface NamedControl {
  name: string;
  values: Float64Array;
}

export interface ChosenControls {
  /** In order of their names. */
  controls: NamedControl[];
  dropped: { control: string; reason: string }[];
}

const WEEK = 7;

/**
 * The controls that can tell something, by name: not those with a gap, not the constant ones, not those whose level broke before
 * the window, and as donors none whose mean is not positive, since it cannot be brought to the level of the treated series.
 *
 * @param known days before the window
 */
export function chooseControls(offered: readonly NamedControl[], known: Int32Array): ChosenControls {
  const dropped: ChosenControls['dropped'] = [];
  const keep = (
    controls: NamedControl[],
    reason: string,
    isGood: (control: NamedControl, index: number) => boolean,
  ): NamedControl[] =>
    controls.filter((control, index) => {
      const good = isGood(control, index);
      if (!good) dropped.push({ control: control.name, reason });
      return good;
    });

  let controls = [...offered].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  controls = keep(controls, 'gaps', ({ values }) => values.every(Number.isFinite));
  controls = keep(controls, 'constant', ({ values }) => !isConstant(scaleOf(values, known)));
  const broken = new Set(
    levelBreaks(
      controls.map(({ values }) => values),
      known,
    ),
  );
  controls = keep(controls, 'level_break', (_, index) => !broken.has(index));
  if (controls.length >= DONORS_FROM)
    controls = keep(controls, 'no_level', ({ values }) => scaleOf(values, known).mean > 0);
  return { controls, dropped };
}

/**
 * The controls with the days bridged on which nothing at all was recorded: y is missing and every control is 0. Such zeros mean
 * "unknown"; the control's mean of that weekday before the window stands in for them, so that the counterfactual does not fall
 * to nothing there.
 */
export function bridgeOutages(
  controls: NamedControl[],
  { y, period }: Pick<Panel, 'y' | 'period'>,
  known: Int32Array,
): NamedControl[] {
  const outages = [...y.keys()].filter(
    (day) => Number.isNaN(y[day]) && controls.every(({ values }) => values[day] === 0),
  );
  if (outages.length === 0) return controls;
  return controls.map(({ name, values }) => {
    const bridged = values.slice();
    for (const day of outages) {
      const alike = period === WEEK ? known.filter((other) => other % WEEK === day % WEEK) : known;
      bridged[day] = scaleOf(values, alike.length === 0 ? known : alike).mean;
    }
    return { name, values: bridged };
  });
}

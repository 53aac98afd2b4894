import type { LiftRequest } from '#contracts/modeling/lift-test.js';
import { RunFailure } from '#contracts/modeling/run-state.js';
import { isCount } from '#contracts/modeling/target.js';
import type { RowReader } from '#database/modeling/row-reader.js';
import type { LiftInput } from '../lift/lift-input.js';
import { numberOf } from './amount.js';
import { readAsset } from './asset.js';
import { addDays, daysFromTo } from './calendar.js';
import { chooseControls, readPlacesBefore, treatedElsewhere, type NamedPlace } from './default-controls.js';
import { liftMoney, seriesInOneCurrency } from './lift-money.js';
import { hasAttribution, readEventDays, seriesOf, type EventDay, type SeriesScope } from './lift-series.js';
import { targetOccurs } from './outcome-weeks.js';
import { findPlaces, pathOf } from './places.js';
import { isSpendKnown, testedSpend } from './tested-spend.js';

export interface LiftTestToPrepare {
  assetId: string;
  testId: string;
  request: LiftRequest;
  seed: number;
  now: Date;
}

interface Controls {
  places: NamedPlace[];
  dropped: { control: string; reason: string }[];
}

/**
 * Everything that a lift test is judged by: daily series of the treated places and their controls, and what was spent
 * (section 6.1 of the design). The same rows give the same input, in whatever order they were stored.
 *
 * @param read SELECTs of one snapshot
 * @throws RunFailure when there is no such outcome or place, or revenue of several currencies lacks a rate
 */
export async function prepareLift(read: RowReader, test: LiftTestToPrepare): Promise<LiftInput> {
  const { assetId, request, seed } = test;
  const { metric, geo_level: level, pre_from: from } = request;
  const asset = await readAsset(read, assetId);
  if (!(await targetOccurs(read, assetId, metric))) throw new RunFailure('target_unavailable');
  const window = { from: request.test_from, to: addDays(request.test_to, request.tail_days) };
  const days = daysFromTo(from, window.to);
  const preLength = daysFromTo(from, addDays(window.from, -1)).length;
  const wholeMarket: SeriesScope = { assetId, from, to: window.to, places: null };

  const treated = level === null ? [] : await findPlaces(read, assetId, level, request.treated);
  const ofTreated = treated.map(({ place }) => ({ group: 0, place }));
  const events = await readEventDays(
    read,
    level === null ? wholeMarket : { ...wholeMarket, places: { level, groups: ofTreated } },
  );
  const controls = await controlPlaces(read, test, treated, events);
  const scope: SeriesScope =
    level === null
      ? wholeMarket
      : {
          ...wholeMarket,
          places: {
            level,
            groups: [...ofTreated, ...controls.places.map(({ place }, index) => ({ group: index + 1, place }))],
          },
        };

  const spendKnown = isSpendKnown(request);
  const known = spendKnown ? await testedSpend(read, assetId, request) : null;
  const conversionValue = isCount(metric) ? asset.conversionValue : null;
  const money = await liftMoney(read, scope, metric, { ...asset, conversionValue }, known);
  const series = seriesOf(money.rows, days, controls.places.length + 1);
  const ofMetrics = await metricSeries(read, wholeMarket, request.control_metrics, asset.currency, days);
  const byDay = new Map(events.map((one) => [one.day, one]));
  const names = [...controls.places.map(({ name }) => name), ...ofMetrics.map(({ name }) => name)];
  const values = [...series.values.slice(1), ...ofMetrics.map((one) => one.values)];
  const organic = [...series.organic.slice(1), ...ofMetrics.map((one) => one.organic)];
  const spentOn = new Map((money.spent ?? []).map(({ day, amount }) => [day, amount]));
  return {
    metric,
    isCount: isCount(metric),
    days,
    preLength,
    tailLength: request.tail_days,
    y: days.map((day, index) => ((byDay.get(day)?.treatedEvents ?? 0) > 0 ? (series.values[0]?.[index] ?? 0) : null)),
    controls: names.map((name, index) => ({ name, values: values[index] ?? [] })),
    period: 7,
    treated: treated.map(({ name }) => name),
    organic: (await hasAttribution(read, wholeMarket, metric))
      ? { y: series.organic[0] ?? [], controls: organic }
      : null,
    spend: money.spent === null ? null : days.slice(preLength).map((day) => numberOf(spentOn.get(day) ?? 0n)),
    conversionValue: money.conversionValue,
    averageOrderValue: isCount(metric) ? null : averageOrderValue(series.values[0] ?? [], events),
    currency: money.currency,
    droppedControls: controls.dropped,
    warnings: [...(spendKnown ? [] : ['spend_scope_unknown']), ...money.warnings].sort(),
    seed,
  };
}

/** The named places, else those that fit; never a treated one. */
async function controlPlaces(
  read: RowReader,
  { assetId, testId, request }: LiftTestToPrepare,
  treated: readonly NamedPlace[],
  events: readonly EventDay[],
): Promise<Controls> {
  const { geo_level: level, metric, test_from, test_to, tail_days, pre_from } = request;
  if (level === null) return { places: [], dropped: [] };
  const own = treated.map(({ place }) => place);
  if (request.controls.length > 0) {
    const taken = new Set(own.map(pathOf));
    const named = await findPlaces(read, assetId, level, request.controls);
    return { places: named.filter(({ place }) => !taken.has(pathOf(place))), dropped: [] };
  }
  const elsewhere = await treatedElsewhere(read, assetId, testId, { from: test_from, to: addDays(test_to, tail_days) });
  const before = { from: pre_from, to: addDays(test_from, -1) };
  const places = await readPlacesBefore(read, { assetId, metric, level }, before, elsewhere);
  const { controls, dropped } = chooseControls(places, own, events.filter(({ day }) => day < test_from).length);
  return { places: controls, dropped };
}

/** Other targets of the whole asset; each in a currency of its own, as only their course matters. */
async function metricSeries(
  read: RowReader,
  scope: SeriesScope,
  metrics: readonly string[],
  home: string,
  days: readonly string[],
): Promise<{ name: string; values: number[]; organic: number[] }[]> {
  const series: { name: string; values: number[]; organic: number[] }[] = [];
  for (const name of [...new Set(metrics)]) {
    const { rows } = await seriesInOneCurrency(read, scope, name, home);
    const { values, organic } = seriesOf(rows, days, 1);
    series.push({ name, values: values[0] ?? [], organic: organic[0] ?? [] });
  }
  return series;
}

/** Revenue per conversion of the treated places, before and in the test; null when one of the two is not above 0. */
function averageOrderValue(revenue: readonly number[], events: readonly EventDay[]): number | null {
  const sum = revenue.reduce((total, one) => total + one, 0);
  const count = events.reduce((total, { treatedConversions }) => total + treatedConversions, 0);
  return sum > 0 && count > 0 ? sum / count : null;
}

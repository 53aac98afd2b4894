import { Random } from '#apps/cli/src/demo-shop/random.js';
import { PLANTED, type PanelKind } from './panel-kinds.js';

export interface SimulatedPanel {
  /** `YYYY-MM-DD`, oldest first. */
  days: string[];
  /** By place. */
  values: Record<string, number[]>;
  treated: string[];
  testFrom: string;
  testTo: string;
  /** Part of what the treated places would have had. */
  planted: number;
  /** What the test brought, in units of the values. */
  truth: number;
}

const FIRST_DAY = Date.parse('2023-03-01T00:00:00Z');
const DAY_MS = 86_400_000;

/** Made of `kind` and `seed` alone: places with common factors, a rhythm of the week, drift and noise of their own. */
export function simulatePanel(kind: PanelKind, seed: number): SimulatedPanel {
  const random = new Random(808, seed);
  const within = ([low, high]: readonly [number, number]): number => low + (high - low) * random.unit();
  const before = random.whole(...kind.before);
  const length = before + random.whole(...kind.days);
  const shared = within(kind.shared);
  const rhythm = within(kind.rhythm);
  const factors = [walk(length, 0.12, random), walk(length, 0.12, random)];
  const trend = 0.15 * (random.unit() - 0.4);
  const planted = PLANTED[seed % PLANTED.length] ?? 0;
  const names = Array.from({ length: random.whole(...kind.places) }, (_, index) => `place ${index}`);
  const treated = names.slice(0, random.whole(...kind.treated));
  let truth = 0;
  const values = names.map((name) => {
    const level = Math.exp(5 + random.normal());
    const loads = factors.map(() => 1 + 0.35 * random.normal());
    const own = walk(length, within(kind.drift) / Math.sqrt(30), random);
    const week = Array.from(
      { length: 7 },
      (_, day) => rhythm * Math.sin((2 * Math.PI * day) / 7) + 0.03 * random.normal(),
    );
    const noise = within(kind.noise);
    const lift = planted * (1 + 0.1 * random.normal());
    return own.map((wandered, day) => {
      const common = shared * factors.reduce((sum, factor, index) => sum + (loads[index] ?? 0) * (factor[day] ?? 0), 0);
      const mean = level * (1 + (trend * day) / length + (week[day % 7] ?? 0)) * Math.exp(common + wandered);
      const plain = Math.max(0, mean * (1 + noise * random.normal()));
      if (day < before || !treated.includes(name)) return Math.round(plain * 100) / 100;
      const gained = plain * lift;
      truth += gained;
      return Math.round((plain + gained) * 100) / 100;
    });
  });
  const days = Array.from({ length }, (_, day) => new Date(FIRST_DAY + day * DAY_MS).toISOString().slice(0, 10));
  return {
    days,
    values: Object.fromEntries(names.map((name, index) => [name, values[index] ?? []])),
    treated,
    testFrom: days[before] ?? '',
    testTo: days.at(-1) ?? '',
    planted,
    truth,
  };
}

function walk(length: number, step: number, random: Random): number[] {
  let value = 0;
  return Array.from({ length }, () => (value += step * random.normal()));
}

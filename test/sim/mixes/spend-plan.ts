import type { Random } from '#apps/cli/src/demo-shop/random.js';

/** Weekly spend of a channel around 1: always on, in flights, or with the season. */
export function spendPlan(weeks: number, random: Random): number[] {
  const style = random.weighted(['steady', 'flights', 'seasonal'] as const, (one) => (one === 'steady' ? 2 : 1));
  const persistence = 0.3 + 0.5 * random.unit();
  const spread = 0.25 + 0.35 * random.unit();
  const phase = random.unit();
  let mood = random.normal();
  let left = 0;
  let isOn = random.chance(0.5);
  return Array.from({ length: weeks }, (_, week) => {
    mood = persistence * mood + Math.sqrt(1 - persistence * persistence) * random.normal();
    const amount = Math.exp(spread * mood);
    if (style === 'steady') return amount;
    if (style === 'seasonal') return amount * (1 + 0.7 * Math.sin(2 * Math.PI * (week / 52.18 + phase)));
    if (left-- <= 0) {
      isOn = !isOn;
      left = isOn ? random.whole(3, 8) : random.whole(2, 9);
    }
    return isOn ? 2 * amount : 0;
  });
}

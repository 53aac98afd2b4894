/** How spend works; of a form of its own, not that of the model: twelve lags, scaled by the spend that was planned. */
export interface Response {
  carryOver: number;
  delay: number;
  steepness: number;
  halfPoint: number;
  /** Mean weekly spend that `halfPoint` is a multiple of. */
  meanSpend: number;
  /** Target per unit of saturated carry-over. */
  strength: number;
}

const LAGS = 12;

/** What a channel brings in each week, in units of the target. Spend before the first week was the mean of the first four. */
export function channelEffect(spend: readonly number[], response: Response): number[] {
  const { carryOver, delay, steepness, halfPoint, meanSpend, strength } = response;
  const weights = Array.from({ length: LAGS }, (_, lag) =>
    Math.pow(carryOver, delay === 0 ? lag : (lag - delay) * (lag - delay)),
  );
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const isOn = (spend[0] ?? 0) > 0;
  const before = isOn ? spend.slice(0, 4).reduce((sum, amount) => sum + amount, 0) / 4 : 0;
  return spend.map((_, week) => {
    const carried = weights.reduce(
      (sum, weight, lag) => sum + weight * (week < lag ? before : (spend[week - lag] ?? 0)),
      0,
    );
    const relative = Math.pow(carried / total / (halfPoint * meanSpend), steepness);
    return (strength * relative) / (1 + relative);
  });
}

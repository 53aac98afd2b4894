import type { Baseline } from '../baseline.js';
import type { EntityWindow } from '../entity-window.js';

/** What a detector says of one entity in one window. */
export interface Finding {
  /** 0 to 1; 0: nothing was found, and the texts are empty. */
  readonly score: number;
  /** A number as text: percentages with one decimal and `%`, counts whole, ratios with two decimals. */
  readonly observed: string;
  /** The usual value or the limit, written alike; '' when there is none. */
  readonly limit: string;
  readonly sentence: string;
}

export type DetectorFunction = (window: EntityWindow, baseline: Baseline) => Finding;

export const SILENT: Finding = { score: 0, observed: '', limit: '', sentence: '' };

/** `97.2%`. */
export function percent(share: number): string {
  return `${(share * 100).toFixed(1)}%`;
}

/** `97%`, for sentences. */
export function wholePercent(share: number): string {
  return `${Math.round(share * 100)}%`;
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

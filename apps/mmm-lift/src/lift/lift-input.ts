/**
 * What a lift test is judged by, and nothing else decides its numbers. Plain JSON, sent to a worker thread as it is.
 * Series hold one number for each period from the start of the pre-period to the end of the window.
 */
export interface LiftInput {
  metric: string;
  isCount: boolean;
  /** Labels: dates, or row numbers of a plain file. */
  days: string[];
  /** Periods before the window; the window is the rest. */
  preLength: number;
  /** Of the window: periods after the test itself. */
  tailLength: number;
  /** The treated series; null: missing, left out of the likelihood. */
  y: (number | null)[];
  controls: LiftInputControl[];
  /** 7 for days; 1: no season within the week. */
  period: 7 | 1;
  treated: string[];
  /** Organic part of y and of each control (same order), or null without attribution. */
  organic: { y: number[]; controls: number[][] } | null;
  /** Spend tested per period of the window; null: unknown. */
  spend: number[] | null;
  conversionValue: number | null;
  /** Of a revenue metric: revenue per conversion; null: unknown. */
  averageOrderValue: number | null;
  currency: string | null;
  /** Controls that the preparation dropped already. */
  droppedControls: { control: string; reason: string }[];
  warnings: string[];
  /** 1..2147483647 */
  seed: number;
}

interface LiftInputControl {
  name: string;
  values: number[];
}

/** What a panel of places and its test look like. */
export interface PanelKind {
  places: readonly [number, number];
  treated: readonly [number, number];
  /** Days before the test. */
  before: readonly [number, number];
  days: readonly [number, number];
  /** Standard deviation of a place's own noise, as part of its level. */
  noise: readonly [number, number];
  /** How much places share, as part of their level. */
  shared: readonly [number, number];
  /** How far a place wanders off alone in a month, as part of its level. */
  drift: readonly [number, number];
  /** Of the week: highest over mean. */
  rhythm: readonly [number, number];
}

const REGULAR: PanelKind = {
  places: [12, 40],
  treated: [1, 3],
  before: [56, 120],
  days: [10, 28],
  noise: [0.04, 0.12],
  shared: [0.03, 0.12],
  drift: [0, 0.03],
  rhythm: [0.05, 0.3],
};

export const PANEL_KINDS = {
  donors: REGULAR,
  few_controls: { ...REGULAR, places: [4, 8], treated: [1, 1] },
  noisy: { ...REGULAR, noise: [0.15, 0.3] },
  drifting: { ...REGULAR, drift: [0.02, 0.04] },
  short_history: { ...REGULAR, before: [30, 50], days: [7, 14] },
} as const satisfies Record<string, PanelKind>;
export type PanelKindName = keyof typeof PANEL_KINDS;

/** Lifts that are planted, one panel after the other. */
export const PLANTED = [0, 0.05, 0.1, 0.2] as const;

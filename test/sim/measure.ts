import { constantsHash, DETECTOR_VERSION } from '#apps/integrity/src/detection/limits.js';
import type { Detector } from '#apps/integrity/src/detection/traffic.js';
import { figuresOf, type Figure } from './figures.js';
import type { Mistake } from './evaluate.js';
import type { Suite } from './suites.js';
import { runSeed, type Assess } from './runs.js';

/** What `results.json` holds; the build fails when the constants are others than those it was measured with. */
export interface Results {
  constants_hash: string;
  detector_version: string;
  seeds: number;
  /** Seeds from here on were not looked at while detection was tuned. */
  first_seed: number;
  figures: Partial<Record<Suite, Record<string, Figure>>>;
  /** Figures of the hard mix with one detector after the other switched off. */
  ablation?: Partial<Record<Detector, Record<string, Figure>>>;
}

export interface Measured {
  figures: Map<string, Figure>;
  mistakes: { seed: number; mistake: Mistake }[];
}

/** Figures of one suite over so many seeds. */
export function measureSuite(suite: Suite, seeds: number, assess: Assess, firstSeed = 1): Measured {
  const runs = Array.from({ length: seeds }, (_, index) => runSeed(suite, firstSeed + index, assess));
  return {
    figures: figuresOf(runs.map(({ counts }) => counts)),
    mistakes: runs.flatMap(({ mistakes }, index) => mistakes.map((mistake) => ({ seed: firstSeed + index, mistake }))),
  };
}

export function newResults(seeds: number, firstSeed: number): Results {
  return {
    constants_hash: constantsHash(),
    detector_version: DETECTOR_VERSION,
    seeds,
    first_seed: firstSeed,
    figures: {},
  };
}

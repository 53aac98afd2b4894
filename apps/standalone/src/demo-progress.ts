import { ProgressBar } from '#apps/cli/src/load-events/progress-bar.js';
import type { TellProgress } from '#apps/cli/src/demo-shop/load-demo-shop.js';

const BAR_STEPS = 1_000;
/** Where nothing can be drawn over, a line for each such part. */
const LINE_EVERY = 0.25;

/** Shows how far something is: a bar on a terminal, now and then a line elsewhere. `end` leaves the line clean. */
export function showProgress(out: NodeJS.WriteStream): { tell: TellProgress; end: () => void } {
  if (out.isTTY) {
    const bar = new ProgressBar(BAR_STEPS, out);
    return {
      tell: (part, step) => {
        bar.show(part * BAR_STEPS, step);
      },
      end: () => {
        bar.clear();
      },
    };
  }
  let told = 0;
  return {
    tell: (part, step) => {
      if (part < told) told = 0;
      if (part < told + LINE_EVERY) return;
      told = part;
      out.write(`  ${Math.floor(part * 100)} %  ${step}\n`);
    },
    end: () => undefined,
  };
}

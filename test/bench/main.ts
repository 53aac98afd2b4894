import { Ending } from './ending.js';
import { fit } from './fit.js';
import { ipLookup } from './ip-lookup.js';
import { ledger } from './ledger.js';
import { largeImport } from './large-import.js';
import { describeFigure, type Figure } from './measure.js';
import { ingest } from './ingest.js';
import { integrityIngest } from './integrity-ingest.js';
import { gatewayMemory, workerMemory } from './memory.js';
import { rawExport } from './raw-export.js';
import { refundClaim } from './refund-claim.js';
import { reportLatency } from './report-latency.js';
import { reports } from './reports.js';
import { scoring } from './scoring.js';
import { syncImport } from './sync-import.js';

const BENCHMARKS: Record<string, (ending: Ending) => Promise<Figure[]>> = {
  'large-import': largeImport,
  'sync-import': syncImport,
  'worker-memory': workerMemory,
  'gateway-memory': gatewayMemory,
  'raw-export': rawExport,
  reports,
  'report-latency': reportLatency,
  ingest,
  'integrity-ingest': integrityIngest,
  'ip-lookup': ipLookup,
  scoring,
  ledger,
  'refund-claim': refundClaim,
  fit,
};

/**
 * Runs the benchmarks named as arguments, or all, one after the other. A goal that is missed is only said: timings never
 * decide whether the exit code is 0.
 */
let ending = new Ending();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    void ending.run().finally(() => process.exit(1));
  });
}
// Whoever reads may have enough (`| head`); the servers have to be stopped all the same.
process.stdout.on('error', () => undefined);
const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !Object.hasOwn(BENCHMARKS, name));
if (unknown.length > 0) {
  process.stderr.write(
    `There is no benchmark ${unknown.join(', ')}; there are ${Object.keys(BENCHMARKS).join(', ')}.\n`,
  );
  process.exit(2);
}
for (const [name, measure] of Object.entries(BENCHMARKS)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  ending = new Ending();
  try {
    for (const figure of await measure(ending)) process.stdout.write(`${describeFigure(figure)}\n`);
  } catch (error) {
    process.stderr.write(`${name}: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  } finally {
    await ending.run();
  }
}

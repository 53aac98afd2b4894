import { AppError } from '#contracts/errors.js';
import { MIX_COST_KEYS } from '#contracts/layouts/mix-channels.layout.js';
import type { MixRun } from '#contracts/modeling/mix-run.js';
import { readMixRun } from '#database/modeling/read-mix-run.js';
import type { ExportDefinition, ExportRequest, ExportSnapshot } from '#jobs/export-definition.js';
import { mixFile, type FileForm } from './mix-file.js';
import { measured } from './measured.js';

/** The channels of one model. It begins with a byte-order mark unless told otherwise. */
export const mmmRunExport: ExportDefinition = {
  file: 'mmm-run',
  fileName: ({ parameters: { runId = '' } }) => `mmm-${runId.slice(0, 8)}.csv`,

  async content(snapshot, request) {
    const run = await readRun(snapshot, request);
    const form = formOf(request);
    const written = mixFile(run, form);
    return {
      chunks: written.chunks,
      counts: () => ({ rows: written.rows, formulasEscaped: written.formulasEscaped }),
      limit: null,
      truncated: 0,
      columnsOmitted: form.omitCost ? MIX_COST_KEYS : [],
      holdsCost: !form.omitCost,
      ...(run.generated === null ? {} : { generated: run.generated }),
    };
  },

  async estimate(snapshot, request) {
    return measured(mixFile(await readRun(snapshot, request), formOf(request)));
  },
};

function formOf({ parameters: { bom = true, escapeFormulas, omitCost } }: ExportRequest): FileForm {
  return { bom, escapeFormulas, omitCost };
}

/** @throws AppError `not_found`, or `invalid_state` for a run without numbers */
async function readRun(snapshot: ExportSnapshot, { assetId, parameters }: ExportRequest): Promise<MixRun> {
  const { runId = '' } = parameters;
  const run = await readMixRun((sql, values) => snapshot.query(sql, values), assetId, runId);
  if (run === undefined) throw new AppError('not_found', 'There is no such run.');
  if (run.status !== 'succeeded') throw new AppError('invalid_state', `The run is ${run.status} and has no numbers.`);
  return run;
}

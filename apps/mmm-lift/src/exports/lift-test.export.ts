import { AppError } from '#contracts/errors.js';
import { LIFT_COST_KEYS } from '#contracts/layouts/lift-days.layout.js';
import { readLiftTest } from '#database/modeling/read-lift-test.js';
import type { ExportDefinition, ExportRequest, ExportSnapshot } from '#jobs/export-definition.js';
import { liftFile } from './lift-file.js';
import { hasSpend, type LiftFileContent } from './lift-summary.js';
import { measured } from './measured.js';
import type { FileForm } from './mix-file.js';

/** The days of one lift test. */
export const liftTestExport: ExportDefinition = {
  file: 'lift-test',
  fileName: ({ parameters: { testId = '' } }) => `lift-${testId.slice(0, 8)}.csv`,

  async content(snapshot, request) {
    const test = await readTest(snapshot, request);
    const form = formOf(request);
    const written = liftFile(test, form);
    return {
      chunks: written.chunks,
      counts: () => ({ rows: written.rows, formulasEscaped: written.formulasEscaped }),
      limit: null,
      truncated: 0,
      columnsOmitted: form.omitCost && hasSpend(test) ? LIFT_COST_KEYS : [],
      holdsCost: !form.omitCost && hasSpend(test),
      ...(test.generated === null ? {} : { generated: test.generated }),
    };
  },

  async estimate(snapshot, request) {
    return measured(liftFile(await readTest(snapshot, request), formOf(request)));
  },
};

function formOf({ parameters: { bom = false, escapeFormulas, omitCost } }: ExportRequest): FileForm {
  return { bom, escapeFormulas, omitCost };
}

/** @throws AppError `not_found`, or `invalid_state` for a test without numbers */
async function readTest(snapshot: ExportSnapshot, { assetId, parameters }: ExportRequest): Promise<LiftFileContent> {
  const { testId = '' } = parameters;
  const read = <Row>(sql: string, values?: unknown[]): Promise<Row[]> => snapshot.query<Row>(sql, values);
  const test = await readLiftTest(read, assetId, testId, new Set(['days'] as const));
  if (test === undefined) throw new AppError('not_found', 'There is no such lift test.');
  if (test.status !== 'succeeded')
    throw new AppError('invalid_state', `The lift test is ${test.status} and has no numbers.`);
  return { ...test, days: test.days ?? [] };
}

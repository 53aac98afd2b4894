import { writeCsv, type CsvFile } from '#csv/write-csv.js';
import { writeKeyValues } from '#csv/write-key-values.js';
import { hasSpend, liftDayColumns, liftSummaryColumns, type LiftFileContent } from './lift-summary.js';
import { blocks, type FileForm } from './mix-file.js';

/** `lift-<8>.csv`: keys and values, an empty line, the days. Its rows are the days. */
export function liftFile(test: LiftFileContent, { bom, escapeFormulas, omitCost }: FileForm): CsvFile {
  const withCost = hasSpend(test) && !omitCost;
  const summary = writeKeyValues(test, { columns: liftSummaryColumns(withCost), bom, escapeFormulas });
  const days = writeCsv(test.days, { columns: liftDayColumns(withCost), escapeFormulas });
  return blocks(summary, days);
}

import { joinBlocks } from '#csv/join-blocks.js';
import { writeCsv, type CsvFile } from '#csv/write-csv.js';
import { writeKeyValues } from '#csv/write-key-values.js';
import { MIX_CHANNELS_LAYOUT, MIX_COST_KEYS } from '#contracts/layouts/mix-channels.layout.js';
import { MIX_SUMMARY_LAYOUT } from '#contracts/layouts/mix-summary.layout.js';
import { mixChannelRows, type MixFileContent } from './mix-summary.js';

/** How a file of a model or of a test is written. */
export interface FileForm {
  bom: boolean;
  escapeFormulas: boolean;
  /** Without the columns that say what was spent, or would give it back. */
  omitCost: boolean;
}

/** `mmm-<8>.csv`: keys and values, an empty line, the channels. Its rows are the channels. */
export function mixFile(run: MixFileContent, { bom, escapeFormulas, omitCost }: FileForm): CsvFile {
  const summary = writeKeyValues(run, { columns: MIX_SUMMARY_LAYOUT, bom, escapeFormulas });
  const channels = writeCsv(mixChannelRows(run), {
    columns: MIX_CHANNELS_LAYOUT.filter(({ key }) => !omitCost || !MIX_COST_KEYS.includes(key)),
    escapeFormulas,
  });
  return blocks(summary, channels);
}

/** A block and a table in one file; the rows of the file are those of the table. */
export function blocks(summary: CsvFile, table: CsvFile): CsvFile {
  return {
    chunks: joinBlocks([summary, table]),
    get rows() {
      return table.rows;
    },
    get formulasEscaped() {
      return summary.formulasEscaped + table.formulasEscaped;
    },
  };
}

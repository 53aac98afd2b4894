import { parseCsv } from '../../../deploy/verifier/tallyport-verify.mjs';
import type { ClaimFiles } from './claim-files.js';
import { changed, inputOf, type Tampered, withClaim } from './tampering.js';

/** The claim changed, the bundle as it was. */
export function tamperedCsv(files: ClaimFiles): Tampered[] {
  const [header = []] = parseCsv(files.csv);
  const cells = header.map((name, column) => ({
    name: `cell ${name} edited`,
    input: withClaim(files, ([, row = []]) => (row[column] = changed(row[column] ?? ''))),
    exit: 1 as const,
  }));
  const claim = (name: string, exit: 1 | 2, change: (records: string[][]) => void): Tampered => ({
    name,
    input: withClaim(files, change),
    exit,
  });
  const column = (name: string): number => header.indexOf(name);
  return [
    ...cells,
    claim('money of two rows swapped', 1, (records) => {
      const at = column('estimated_wasted');
      const values = records.map((row) => row[at]);
      const [, first] = values;
      const other = values.findIndex((value, index) => index > 0 && value !== first);
      if (records[1] !== undefined) records[1][at] = values[other] ?? '';
    }),
    claim('a row without cost in another currency', 1, (records) => {
      const row = records.find((cellsOfRow) => cellsOfRow[column('reasons')]?.includes('no_cost_data'));
      if (row !== undefined) row[column('currency')] = 'KWD';
    }),
    claim('evidence of another row', 1, ([, row = [], next = []]) => {
      row[column('evidence_hash')] = next[column('evidence_hash')] ?? '';
    }),
    claim('a row twice', 1, (records) => records.push(records[1] ?? [])),
    claim('a row made up', 1, (records) => {
      records.push((records[1] ?? []).with(column('evidence_hash'), 'ab'.repeat(32)));
    }),
    claim('chain_verified=false', 1, ([, row = []]) => (row[column('chain_verified')] = 'false')),
    claim('a notice removed', 1, (records) => {
      for (const row of records) row[column('reasons')] = row[column('reasons')]?.replace(/;?no_cost_data/, '') ?? '';
    }),
    claim('a column renamed', 2, ([row = []]) => (row[0] = 'as')),
    claim('a cell too many', 2, ([, row = []]) => row.push('x')),
    claim('no header', 2, (records) => records.shift()),
    { name: 'a stray quote', input: inputOf(`${files.csv}"x"y\n`, files.bundle, files.vkey), exit: 2 },
  ];
}

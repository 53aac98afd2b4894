import { loadAsnTable } from './load-asn-table.js';

const { table, badLines } = loadAsnTable();
process.stdout.write(
  `ASN data of ${table.dataDate}: ${table.size} networks${badLines > 0 ? `, ${badLines} lines could not be read` : ''}\n`,
);

import type { CopiedRows, ExportSnapshot } from '#jobs/export-definition.js';

/** Copies that a connection has begun or will begin by itself, so that it never waits for the reader. */
const BEGUN_PER_CONNECTION = 2;

/**
 * The rows of COPY statements, one statement after the other. Those that follow are read ahead meanwhile, on all connections
 * of one snapshot. Statements of a few megabytes each keep the connections busy and the memory flat.
 *
 * @param rows is told how many each has brought
 */
export async function* copiesInTurn(
  statements: Iterable<string>,
  connections: readonly ExportSnapshot[],
  rows: (count: number) => void,
): AsyncGenerator<Buffer> {
  const left = statements[Symbol.iterator]();
  const begun: CopiedRows[] = [];
  const begin = (on: ExportSnapshot): void => {
    const next = left.next();
    if (next.done === true) return;
    begun.push(on.copyTo(next.value));
  };
  try {
    for (let round = 0; round < BEGUN_PER_CONNECTION; round++) for (const connection of connections) begin(connection);
    for (let turn = 0, copy = begun[0]; copy !== undefined; turn++, copy = begun[0]) {
      yield* copy;
      if (copy.rowCount === undefined) throw new Error('COPY did not say how many rows it wrote.');
      rows(copy.rowCount);
      begun.shift();
      const free = connections[turn % connections.length];
      if (free !== undefined) begin(free);
    }
  } finally {
    for (const copy of begun) copy.destroy(new Error('The file was given up.'));
  }
}

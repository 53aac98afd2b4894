import type { CsvFile } from './write-csv.js';

/** Blocks one after the other with an empty line between them. */
export async function* joinBlocks(blocks: readonly Pick<CsvFile, 'chunks'>[]): AsyncGenerator<Buffer> {
  for (const [place, block] of blocks.entries()) {
    if (place > 0) yield Buffer.from('\n');
    yield* block.chunks;
  }
}

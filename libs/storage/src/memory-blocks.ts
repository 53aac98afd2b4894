export const BLOCK_BYTES = 256 * 1024;

/** Blocks that are free now. Made anew, each would wait for the garbage collector, outside its heap. */
const spare: Buffer[] = [];
const MOST_SPARE = 64;

/** A block of BLOCK_BYTES that holds anything. */
export function takeBlock(): Buffer {
  return spare.pop() ?? Buffer.allocUnsafeSlow(BLOCK_BYTES);
}

/** Nobody may look at the block any more. */
export function giveBlock(block: Buffer): void {
  if (block.length === BLOCK_BYTES && spare.length < MOST_SPARE) spare.push(block);
}

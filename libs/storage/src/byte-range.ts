/** One range of a file of `size` bytes, both ends inclusive. */
export interface ByteRange {
  from: number;
  to: number;
}

/**
 * Reads a `Range` header (RFC 9110 §14). Undefined: send the whole file, which is also the answer to several ranges,
 * other units and nonsense.
 */
export function byteRange(header: string | undefined, size: number): ByteRange | 'outside' | undefined {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? [];
  if (first === '' && last === '') return undefined;
  if (first === '')
    return Number(last) === 0 || size === 0 ? 'outside' : { from: Math.max(0, size - Number(last)), to: size - 1 };
  const from = Number(first);
  const to = last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (last !== '' && Number(last) < from) return undefined;
  return from >= size ? 'outside' : { from, to };
}

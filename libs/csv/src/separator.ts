export const FIELD_SEPARATORS = [',', ';', '\t'] as const;
export type FieldSeparator = (typeof FIELD_SEPARATORS)[number];

const QUOTE = 0x22;

/**
 * The separator of a file, from its first record (well-formed bytes): a comma wherever one stands outside quotes, else the
 * more frequent of `;` and TAB, else a comma, since the file has one column.
 */
export function recogniseSeparator(record: Buffer): FieldSeparator {
  const count = { ',': 0, ';': 0, '\t': 0 };
  let isQuoted = false;
  for (const byte of record) {
    if (byte === QUOTE) isQuoted = !isQuoted;
    if (isQuoted) continue;
    for (const separator of FIELD_SEPARATORS) if (byte === separator.charCodeAt(0)) count[separator]++;
  }
  if (count[','] > 0 || (count[';'] === 0 && count['\t'] === 0)) return ',';
  return count['\t'] > count[';'] ? '\t' : ';';
}

/**
 * Rows as aligned columns under their headers. Control characters become spaces: what comes from outside must not steer
 * the terminal.
 */
export function table(headers: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [headers, ...rows].map((cells) => cells.map((cell) => cell.replace(/\p{Cc}+/gu, ' ')));
  const widths = headers.map((_, column) => Math.max(...lines.map((cells) => lengthOf(cells[column] ?? ''))));
  return lines
    .map((cells) => cells.map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - lengthOf(cell))).join('  '))
    .map((line) => line.trimEnd())
    .join('\n');
}

function lengthOf(text: string): number {
  return Array.from(text).length;
}

/** What spreadsheet programs take for the beginning of a formula, full-width forms and a NUL they drop included (CWE-1236). */
const FORMULA = /^[=+\-@\t\r\n\0\uFF1D\uFF0B\uFF0D\uFF20]/;

/** Whether a spreadsheet program may take this text for a formula. Quoting does not help against that; a leading `'` does. */
export function looksLikeFormula(text: string): boolean {
  return FORMULA.test(text);
}

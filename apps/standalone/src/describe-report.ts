import type { CostImportReport } from '#contracts/cost-import.js';
import type { RowIssue } from '#contracts/row-codes.js';

/** An import report as a person would want to read it; `file` shows the text of each line that is spoken of. */
export function describeReport(report: CostImportReport, file?: string): string {
  const { total, inserted, updated, skipped, imported_from: from, imported_to: to } = report;
  const range = from === null || to === null ? '' : `, dates ${from} to ${to}`;
  const verdict = `→ ${count(total, 'row')}: ${inserted} inserted, ${updated} updated, ${skipped} rejected${range}.`;
  const lines = file?.split('\n') ?? [];
  return [
    verdict,
    ...listed('Rejected', report.errors, report.errors_total, lines),
    ...listed('Imported with a warning', report.warnings, report.warnings_total, lines),
    ...(report.errors_total + report.warnings_total === 0 ? ['  No errors, no warnings.'] : []),
  ].join('\n');
}

function listed(title: string, issues: RowIssue[], total: number, lines: string[]): string[] {
  if (total === 0) return [];
  const byLine = groupByLine(issues);
  const told = [...byLine].flatMap(([line, [first, ...others]]) => {
    if (first === undefined) return [];
    const text = first.file_line === undefined ? undefined : lines[first.file_line - 1];
    return [
      `    line ${first.file_line ?? line}${text === undefined ? '' : `: ${text}`}`,
      ...[first, ...others].map(
        ({ code, message, value }) => `      ${code}: ${message}${value === '' ? '' : ` («${value}»)`}`,
      ),
    ];
  });
  return [`  ${title}:`, ...told, ...(total > issues.length ? [`    … and ${total - issues.length} more`] : [])];
}

function groupByLine(issues: RowIssue[]): Map<number, RowIssue[]> {
  const groups = new Map<number, RowIssue[]>();
  for (const issue of issues) groups.set(issue.line, [...(groups.get(issue.line) ?? []), issue]);
  return groups;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

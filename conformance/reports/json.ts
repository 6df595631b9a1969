// The report as JSON: for scripts, for `conformance replay`, and to keep.
import type { Report } from './report.ts';

export function jsonReport(report: Report): string {
  return `${JSON.stringify(report, null, 1)}\n`;
}

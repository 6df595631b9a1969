// The formats in which a report can be written to a file, by name.
import { jsonText } from './plain-text.ts';
import { type Report, reportDocument } from './report.ts';

export const FORMATS = ['json', 'junit', 'html', 'markdown'] as const;

export type Format = (typeof FORMATS)[number];

export async function render(format: Format, report: Report): Promise<string> {
  switch (format) {
    case 'json':
      return `${jsonReport(report, 1)}\n`;
    case 'junit':
      return (await import('./junit.ts')).junitReport(report);
    case 'markdown':
      return (await import('./markdown.ts')).markdownReport(report);
    case 'html':
      return (await import('./html/html-report.ts')).htmlReport(report);
  }
}

export function jsonReport(report: Report, indent?: number): string {
  return jsonText(reportDocument(report), indent);
}

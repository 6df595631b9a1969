// The formats in which a report can be written to a file, by name.
import { jsonText } from './plain-text.ts';
import type { Report } from './report.ts';

export const FORMATS = ['json', 'junit', 'html', 'markdown', 'har'] as const;

export type Format = (typeof FORMATS)[number];

export async function render(format: Format, report: Report): Promise<string> {
  switch (format) {
    case 'json':
      return `${await jsonReport(report, 1)}\n`;
    case 'junit':
      return (await import('./junit.ts')).junitReport(report);
    case 'markdown':
      return (await import('./markdown.ts')).markdownReport(report);
    case 'har':
      return (await import('./har.ts')).harReport(report);
    case 'html':
      return (await import('./html/html-report.ts')).htmlReport(report, await familyTitles());
  }
}

/** The JSON of a report; that on a client has a form of its own. */
export async function jsonReport(report: Report, indent?: number): Promise<string> {
  if (report.judge !== 'client') return jsonText(report, indent);
  const { clientDocument } = await import('../client/document.ts');
  return jsonText(clientDocument(report), indent);
}

async function familyTitles(): Promise<Record<string, string>> {
  const { ruleFamilies } = await import('../../fixtures/rules.ts');
  return Object.fromEntries(ruleFamilies.map(({ prefix, title }) => [prefix, title]));
}

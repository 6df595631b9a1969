// The formats of a report. Those of a file are loaded only when one is written.
import { documentOf } from './document.ts';
import type { Document } from './parts.ts';
import { jsonText } from './plain-text.ts';
import { type Report, reportDocument } from './report.ts';

export const FORMATS = ['json', 'junit', 'html', 'markdown'] as const;

export type Format = (typeof FORMATS)[number];

export async function render(format: Format, report: Report): Promise<string> {
  if (format === 'json') return `${jsonReport(report, 1)}\n`;
  if (format === 'junit') return (await import('./junit.ts')).junitReport(report);
  return renderPage(format, documentOf(report, format));
}

export async function renderPage(format: 'html' | 'markdown', document: Document): Promise<string> {
  if (format === 'html') return (await import('./html.ts')).htmlPage(document);
  return (await import('./markdown.ts')).markdownPage(document);
}

export function jsonReport(report: Report, indent?: number): string {
  return jsonText(reportDocument(report), indent);
}

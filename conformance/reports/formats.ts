// The formats in which a report can be written to a file, by name.
import { ruleFamilies } from '../../fixtures/rules.ts';
import type { Report } from './report.ts';

const FORMATS = ['json', 'junit', 'html', 'markdown'] as const;

export type Format = (typeof FORMATS)[number];

export async function render(format: Format, report: Report): Promise<string> {
  switch (format) {
    case 'json':
      return `${spelt(JSON.stringify(report, null, 1))}\n`;
    case 'junit':
      return (await import('./junit.ts')).junitReport(report);
    case 'markdown':
      return (await import('./markdown.ts')).markdownReport(report);
    case 'html':
      return (await import('./html/html-report.ts')).htmlReport(report, familyTitles());
  }
}

function familyTitles(): Record<string, string> {
  return Object.fromEntries(ruleFamilies.map(({ prefix, title }) => [prefix, title]));
}

// JSON leaves C1 and the marks that turn text around as they are; a terminal obeys them.
const steering = new RegExp(
  `[${String.fromCharCode(127)}-${String.fromCharCode(159)}\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069]`,
  'g',
);

function spelt(json: string): string {
  return json.replace(steering, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

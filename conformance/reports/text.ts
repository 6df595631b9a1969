// The report for a terminal: crashes and failures with their proof first, then what could not be
// judged, then a summary, and last what is left on the target.
import { Chalk } from 'chalk';
import { GONE } from '../engine/record/exchange-recorder.ts';
import {
  type Group,
  groupsOf,
  membersOf,
  proofLines,
  recordingOf,
  type Section,
  sectionsOf,
  tellingFindings,
} from './document.ts';
import { printable, wrapText } from './plain-text.ts';
import type { Report, ReportFinding } from './report.ts';
import { count, countsLine, effortLine, headline, vocabularyOf } from './verdict-words.ts';

export interface TextOptions {
  readonly color: boolean;
  /** Columns at which words are wrapped. */
  readonly width: number;
  /** The JSON report, if one is written: requests can be printed from it. */
  readonly jsonFile?: string | undefined;
}

/** More findings of one rule would repeat it. */
const FINDINGS_SHOWN = 3;
/** Ids listed for one shared reason. */
const IDS_LISTED = 12;

export function textReport(report: Report, options: TextOptions): string[] {
  const words = vocabularyOf(report);
  const paint = new Chalk({ level: options.color ? 1 : 0 });
  const width = Math.max(60, Math.min(options.width, 110));
  const lines: string[] = [];

  /** A label with text beside it, wrapped under itself. */
  const item = (label: string, text: string, style = (each: string) => each) => {
    const margin = ' '.repeat(label.length);
    for (const [n, each] of wrapText(text, width - label.length).entries()) {
      lines.push(n === 0 ? style(label) + each : margin + each);
    }
  };
  const member = (name: string, text: string) => item(`  ${name.padEnd(10)} `, text, paint.dim);

  const section = ({ title, entries, columns = [] }: Section) => {
    lines.push('');
    for (const each of wrapText(title, width)) lines.push(paint.bold(each));
    for (const { label, text, details } of entries) {
      item(label === '' ? '  ' : `  ${label}: `, text);
      if (columns.length === 0 && details.length > 0) item('    ', listed(details), paint.dim);
      for (const [at, name] of columns.entries()) {
        if (name !== 'same') item(`    ${name.padEnd(10)} `, details[at]!, paint.dim);
      }
    }
  };

  const finding = (own: ReportFinding, before: ReportFinding | undefined) => {
    lines.push('');
    for (const [name, text] of membersOf(own, report, before)) member(name, text);
    const isNew = before?.scenario !== own.scenario;
    if (options.jsonFile !== undefined && words.hasScenarios && isNew) {
      member('requests', `npx conformance replay ${options.jsonFile} ${own.scenario}`);
    }
    if (!isNew && `${before?.exchanges}` === `${own.exchanges}`) return;
    for (const each of proofLines(own, report, width - 4)) lines.push(`    ${paint.dim(each)}`);
    const { output = '' } = recordingOf(report, own)?.ending ?? {};
    for (const each of lastLines(output, 3)) item('                | ', each);
    for (const each of own.advice?.example?.split('\n') ?? []) {
      lines.push(printable(`    ${each}`.trimEnd()));
    }
  };

  const group = ({ title, cause, rules, followers }: Group) => {
    const first = rules[0]!;
    const style = /deviates|harness_error/.test(first.verdict) ? paint.red : paint.yellow;
    lines.push('', style.bold(`${words.verdicts[first.verdict].sign} ${title}`));
    if (cause === null) item('  ', first.words, paint.bold);
    else {
      member('mend', cause.mend);
      if (rules.length > IDS_LISTED) member(`${words.noun}s`, listed(rules.map(({ id }) => id)));
      else for (const rule of rules) item('  - ', `${rule.id}  ${rule.words}`);
      lines.push(`  One of them, ${first.id}:`);
    }
    const telling = tellingFindings(first);
    for (const [at, each] of telling.slice(0, FINDINGS_SHOWN).entries()) {
      finding(each, telling[at - 1]);
    }
    const others = telling.slice(FINDINGS_SHOWN);
    const places = others.flatMap(({ place }) => place ?? []);
    if (places.length > 0) member('and at', places.join('; '));
    else if (others.length > 0) {
      lines.push(`  and ${count(others.length, 'more finding')} of ${first.id}`);
    }
    if (followers.length === 0) return;
    const verb = followers.length === 1 ? 'follows' : 'follow';
    const ids = listed(followers.map(({ id }) => id));
    item('  ', `${ids} ${verb} from ${first.id}: mend it, then run again.`);
  };

  const summary = () => {
    const { verdict, target, client, interrupted, not_started: start } = report;
    const style = { conformant: paint.green, deviates: paint.red }[verdict as string];
    const cut = interrupted ? ' (interrupted: this is what was done until then)' : '';
    const subject = printable(target.base_url).replaceAll('\n', ' ');
    const verdictLine = `${verdict}: ${subject} ${headline(report)}${cut}`;
    lines.push('', (style ?? paint.yellow).bold(verdictLine));
    if (start !== undefined) item('', start, paint.bold);
    if (start !== undefined && client !== undefined) {
      const first = report.scenarios.find(({ ending }) => ending !== undefined)?.ending;
      for (const each of lastLines(first?.output ?? '', 10)) item('  | ', each);
    }
    if (isGone(report)) item('', 'It stopped answering during the run; the rest was not sent.');
    item('', `${count(report.rules.length, words.noun)}: ${countsLine(report)}`);
    for (const each of client === undefined || start !== undefined ? [] : CLIENT_LISTS) {
      const ids = report.rules.filter((rule) => rule.verdict === each).map(({ id }) => id);
      const { sign, name } = words.verdicts[each];
      if (ids.length > 0) item(`${sign} ${name}: `, ids.join(', '));
    }
    item('', effortLine(report), paint.dim);
    if (client !== undefined) item('', `The first run: ${client.does}.`, paint.dim);
  };

  const sections = sectionsOf(report, { isBrief: true });
  for (const each of sections.filter(({ place }) => place === 'first')) section(each);
  for (const verdict of words.findingsOf) for (const each of groupsOf(report, verdict)) group(each);
  for (const each of sections) if (/doubt|later/.test(each.place)) section(each);
  summary();
  for (const { place, entries } of sections) {
    if (place === 'last') for (const { text } of entries) item('', text, paint.dim);
  }
  return lines;
}

const CLIENT_LISTS = ['not_tested', 'passed'] as const;

function isGone({ rules }: Report): boolean {
  return rules.some(({ findings }) => findings.some(({ actual }) => actual === GONE));
}

function lastLines(output: string, most: number): string[] {
  return output.trimEnd() === '' ? [] : output.trimEnd().split('\n').slice(-most);
}

function listed(ids: readonly string[]): string {
  if (ids.length <= IDS_LISTED) return ids.join(', ');
  return `${ids.slice(0, IDS_LISTED).join(', ')} and ${ids.length - IDS_LISTED} more`;
}

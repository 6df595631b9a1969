// The report for a terminal: crashes and failures with their proof first, then what could not be
// judged, then a summary, and last what is left on the target.
import { Chalk, type ChalkInstance } from 'chalk';
import { GONE } from '../engine/record/exchange-recorder.ts';
import { isAccepted } from './baseline.ts';
import { citedBy, clock, exchangeLines, recordingOf, timelineLines } from './exchanges.ts';
import {
  byReason,
  type Group,
  groupsOf,
  groupTitle,
  isFollower,
  tellingFindings,
  whyNot,
} from './groups.ts';
import { crashWords, inventoryLines } from './inventory.ts';
import { printable, wrapText } from './plain-text.ts';
import type { Report, ReportFinding, ReportRule } from './report.ts';
import {
  adviceOf,
  count,
  countsLine,
  effortLine,
  headline,
  notesOf,
  type Vocabulary,
  vocabularyOf,
} from './verdict-words.ts';

export interface TextOptions {
  readonly color: boolean;
  /** Columns at which words are wrapped. */
  readonly width: number;
  /** The JSON report, if one is written: requests can be printed from it. */
  readonly jsonFile?: string | undefined;
}

/** More findings of one rule would repeat it. */
const FINDINGS_SHOWN = 3;
const EXCHANGES_SHOWN = 4;
const TIMELINE_SHOWN = 12;
/** Ids listed for one shared reason. */
const IDS_LISTED = 12;

export function textReport(report: Report, options: TextOptions): string[] {
  const page = new Page(report, options);
  const isStarted = report.not_started === undefined;
  page.crashes();
  for (const verdict of page.words.findingsOf) {
    for (const group of groupsOf(report, verdict)) page.group(group);
  }
  if (isStarted) {
    page.doubtful();
    page.untested();
  }
  page.baseline();
  page.observed();
  if (isStarted) page.unlock();
  page.notes();
  page.summary();
  return page.lines;
}

class Page {
  readonly lines: string[] = [];
  readonly words: Vocabulary;
  readonly #report: Report;
  readonly #paint: ChalkInstance;
  readonly #width: number;
  readonly #jsonFile: string | undefined;

  constructor(report: Report, { color, width, jsonFile }: TextOptions) {
    this.words = vocabularyOf(report);
    this.#report = report;
    this.#paint = new Chalk({ level: color ? 1 : 0 });
    this.#width = Math.max(60, Math.min(width, 110));
    this.#jsonFile = jsonFile;
  }

  #heading(text: string): void {
    this.lines.push('');
    for (const line of wrapText(text, this.#width)) this.lines.push(this.#paint.bold(line));
  }

  /** A label with text beside it, wrapped under itself. */
  #item(label: string, text: string, paint = (each: string) => each): void {
    const margin = ' '.repeat(label.length);
    for (const [n, each] of wrapText(text, this.#width - label.length).entries()) {
      this.lines.push(n === 0 ? paint(label) + each : margin + each);
    }
  }

  #member(name: string, text: string): void {
    this.#item(`  ${name.padEnd(10)} `, text, this.#paint.dim);
  }

  /** Reasons with the ids that share them. */
  #reasons(rules: readonly ReportRule[], reasonOf: (rule: ReportRule) => string): void {
    for (const [reason, ids] of byReason(rules, reasonOf)) {
      this.#item('  ', reason);
      this.#item('    ', listed(ids), this.#paint.dim);
    }
  }

  crashes(): void {
    const { crashes = [] } = this.#report;
    if (crashes.length === 0) return;
    this.#heading('Requests that the target never answers properly');
    for (const crash of crashes) this.#item('  ', crashWords(crash));
  }

  group(group: Group): void {
    const [first] = group.rules;
    const { verdict, words } = first!;
    const { sign } = this.words.verdicts[verdict];
    const paint = verdict === 'deviates' || verdict === 'harness_error' ? 'red' : 'yellow';
    const title = groupTitle(group, this.#report);
    this.lines.push('', this.#paint[paint].bold(`${sign} ${title}`));
    if (group.cause === null) this.#item('  ', words, this.#paint.bold);
    else {
      this.#member('mend', group.cause.mend);
      if (group.rules.length > IDS_LISTED) {
        this.#member('checks', listed(group.rules.map(({ id }) => id)));
      } else {
        for (const rule of group.rules) this.#item('  - ', `${rule.id}  ${rule.words}`);
      }
      this.lines.push(`  One of them, ${first!.id}:`);
    }
    const telling = tellingFindings(first!);
    for (const [at, finding] of telling.slice(0, FINDINGS_SHOWN).entries()) {
      this.#finding(finding, telling[at - 1]);
    }
    const others = telling.slice(FINDINGS_SHOWN);
    const places = others.flatMap(({ place }) => place ?? []);
    if (places.length > 0) this.#member('and at', places.join('; '));
    else if (others.length > 0) {
      this.lines.push(`  and ${count(others.length, 'more finding')} of ${first!.id}`);
    }
    if (group.followers.length > 0) {
      const ids = group.followers.map(({ id }) => id);
      const verb = ids.length === 1 ? 'follows' : 'follow';
      this.#item('  ', `${listed(ids)} ${verb} from ${first!.id}: mend it, then run again.`);
    }
  }

  /** What the finding before has said of the same rule is not repeated. */
  #finding(finding: ReportFinding, before: ReportFinding | undefined): void {
    const { advice, scenario, verdict } = finding;
    const isAdvised = JSON.stringify(before?.advice) !== JSON.stringify(advice);
    this.lines.push('');
    if (this.words.hasScenarios && before?.scenario !== scenario) {
      this.#member('scenario', scenario);
    }
    if (finding.place !== undefined) this.#member('where', finding.place);
    this.#member('expected', finding.expected);
    const seen = finding.seen === undefined ? '' : ` (in ${finding.seen})`;
    this.#member('actual', `${finding.actual}${seen}`);
    const isCited =
      `${before?.scenario} ${before?.exchanges}` === `${scenario} ${finding.exchanges}`;
    if (!isCited && (verdict !== 'advisory' || advice === undefined)) this.#exchanges(finding);
    if (isAdvised) {
      for (const [name, text] of adviceOf(finding)) this.#member(name, text);
      for (const line of advice?.example?.split('\n') ?? []) {
        this.lines.push(printable(`    ${line}`.trimEnd()));
      }
    }
    if (before?.replay !== finding.replay) this.#member('try again', finding.replay);
    if (this.#jsonFile !== undefined && this.words.hasScenarios && before?.scenario !== scenario) {
      this.#member('requests', `npx conformance replay ${this.#jsonFile} ${finding.scenario}`);
    }
  }

  #exchanges(finding: ReportFinding): void {
    const { isTimeline } = this.words;
    const cited = citedBy(this.#report, finding);
    const shown = cited.slice(0, isTimeline ? TIMELINE_SHOWN : EXCHANGES_SHOWN);
    const linesOf = isTimeline ? timelineLines : exchangeLines;
    for (const exchange of shown) {
      for (const line of linesOf(exchange, this.#width - 4)) {
        this.lines.push(`    ${this.#paint.dim(line)}`);
      }
    }
    const ending = recordingOf(this.#report, finding)?.ending;
    if (ending === undefined) return;
    this.#item(`    ${clock(ending.at_ms)}  `, `the command ${ending.words}`, this.#paint.dim);
    for (const line of lastLines(ending.output, 3)) this.#item('                | ', line);
  }

  /** What could not be judged, by the reason that many of them share. */
  doubtful(): void {
    const report = this.#report;
    const { findingsOf, noun, verdicts } = this.words;
    for (const verdict of ['blocked', 'inconclusive'] as const) {
      const hasFinding = (rule: ReportRule) =>
        findingsOf.includes(verdict) && rule.findings.length > 0;
      const rules = report.rules.filter(
        (each) => each.verdict === verdict && !hasFinding(each) && !isFollower(each, report),
      );
      // If a receiver refuses every valid delivery, the reason stands in the notes.
      if (rules.length === 0 || (report.verdict === 'invalid' && report.judge !== undefined))
        continue;
      const { name, meaning } = verdicts[verdict];
      this.#heading(`${count(rules.length, noun)} ${name}: ${meaning}`);
      this.#reasons(rules, whyNot);
    }
  }

  /** What nothing in "What would unlock more rules" explains. */
  untested(): void {
    const { rules, interrupted, judge } = this.#report;
    if (judge !== undefined) return;
    const open = rules.filter((each) => each.verdict === 'not_tested' && each.reason === null);
    const lost = open.filter((each) => each.lost.length > 0);
    if (lost.length > 0) {
      this.#heading(`${count(lost.length, 'rule')} not tested: what was given no longer works`);
      this.#reasons(lost, (rule) => rule.lost.join(', '));
    }
    const others = open.filter((each) => each.unlock.length === 0);
    if (others.length === 0) return;
    const why = interrupted ? 'the run was interrupted before' : 'for another reason';
    this.#heading(`${count(others.length, 'rule')} not tested: ${why}`);
    this.#reasons(others, whyNot);
  }

  baseline(): void {
    const { rules, baseline } = this.#report;
    const { stale = [], expired = [] } = baseline ?? {};
    const known = rules.filter((each) => each.verdict === 'known');
    if (known.length > 0) this.#heading(count(known.length, 'known deviation'));
    for (const { id, reason } of known) this.#item('  ', `${id}: ${reason}`);
    const accepted = rules.filter(isAccepted);
    if (accepted.length > 0) {
      this.#heading(`${count(accepted.length, 'rule')} accepted as not tested`);
      this.#reasons(accepted, ({ reason }) => reason!);
    }
    const list = (title: string, lines: readonly string[]) => {
      if (lines.length > 0) this.#heading(title);
      for (const line of new Set(lines)) this.#item('  ', line);
    };
    list(
      'Baseline entries whose date has passed; they count as deviations again',
      expired.map((each) => `${each.rule} (${each.expires}): ${each.reason}`),
    );
    list(
      'Baseline entries that no longer deviate; remove them with --update-baseline',
      stale.map((each) => `${each.rule} in ${each.scenario}: ${each.reason}`),
    );
  }

  /** Only differences from the simulator; the other formats have all answers. */
  observed(): void {
    const different = this.#report.observed.filter((each) => each.same === false);
    if (different.length === 0) return;
    this.#heading('Open questions that the target answers differently from the simulator');
    for (const { id, question, observed, simulator } of different) {
      this.#item(`  ${id.padEnd(6)} `, question);
      this.#item('         target    ', observed ?? '');
      this.#item('         simulator ', simulator);
    }
  }

  unlock(): void {
    const { unlock } = this.#report;
    if (unlock.length === 0) return;
    this.#heading('What would unlock more rules');
    for (const { add, rules, with_others: others } of unlock) {
      const alone = rules > 0 ? [`+${rules}`] : [];
      const more = others > 0 ? [`${others} together with others`] : [];
      this.#item('  + ', `${add} (${[...alone, ...more].join(', and ')})`);
    }
  }

  notes(): void {
    const notes = notesOf(this.#report);
    if (notes.length > 0) this.#heading('Notes');
    for (const note of notes) this.#item('  - ', note);
  }

  #listed(verdicts: readonly ReportRule['verdict'][]): void {
    for (const verdict of verdicts) {
      const ids = this.#report.rules.filter((each) => each.verdict === verdict);
      if (ids.length === 0) continue;
      const { sign, name } = this.words.verdicts[verdict];
      this.#item(`${sign} ${name}: `, ids.map(({ id }) => id).join(', '));
    }
  }

  summary(): void {
    const report = this.#report;
    const { verdict, target, inventory, client } = report;
    const paint = { conformant: 'green', deviates: 'red' }[verdict as string] ?? 'yellow';
    const cut = report.interrupted ? ' (interrupted: this is what was done until then)' : '';
    const subject = printable(target.base_url).replaceAll('\n', ' ');
    const line = `${verdict}: ${subject} ${headline(report)}${cut}`;
    this.lines.push('', this.#paint[paint as 'green'].bold(line));
    if (report.not_started !== undefined) this.#item('', report.not_started, this.#paint.bold);
    if (report.judge === 'client' && report.not_started !== undefined) {
      const first = report.scenarios.find(({ ending }) => ending !== undefined)?.ending;
      for (const each of lastLines(first?.output ?? '', 10)) this.#item('  | ', each);
    }
    if (isGone(report))
      this.#item('', 'It stopped answering during the run; the rest was not sent.');
    this.#item('', `${count(report.rules.length, this.words.noun)}: ${countsLine(report)}`);
    if (report.judge === 'client' && report.not_started === undefined)
      this.#listed(['not_tested', 'passed']);
    this.#item('', effortLine(report), this.#paint.dim);
    if (client !== undefined) this.#item('', `The first run: ${client.does}.`, this.#paint.dim);
    for (const each of inventory === undefined ? [] : inventoryLines(inventory)) {
      this.#item('', each, this.#paint.dim);
    }
  }
}

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

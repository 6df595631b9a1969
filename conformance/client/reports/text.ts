// The report for a person at a terminal: what is wrong first, each with the calls that show it,
// what hangs on it, and how to mend it.
import { Chalk, type ChalkInstance } from 'chalk';
import { printable, wrapText } from '../../reports/plain-text.ts';
import { count, duration } from '../../reports/verdict-words.ts';
import { shortKey } from '../checks/check.ts';
import { wordsIn } from '../checks/glossary.ts';
import type { ClientReport, ReportCheck, ReportFinding, ReportVerdict } from '../report.ts';
import { callsOf, clock, lastLines, recordingAt, request, result } from './timeline.ts';
import { byKind, countsLine, runLine, typed, verdictWords } from './words.ts';

export interface TextOptions {
  readonly color: boolean;
  /** Columns to wrapText words at. */
  readonly width: number;
}

export function textReport(report: ClientReport, options: TextOptions): string[] {
  const page = new Page(report, options);
  for (const verdict of ['fails', 'advisory', 'inconclusive'] as const) page.found(verdict);
  page.words();
  page.listed('known');
  // What a first run that failed did not do, it may not have come to.
  if (report.unusable === null) page.listed('not_met');
  page.listed('passed');
  page.baseline();
  page.end();
  return page.lines;
}

const label = 12;

class Page {
  readonly lines: string[] = [];
  readonly #report: ClientReport;
  readonly #paint: ChalkInstance;
  readonly #width: number;
  /** Examples that were shown, each with its check: several mistakes have one mending. */
  readonly #shownAt = new Map<string, string>();

  constructor(report: ClientReport, { color, width }: TextOptions) {
    this.#report = report;
    this.#paint = new Chalk({ level: color ? 1 : 0 });
    this.#width = Math.max(60, Math.min(width, 110));
  }

  #say(text = ''): void {
    this.lines.push(text);
  }

  #item(name: string, words: string): void {
    const head = `  ${name.padEnd(label)}`;
    for (const [n, each] of wrapText(words, this.#width - head.length).entries()) {
      this.#say(n === 0 ? this.#paint.dim(head) + each : ' '.repeat(head.length) + each);
    }
  }

  #line(text: string): void {
    const line = printable(text).replaceAll('\n', '\\n');
    this.#say(line.length > this.#width ? `${line.slice(0, this.#width - 1)}…` : line);
  }

  found(verdict: 'fails' | 'advisory' | 'inconclusive'): void {
    for (const check of this.#report.checks.filter((each) => each.verdict === verdict)) {
      if (check.findings.length === 0) continue;
      this.#check(check, verdict);
    }
    // Why nothing was shown at all stands with the verdict.
    const { checks, unusable } = this.#report;
    const silent = checks.filter(
      (each) => each.verdict === verdict && each.findings.length === 0 && unusable === null,
    );
    if (silent.length === 0) return;
    this.#say();
    this.#say(this.#paint.bold(`${count(silent.length, 'check')} ${verdict}`));
    for (const why of new Set(silent.map((each) => each.why ?? 'nothing was shown'))) {
      const ids = silent.filter((each) => (each.why ?? 'nothing was shown') === why);
      this.#item('', `${why}: ${ids.map(({ id }) => id).join(', ')}`);
    }
  }

  #check(check: ReportCheck, verdict: ReportVerdict): void {
    const { sign, name } = verdictWords[verdict];
    const color = verdict === 'fails' ? this.#paint.red : this.#paint.yellow;
    this.#say();
    this.#say(color.bold(`${sign} ${check.id} ${name}: ${check.title}`));
    this.#item('at stake', check.at_stake);
    this.#item('what we did', check.orders);
    for (const group of byKind(check)) if (group[0]?.verdict === verdict) this.#finding(group);
    this.#item('a right one', check.expected);
    this.#mend(check);
    for (const { id, words } of check.rules) this.#item('rule', `${id}: ${words}`);
    if (check.why !== null) this.#item('note', check.why);
    this.#item('try again', check.findings[0]?.replay ?? '');
  }

  #mend({ id, mend }: ReportCheck): void {
    const before = this.#shownAt.get(mend.example);
    if (before !== undefined) {
      this.#item('mend', `as at ${before}`);
      return;
    }
    this.#shownAt.set(mend.example, id);
    this.#item('mend', mend.words);
    this.#say();
    for (const line of mend.example.split('\n')) this.#line(`    ${line}`);
    this.#say();
  }

  #finding(group: readonly ReportFinding[]): void {
    const [first, ...others] = group;
    if (first === undefined) return;
    this.#item('where', first.place);
    this.#item('your client', `${first.actual} (in ${first.seen})`);
    const recording = recordingAt(this.#report, first.run);
    if (recording === undefined) return;
    this.#say();
    for (const call of callsOf(recording, first)) {
      const mark = first.calls.includes(call.n) ? '→' : ' ';
      this.#line(
        `  ${mark} ${clock(call.at_ms).padStart(9)}  ${call.n}. ${request(call, shortKey)}`,
      );
      this.#line(`  ${mark} ${' '.repeat(9)}     ${result(call)}`);
    }
    const { words, duration_ms: ms } = recording.ending;
    this.#line(`    ${clock(ms).padStart(9)}  the command ${words}`);
    const printed = lastLines(recording, 3);
    for (const line of printed) this.#line(`    ${' '.repeat(9)}  | ${line}`);
    this.#say();
    if (others.length > 0) {
      this.#item('the same', `at ${others.map(({ place }) => place).join('; ')}`);
    }
  }

  /** For who meets them for the first time, where something was found that is told with them. */
  words(): void {
    const told = this.#report.checks.filter(({ findings }) => findings.length > 0);
    const words = wordsIn(told.flatMap(({ title, orders, expected }) => [title, orders, expected]));
    if (words.length === 0) return;
    this.#say();
    this.#say(this.#paint.bold('Words'));
    for (const { word, meaning } of words) this.#item(word, meaning);
  }

  listed(verdict: ReportVerdict): void {
    const own = this.#report.checks.filter((each) => each.verdict === verdict);
    if (own.length === 0) return;
    const { sign, name, meaning } = verdictWords[verdict];
    this.#say();
    this.#say(this.#paint.bold(`${count(own.length, 'check')} ${name}: ${meaning}`));
    for (const check of own) {
      const left = check.places > 0 && check.why !== null ? `; ${check.why}` : '';
      const at =
        check.places > 1 || left !== '' ? ` (at ${count(check.places, 'place')}${left})` : '';
      const words = check.reason ?? `${check.title}${at}`;
      for (const [n, each] of wrapText(words, this.#width - 24).entries()) {
        this.#say(`  ${n === 0 ? `${sign} ${check.id.padEnd(20)}` : ' '.repeat(22)}${each}`);
      }
    }
  }

  baseline(): void {
    const { stale = [], expired = [] } = this.#report.baseline ?? {};
    for (const { check, expires } of expired) {
      this.#item('baseline', `${check} counts again since ${expires}`);
    }
    for (const { check } of stale) {
      this.#item('baseline', `${check} no longer fails so; take it out (--update-baseline)`);
    }
  }

  end(): void {
    const report = this.#report;
    const { verdict, command, interrupted, unusable } = report;
    const color = verdict === 'conformant' ? this.#paint.green : this.#paint.red;
    const cut = interrupted ? ' (interrupted: this is what was done until then)' : '';
    this.#say();
    const shown = printable(typed(command)).replaceAll('\n', ' ');
    this.#say(color.bold(`${verdict}: ${shown} ${runLine(report)}${cut}`));
    if (unusable !== null) this.#unusable(unusable);
    for (const note of report.notes)
      for (const each of wrapText(note, this.#width)) this.#say(each);
    this.#say(countsLine(report));
    const runs = count(report.runs, 'run');
    const took = `${runs}, ${count(report.requests, 'request')} in ${duration(report.duration_ms)}`;
    this.#say(this.#paint.dim(`${took}, seed ${report.seed}; the first run: ${report.does}`));
  }

  #unusable(why: string): void {
    for (const each of wrapText(`${why}.`, this.#width)) this.#say(each);
    const first = recordingAt(this.#report, 1);
    for (const line of first === undefined ? [] : lastLines(first, 10)) this.#line(`  | ${line}`);
  }
}

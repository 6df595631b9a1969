// The report for a person at a terminal: what deviates with its proof first, then counts, then what
// would unlock more.
import { Chalk, type ChalkInstance } from 'chalk';
import { GONE } from '../engine/record/exchange-recorder.ts';
import { isAccepted } from './baseline/accepted.ts';
import { exchangeLines } from './exchange-lines.ts';
import { inventoryLines } from './inventory/inventory-words.ts';
import { wrapText } from './plain-text.ts';
import type { Report, ReportFinding, ReportObserved, ReportRule } from './report.ts';
import {
  adviceOf,
  count,
  countsLine,
  duration,
  headline,
  notesOf,
  reportWords,
  verdictWords,
} from './verdict-words.ts';

export interface ConsoleOptions {
  readonly color: boolean;
  /** Columns to fold words at. */
  readonly width: number;
  /** The JSON report, when one is written: scripts are printed from it. */
  readonly jsonFile?: string | undefined;
}

/** So many findings of one rule are shown; more would repeat it. */
const FINDINGS_SHOWN = 3;
/** So many rules that ended for one and the same reason are told one by one. */
const RULES_LISTED = 12;

export function consoleReport(report: Report, options: ConsoleOptions): string[] {
  const paint = new Chalk({ level: options.color ? 1 : 0 });
  const page = new Page(paint, Math.max(60, Math.min(options.width, 110)), options.jsonFile);
  const deviating = report.rules.filter((each) => each.verdict === 'deviates');
  for (const rule of deviating) page.rule(rule, report);
  for (const rule of report.rules.filter((each) => each.verdict === 'harness_error')) {
    page.rule(rule, report);
  }
  for (const rule of report.rules.filter((each) => each.verdict === 'advisory')) {
    page.rule(rule, report);
  }
  // The one reason why nothing was judged stands in the notes or at the end, and is all there is.
  const isStarted = report.not_started === undefined;
  const isDumb = reportWords(report).isReceiver && report.verdict === 'invalid';
  if (isStarted && !isDumb) page.doubtful(report);
  if (isStarted) page.untested(report);
  page.mends(report);
  page.known(report);
  page.observed(report.observed);
  if (isStarted) page.unlock(report);
  page.notes(notesOf(report));
  page.end(report);
  return page.lines;
}

class Page {
  readonly lines: string[] = [];
  readonly #paint: ChalkInstance;
  readonly #width: number;
  readonly #jsonFile: string | undefined;

  constructor(paint: ChalkInstance, width: number, jsonFile: string | undefined) {
    this.#paint = paint;
    this.#width = width;
    this.#jsonFile = jsonFile;
  }

  #say(text = ''): void {
    this.lines.push(text);
  }

  #heading(text: string): void {
    this.#say();
    this.#say(this.#paint.bold(text));
  }

  /** A label and words beside it, folded under each other. */
  #item(label: string, words: string, paint = (text: string) => text): void {
    const margin = ' '.repeat(label.length);
    for (const [n, each] of wrapText(words, this.#width - label.length).entries()) {
      this.#say(n === 0 ? paint(label) + each : margin + each);
    }
  }

  rule(rule: ReportRule, report: Report): void {
    const { sign, name } = verdictWords[rule.verdict];
    const color = rule.verdict === 'advisory' ? this.#paint.yellow : this.#paint.red;
    this.#say();
    this.#say(color.bold(`${sign} ${rule.id} ${name}`));
    for (const each of wrapText(rule.words, this.#width - 2))
      this.#say(`  ${this.#paint.bold(each)}`);
    const telling = rule.findings.filter((each) => each.verdict === rule.verdict);
    const unlike = telling.filter(
      ({ fingerprint }, at) => telling.findIndex((e) => e.fingerprint === fingerprint) === at,
    );
    for (const finding of unlike.slice(0, FINDINGS_SHOWN)) this.#finding(finding, report);
    const more = telling.length - Math.min(unlike.length, FINDINGS_SHOWN);
    if (more > 0) this.#say(`  and ${count(more, 'more finding')} of this rule`);
  }

  #finding(finding: ReportFinding, report: Report): void {
    const said = (name: string, words: string) =>
      this.#item(`  ${name.padEnd(10)}`, words, this.#paint.dim);
    this.#say();
    const { isReceiver } = reportWords(report);
    if (!isReceiver) said('scenario', finding.scenario);
    said('expected', finding.expected);
    said('actual', finding.actual);
    for (const [name, words] of adviceOf(finding)) said(name, words);
    const scenario = report.scenarios.find((each) => each.id === finding.scenario);
    const shown = (scenario?.exchanges ?? []).filter((each) => finding.exchanges.includes(each.n));
    for (const exchange of shown.slice(0, 4)) {
      for (const each of exchangeLines(exchange, this.#width - 4)) {
        this.#say(`    ${this.#paint.dim(each)}`);
      }
    }
    said('try again', finding.replay);
    if (this.#jsonFile !== undefined && !isReceiver) {
      said('script', `conformance replay ${this.#jsonFile} ${finding.scenario}`);
    }
  }

  /** What many checks ask for is told once more, together: they often have one cause. */
  mends(report: Report): void {
    const failing = report.rules.filter(({ verdict }) => /^(deviates|advisory)$/.test(verdict));
    const told = failing.filter((rule) => mendOf(rule) !== undefined);
    if (told.length < 2) return;
    this.#heading('To mend, in all');
    this.#reasons(told, (rule) => mendOf(rule)!);
  }

  /** Rules about which nothing could be said, gathered by the reason, which many share. */
  doubtful(report: Report): void {
    for (const verdict of ['blocked', 'inconclusive'] as const) {
      const rules = report.rules.filter((each) => each.verdict === verdict);
      if (rules.length === 0) continue;
      const { noun, inconclusive } = reportWords(report);
      const { name, meaning } = verdictWords[verdict];
      const words = verdict === 'inconclusive' ? inconclusive : meaning;
      this.#heading(`${count(rules.length, noun)} ${name}: ${words}`);
      this.#reasons(rules, (rule) => {
        const finding = rule.findings.find((each) => each.verdict === verdict);
        return finding?.actual ?? 'nothing on the way that the scenarios took showed it';
      });
    }
  }

  /**
   * Rules that nothing which could be added would have shown: the reason is all there is to say.
   */
  untested(report: Report): void {
    const open = report.rules.filter(
      (each) => each.verdict === 'not_tested' && each.reason === null,
    );
    this.#lost(open.filter((each) => each.lost.length > 0));
    const rules = open.filter((each) => each.unlock.length === 0);
    if (rules.length === 0) return;
    const why = report.interrupted ? ': the run was interrupted before' : ' for another reason';
    this.#heading(`${count(rules.length, 'rule')} not tested${why}`);
    this.#reasons(rules, (rule) => {
      const finding = rule.findings.find((each) => each.verdict === 'not_tested');
      if (finding !== undefined) return finding.actual;
      return rule.scenarios.length === 0 ? 'no scenario tries it' : 'its scenarios were not played';
    });
  }

  #lost(rules: readonly ReportRule[]): void {
    if (rules.length === 0) return;
    this.#heading(`${count(rules.length, 'rule')} not tested: what was given is of no use now`);
    this.#reasons(rules, ({ lost }) => lost.join(', '));
  }

  #reasons(rules: readonly ReportRule[], why: (rule: ReportRule) => string): void {
    const reasons = new Map<string, Set<string>>();
    for (const rule of rules) {
      reasons.set(why(rule), (reasons.get(why(rule)) ?? new Set()).add(rule.id));
    }
    for (const [words, ids] of reasons) {
      this.#item('  ', words);
      for (const each of wrapText(listed([...ids]), this.#width - 4)) {
        this.#say(`    ${this.#paint.dim(each)}`);
      }
    }
  }

  known(report: Report): void {
    const rules = report.rules.filter((each) => each.verdict === 'known');
    if (rules.length > 0) this.#heading(`${count(rules.length, 'known deviation')}`);
    for (const { id, reason } of rules) this.#item('  ', `${id}: ${reason}`);
    const accepted = report.rules.filter(isAccepted);
    if (accepted.length > 0) {
      this.#heading(`${count(accepted.length, 'rule')} accepted as not tested`);
      this.#reasons(accepted, ({ reason }) => reason!);
    }
    const { stale = [], expired = [] } = report.baseline ?? {};
    if (expired.length > 0) {
      this.#heading('Baseline entries whose date is past; these count as deviations again');
      this.#once(expired.map((each) => `${each.rule} (${each.expires}): ${each.reason}`));
    }
    if (stale.length > 0) {
      this.#heading('Baseline entries that no longer deviate; take them out (--update-baseline)');
      this.#once(stale.map((each) => `${each.rule} in ${each.scenario}: ${each.reason}`));
    }
  }

  /** A rule may have several failures that are borne with for the same reason. */
  #once(lines: readonly string[]): void {
    for (const line of new Set(lines)) {
      const times = lines.filter((each) => each === line).length;
      this.#item('  ', times === 1 ? line : `${line} (${times} failures)`);
    }
  }

  /** Only where the target differs from the simulator: the rest stands in the other formats. */
  observed(rows: readonly ReportObserved[]): void {
    const other = rows.filter((each) => each.same === false);
    if (other.length === 0) return;
    this.#heading('Where the specification is open, and the target is not as the simulator');
    for (const { id, question, observed, simulator } of other) {
      this.#item(`  ${id.padEnd(6)} `, question);
      this.#item('         target    ', observed ?? '');
      this.#item('         simulator ', simulator);
    }
  }

  unlock(report: Report): void {
    if (report.unlock.length === 0) return;
    this.#heading('What would unlock more rules');
    for (const { add, rules, with_others: others } of report.unlock) {
      const more = others === 0 ? '' : `${rules > 0 ? ', and ' : ''}${others} together with others`;
      const much = `${rules > 0 ? `+${rules}` : ''}${more}`;
      this.#item('  + ', `${add} (${much})`);
    }
  }

  notes(notes: readonly string[]): void {
    if (notes.length === 0) return;
    this.#heading('To know');
    for (const note of notes) this.#item('  - ', note);
  }

  end(report: Report): void {
    const color = {
      conformant: this.#paint.green,
      deviates: this.#paint.red,
      incomplete: this.#paint.yellow,
      invalid: this.#paint.yellow,
    }[report.verdict];
    this.#say();
    const { verdict, target } = report;
    const { noun, isReceiver } = reportWords(report);
    const interrupted = report.interrupted
      ? ' (interrupted: this is what was done until then)'
      : '';
    this.#say(color.bold(`${verdict}: ${target.base_url} ${headline(report)}${interrupted}`));
    if (report.not_started !== undefined) this.#item('', report.not_started, this.#paint.bold);
    if (isGone(report)) this.#item('', 'It stopped answering on the way: the rest was not sent.');
    this.#item('', `${count(report.rules.length, noun)}: ${countsLine(report.summary)}`);
    if (isReceiver && verdict !== 'invalid') this.#item('', familiesLine(report));
    const took = `${count(report.requests, 'request')} in ${duration(report.duration_ms)}`;
    const seed = isReceiver ? '' : `, seed ${report.seed}`;
    this.#say(this.#paint.dim(took + seed));
    if (report.inventory === undefined) return;
    for (const line of inventoryLines(report.inventory)) this.#item('', line, this.#paint.dim);
  }
}

function isGone({ rules }: Report): boolean {
  return rules.some(({ findings }) => findings.some(({ actual }) => actual === GONE));
}

function mendOf({ verdict, findings }: ReportRule): string | undefined {
  return findings.find((each) => each.verdict === verdict)?.advice?.mend;
}

/** `Must accept: 18 of 18. Must refuse: 33 of 34.` */
function familiesLine({ rules }: Report): string {
  const families = [...new Set(rules.map(({ family }) => family))];
  return families
    .map((family) => {
      const own = rules.filter((each) => each.family === family);
      const passed = own.filter(({ verdict }) => verdict === 'passed');
      return `${family}: ${passed.length} of ${own.length}.`;
    })
    .join(' ');
}

function listed(ids: readonly string[]): string {
  if (ids.length <= RULES_LISTED) return ids.join(', ');
  return `${ids.slice(0, RULES_LISTED).join(', ')} and ${ids.length - RULES_LISTED} more`;
}

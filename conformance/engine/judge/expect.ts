// Tagged expectations on one answer: each states what the rules require, and records what was seen
// instead.
import { isDeepStrictEqual } from 'node:util';
import { Misuse, ScenarioEnded } from '../scenario-errors.ts';
import type { Answer, Json } from '../send/answer.ts';
import { idText, printJson } from '../send/json.ts';
import type { Findings, Rules } from './findings.ts';

/** `advise` records advice instead of a deviation; `must` ends the scenario if it is not met. */
type Manner = 'expect' | 'advise' | 'must';

/** A value, or a test with its description, for the member at a path. */
export type ExpectedValue =
  | Json
  | { readonly words: string; readonly test: (value: unknown) => boolean };

export class Expectation {
  readonly #findings: Findings;
  readonly #rules: Rules;
  readonly #answer: Answer;
  readonly #manner: Manner;
  #ok = true;

  constructor(findings: Findings, rules: Rules, answer: Answer, manner: Manner = 'expect') {
    this.#findings = findings;
    this.#rules = rules;
    this.#answer = answer;
    this.#manner = manner;
  }

  /** Whether every expectation of the answer has been met so far. */
  get ok(): boolean {
    return this.#ok;
  }

  /** One of these statuses. */
  status(...wanted: number[]): this {
    const truth = wanted.includes(this.#answer.status);
    return this.#settle(truth, wanted.join(' or '), () => describeAnswer(this.#answer));
  }

  /**
   * A refusal with this status and code. If it has no code at all, ERR-1a judges that (LIM-6 for a
   * 429), and this rule is not decided. Needs a control before it.
   */
  refused(status: number, code: string): this {
    this.#requireControl(`a ${status}`);
    const { status: seen, code: seenCode, n, summary } = this.#answer;
    const isCodeless = seen === status && seenCode === undefined && seen !== 429;
    const isKnown = this.#findings.list.some(({ rules }) => rules.includes('ERR-1a'));
    if (this.#ok && isCodeless && !isKnown && !this.#findings.unjudgeable(this.#answer)) {
      const expected = `a problem in the form of the error table: ${status} ${code}`;
      const finding = { rules: 'ERR-1a', expected, exchanges: [n] } as const;
      this.#findings.record({ ...finding, verdict: 'deviates', actual: `no code: ${summary}` });
    }
    const truth = seen === status && seenCode === code;
    return this.#settle(truth, `${status} ${code}`, () => describeAnswer(this.#answer));
  }

  /** A success of any status. */
  served(words: string): this {
    return this.is(words, this.#answer.isServed);
  }

  /** ERR-2: refused before any code runs, with a plain-text message instead of problem+json. */
  refusedInPlainText(): this {
    this.#requireControl('a plain-text refusal');
    const { status, headers } = this.#answer;
    const truth = status >= 400 && status < 500 && headers.mediaType() === 'text/plain';
    const actual = () => `${describeAnswer(this.#answer)} as ${headers.mediaType() || 'no type'}`;
    return this.#settle(truth, 'a 4xx refusal as text/plain', actual);
  }

  /** The member at a dotted path is this value, or passes this test. */
  field(path: string, wanted: ExpectedValue): this {
    const seen = this.#answer.at(path);
    const words = isDescribed(wanted) ? wanted.words : formatValue(wanted);
    const isSame = isDescribed(wanted) ? wanted.test(seen) : isDeepStrictEqual(seen, wanted);
    const truth = isSame || isSameId(path, seen, wanted);
    return this.#settle(truth, `${path}: ${words}`, () => `${path}: ${formatValue(seen)}`);
  }

  /** Several members together. */
  fields(wanted: Readonly<Record<string, ExpectedValue>>): this {
    for (const [path, value] of Object.entries(wanted)) this.field(path, value);
    return this;
  }

  /** The header occurs exactly once and passes the test. */
  header(name: string, words: string, test: (value: string) => boolean): this {
    const seen = this.#answer.headers.all(name);
    const truth = seen.length === 1 && test(seen[0]!);
    const actual = () => (seen.length === 0 ? `no ${name} header` : `${name}: ${seen.join(' | ')}`);
    return this.#settle(truth, `${name}: ${words}`, actual);
  }

  lacksHeader(name: string): this {
    const seen = this.#answer.headers.get(name);
    return this.#settle(seen === undefined, `no ${name} header`, () => `${name}: ${seen}`);
  }

  /** Byte for byte the body of another answer. */
  sameBytesAs(first: Answer): this {
    const truth = Buffer.compare(this.#answer.body, first.body) === 0;
    const expected = `the ${first.body.length} bytes of exchange ${first.n}: ${clip(first.text)}`;
    return this.#settle(truth, expected, () => clip(this.#answer.text), [first]);
  }

  /** Any other expectation, with its description; `actual` describes what was seen instead. */
  is(words: string, truth: boolean, actual?: string, ...others: Answer[]): this {
    return this.#settle(truth, words, () => actual ?? describeAnswer(this.#answer), others);
  }

  #requireControl(what: string): void {
    if (this.#findings.controlled) return;
    throw new Misuse(`${what} is judged before any control has succeeded`);
  }

  #settle(
    truth: boolean,
    expected: string,
    actual: () => string,
    others: readonly Answer[] = [],
  ): this {
    // Only the first unmet expectation of a chain is a finding: the later ones would repeat it.
    if (!this.#ok) return this;
    const exchanges = [...others.map((each) => each.n), this.#answer.n].sort((a, b) => a - b);
    const finding = { rules: this.#rules, expected, exchanges };
    this.#ok = truth;
    if (truth) {
      this.#findings.record({ ...finding, verdict: 'passed', actual: 'as expected' });
      return this;
    }
    const doubt = this.#findings.unjudgeable(this.#answer);
    const failing = this.#manner === 'advise' ? 'advisory' : 'deviates';
    const endsScenario = this.#manner === 'must';
    this.#findings.record({
      ...{ ...finding, endsScenario },
      verdict: doubt === undefined ? failing : 'inconclusive',
      actual: doubt === undefined ? actual() : `${actual()}: ${doubt}`,
    });
    if (endsScenario) throw new ScenarioEnded(`${expected}, but ${actual()}`);
    return this;
  }
}

/** CONV-1a judges how an id is written: it names the same record as a string or as a number. */
function isSameId(path: string, seen: unknown, wanted: unknown): boolean {
  const id = idText(seen);
  return /(^|[._])id$/.test(path) && id !== undefined && id === idText(wanted);
}

function isDescribed(wanted: ExpectedValue): wanted is Extract<ExpectedValue, { test: unknown }> {
  return typeof Reflect.get(Object(wanted), 'test') === 'function';
}

/** Status, code and the start of the body, for a quotation. */
export function describeAnswer(answer: Answer): string {
  const words = answer.at('detail');
  if (typeof words === 'string') return `${answer.summary}: ${clip(words)}`;
  return answer.text === '' ? answer.summary : `${answer.summary}: ${clip(answer.text)}`;
}

function formatValue(value: unknown): string {
  return value === undefined ? 'absent' : clip(printJson(value));
}

function clip(text: string, length = 200): string {
  return text.length <= length ? text : `${text.slice(0, length)}… (${text.length} characters)`;
}

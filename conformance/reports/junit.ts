// The report as JUnit XML for CI servers: a suite for each family, a test case for each
// rule or check, with its id as the name.
import { parseUrl } from '../../fixtures/parse-url.ts';
import { pathOf } from './exchanges.ts';
import { findingDetail, tellingFindings, whyNot } from './findings.ts';
import { inventoryLines } from './inventory-words.ts';
import type { Report, ReportRule } from './report.ts';
import { textOf } from './text.ts';
import { vocabularyOf } from './verdict-words.ts';

/** A reader of XML wraps it. */
const UNWRAPPED = { color: false, width: Number.POSITIVE_INFINITY };

type Kind = 'passed' | 'failure' | 'error' | 'skipped';

/** A rule that could not be judged is an error, so that a CI server does not count it as passed. */
const KIND_OF: Readonly<Record<ReportRule['verdict'], Kind>> = {
  deviates: 'failure',
  blocked: 'error',
  inconclusive: 'error',
  harness_error: 'error',
  not_tested: 'skipped',
  not_selected: 'skipped',
  known: 'skipped',
  passed: 'passed',
  advisory: 'passed',
};

/** In the form of Jenkins' schema: `skipped` is counted per suite, and not for all suites. */
export function junitReport(report: Report): string {
  const { judge, rules, started_at: startedAt, target } = report;
  const prefix = judge === undefined ? 'conformance' : `conformance.${judge}`;
  const families = [...new Set(rules.map(({ family }) => family))];
  const timeOf = timesOf(report);
  const hostname = parseUrl(target.base_url)?.host ?? pathOf(target.base_url);
  const timestamp = startedAt.replace(/\.\d+Z$/, '');
  const left = report.inventory === undefined ? [] : inventoryLines(report.inventory);
  const madePart =
    left.length === 0 ? '' : `    <system-out>${escapeXml(left.join('\n'))}</system-out>\n`;
  const suites = families.map((family, at) => {
    const own = rules.filter((each) => each.family === family);
    const name = `${prefix}.${family}`;
    const ms = own.reduce((sum, { id }) => sum + timeOf(id), 0);
    const cases = own.map((rule) => testCase(rule, report, name, timeOf(rule.id)));
    const head = attributes({ name, ...counts(own), time: seconds(ms), timestamp, hostname });
    const last = at === families.length - 1 ? madePart : '';
    return `  <testsuite${head}>\n${cases.join('')}${last}  </testsuite>\n`;
  });
  const { skipped: _, ...all } = counts(rules);
  const head = attributes({ name: prefix, ...all, time: seconds(report.duration_ms) });
  const declaration = '<?xml version="1.0" encoding="UTF-8"?>';
  return `${declaration}\n<testsuites${head}>\n${suites.join('')}</testsuites>\n`;
}

function counts(rules: readonly ReportRule[]) {
  const of = (kind: Kind) => rules.filter(({ verdict }) => KIND_OF[verdict] === kind).length;
  return {
    tests: rules.length,
    failures: of('failure'),
    errors: of('error'),
    skipped: of('skipped'),
  };
}

/** Every body starts with the text of the rule, because the name is only its id. */
function testCase(rule: ReportRule, report: Report, classname: string, ms: number): string {
  const { id, words, verdict, reason, unlock } = rule;
  const kind = KIND_OF[verdict];
  const { name, meaning } = vocabularyOf(report).verdicts[verdict];
  const telling = tellingFindings(rule);
  const proofs = telling.map((each) => textOf(findingDetail(each, report), UNWRAPPED).join('\n'));
  const body = [words, ...proofs].join('\n\n');
  const [first] = telling;
  const expected =
    first === undefined || kind === 'skipped' ? '' : `expected ${first.expected}, but `;
  const add = unlock.length > 0 ? `add ${unlock.join('; ')}` : undefined;
  const why = kind === 'skipped' ? (first?.actual ?? meaning) : whyNot(rule);
  const message = `${name}: ${expected}${reason ?? add ?? why}`.slice(0, 500);
  const type = kind === 'skipped' ? {} : { type: verdict };
  const element = kind === 'passed' ? 'system-out' : kind;
  const result = kind === 'passed' ? '' : attributes({ message, ...type });
  const head = attributes({ classname, name: id, time: seconds(ms) });
  const child = `      <${element}${result}>${escapeXml(body)}</${element}>\n`;
  return `    <testcase${head}>\n${child}    </testcase>\n`;
}

/**
 * The time of the run, divided among the rules by the time of their scenarios: scenarios overlap, so
 * their own times add up to more.
 */
function timesOf({ rules, scenarios, duration_ms: whole }: Report): (id: string) => number {
  const weights = new Map(rules.map(({ id }) => [id, 0]));
  for (const { rules: own, duration_ms: ms } of scenarios) {
    for (const id of own) weights.set(id, (weights.get(id) ?? 0) + ms / own.length);
  }
  const sum = rules.reduce((total, { id }) => total + weights.get(id)!, 0);
  return (id) => (sum === 0 ? 0 : (weights.get(id)! / sum) * whole);
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(3);
}

function attributes(values: Readonly<Record<string, string | number>>): string {
  return Object.entries(values)
    .map(([name, value]) => ` ${name}="${escapeXml(`${value}`).replaceAll('\n', '&#10;')}"`)
    .join('');
}

/** XML 1.0 cannot hold most control characters, lone surrogates, U+FFFE and U+FFFF. */
const NOT_XML = /[^\t\n\x20-\x7e\u{a0}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu;

function escapeXml(text: string): string {
  return text
    .replaceAll('\r', '')
    .replace(NOT_XML, '\ufffd')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

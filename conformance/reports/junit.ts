// The report as JUnit XML, as CI servers read it: a suite for each family, a test case for each
// rule or check, with its id as the name.
import { parseUrl } from '../../fixtures/parse-url.ts';
import { citedBy, membersOf, sectionsOf, tellingFindings, whyNot } from './document.ts';
import { pathOf, requestLine, timelineRequest, timelineResult } from './exchanges.ts';
import type { Report, ReportFinding, ReportRule } from './report.ts';
import { vocabularyOf } from './verdict-words.ts';

type Kind = 'passed' | 'failure' | 'error' | 'skipped';

/** What could not be judged is an error, so that a CI server does not count it as passed. */
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

/** In the form of Jenkins' schema: `skipped` is a count of a suite, and not of all suites. */
export function junitReport(report: Report): string {
  const prefix = `conformance${report.judge === undefined ? '' : `.${report.judge}`}`;
  const families = [...new Set(report.rules.map((each) => each.family))];
  const times = timesOf(report);
  const suites = families.map((family, at) => {
    const own = report.rules.filter((each) => each.family === family);
    const name = `${prefix}.${family}`;
    const cases = own.map((rule) => testCase(rule, report, name, times.get(rule.id)!));
    const head = xmlAttributes({
      name,
      ...counts(own),
      time: seconds(own.reduce((sum, { id }) => sum + times.get(id)!, 0)),
      timestamp: report.started_at.replace(/\.\d+Z$/, ''),
      hostname: hostOf(report.target.base_url),
    });
    const last = at === families.length - 1 ? inventoryPart(report) : '';
    return `  <testsuite${head}>\n${cases.join('')}${last}  </testsuite>\n`;
  });
  const { skipped: _, ...all } = counts(report.rules);
  const head = xmlAttributes({ name: prefix, ...all, time: seconds(report.duration_ms) });
  const declaration = '<?xml version="1.0" encoding="UTF-8"?>';
  return `${declaration}\n<testsuites${head}>\n${suites.join('')}</testsuites>\n`;
}

function inventoryPart(report: Report): string {
  const last = sectionsOf(report).filter(({ place }) => place === 'last');
  if (last.length === 0) return '';
  const lines = last.flatMap(({ entries }) => entries.map(({ text }) => text));
  return `    <system-out>${escapeXml(lines.join('\n'))}</system-out>\n`;
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

/** Every body begins with the words of the rule, because the name is only its id. */
function testCase(rule: ReportRule, report: Report, classname: string, ms: number): string {
  const kind = KIND_OF[rule.verdict];
  const { name, meaning } = vocabularyOf(report).verdicts[rule.verdict];
  const telling = tellingFindings(rule);
  const proof = telling.map((each) => findingText(each, report));
  const body = escapeXml([rule.words, ...proof].join('\n\n'));
  const [first] = telling;
  const expected =
    first === undefined || kind === 'skipped' ? '' : `expected ${first.expected}, but `;
  const add = rule.unlock.length > 0 ? `add ${rule.unlock.join('; ')}` : undefined;
  const why = kind === 'skipped' ? (first?.actual ?? meaning) : whyNot(rule);
  const message = cut(`${name}: ${expected}${rule.reason ?? add ?? why}`);
  const type = kind === 'skipped' ? {} : { type: rule.verdict };
  const element = kind === 'passed' ? 'system-out' : kind;
  const result = kind === 'passed' ? '' : xmlAttributes({ message, ...type });
  const head = xmlAttributes({ classname, name: rule.id, time: seconds(ms) });
  const child = `      <${element}${result}>${body}</${element}>\n`;
  return `    <testcase${head}>\n${child}    </testcase>\n`;
}

function findingText(finding: ReportFinding, report: Report): string {
  const lines = citedBy(report, finding).map((each) => {
    if (vocabularyOf(report).isTimeline)
      return `call      ${each.n}. ${timelineRequest(each)} -> ${timelineResult(each)}`;
    const status = each.response === null ? (each.failure ?? 'no response') : each.response.status;
    return `exchange  ${each.n}. ${requestLine(each)} -> ${status}`;
  });
  const example = finding.advice?.example;
  return [
    ...membersOf(finding, report).map(([name, text]) => `${name.padEnd(9)} ${text}`),
    ...(example === undefined ? [] : ['', example, '']),
    ...lines,
  ].join('\n');
}

/**
 * The time of the run in whole milliseconds, shared among the rules in proportion to the time of
 * their scenarios: scenarios overlap, so that their own times add up to more than the run took.
 */
function timesOf({ rules, scenarios, duration_ms: whole }: Report): Map<string, number> {
  const weights = new Map(rules.map(({ id }) => [id, 0]));
  for (const { rules: own, duration_ms: ms } of scenarios) {
    for (const id of own) {
      const weight = weights.get(id);
      if (weight !== undefined) weights.set(id, weight + ms / own.length);
    }
  }
  const sum = [...weights.values()].reduce((total, each) => total + each, 0);
  const last = rules.at(-1)?.id;
  let before = 0;
  let soFar = 0;
  const times = [...weights].map(([id, weight]): [string, number] => {
    soFar += weight;
    const share = sum === 0 ? 0 : soFar / sum;
    const until = id === last ? whole : Math.round(share * whole);
    const own = until - before;
    before = until;
    return [id, own];
  });
  return new Map(times);
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(3);
}

function hostOf(url: string): string {
  return parseUrl(url)?.host ?? pathOf(url);
}

function cut(text: string): string {
  return text.length <= 500 ? text : `${text.slice(0, 499)}…`;
}

function xmlAttributes(values: Readonly<Record<string, string | number>>): string {
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

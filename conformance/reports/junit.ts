// The report as JUnit XML, in the form that CI servers read: a suite a family, a test case a rule.
import { pathOf, requestLine } from './exchange-lines.ts';
import { inventoryLines } from './inventory/inventory-words.ts';
import type { Report, ReportFinding, ReportRule } from './report.ts';
import { adviceOf, verdictWords } from './verdict-words.ts';
import { escapeXml, xmlAttributes } from './xml-text.ts';

/**
 * As Jenkins' schema has it, which others take as well: `skipped` stands on a suite, not on all of
 * them, and times are those of the cases, so that they add up.
 */
export function junitReport(report: Report): string {
  const families = [...new Set(report.rules.map((each) => each.family))];
  const msOf = timesByRule(report);
  const sumMs = (rules: readonly ReportRule[]) =>
    rules.reduce((total, { id }) => total + (msOf.get(id) ?? 0), 0);
  const suites = families.map((family, at) => {
    const own = report.rules.filter((each) => each.family === family);
    const cases = own.map((rule) => testCase(rule, report, msOf.get(rule.id) ?? 0));
    const head = xmlAttributes({
      name: `conformance.${family}`,
      ...counts(own),
      time: seconds(sumMs(own)),
      timestamp: report.started_at.replace(/\.\d+Z$/, ''),
      hostname: hostOf(report.target.base_url),
    });
    const last = at === families.length - 1 ? inventoryPart(report) : '';
    return `  <testsuite${head}>\n${cases.join('')}${last}  </testsuite>\n`;
  });
  const { skipped: _, ...all } = counts(report.rules);
  const head = xmlAttributes({ name: 'conformance', ...all, time: seconds(sumMs(report.rules)) });
  const declaration = '<?xml version="1.0" encoding="UTF-8"?>';
  return `${declaration}\n<testsuites${head}>\n${suites.join('')}</testsuites>\n`;
}

function inventoryPart({ inventory }: Report): string {
  if (inventory === undefined) return '';
  const text = inventoryLines(inventory).join('\n');
  return `    <system-out>${escapeXml(text)}</system-out>\n`;
}

type Kind = 'passed' | 'failure' | 'error' | 'skipped';

/** What could not be judged is an error, so that a CI server does not count it as kept. */
function kindOf(rule: ReportRule): Kind {
  switch (rule.verdict) {
    case 'deviates':
      return 'failure';
    case 'blocked':
    case 'inconclusive':
    case 'harness_error':
      return 'error';
    case 'not_tested':
    case 'not_selected':
    case 'known':
      return 'skipped';
    case 'passed':
    case 'advisory':
      return 'passed';
  }
}

function counts(rules: readonly ReportRule[]) {
  const of = (kind: Kind) => rules.filter((each) => kindOf(each) === kind).length;
  return {
    tests: rules.length,
    failures: of('failure'),
    errors: of('error'),
    skipped: of('skipped'),
  };
}

function testCase(rule: ReportRule, report: Report, ms: number): string {
  const head = xmlAttributes({
    classname: `conformance.${rule.family}`,
    name: `${rule.id} ${rule.words}`,
    time: seconds(ms),
  });
  const inside = insideOf(rule, report);
  if (inside === '') return `    <testcase${head}/>\n`;
  return `    <testcase${head}>\n${inside}    </testcase>\n`;
}

function insideOf(rule: ReportRule, report: Report): string {
  const kind = kindOf(rule);
  const { name, meaning } = verdictWords[rule.verdict];
  const telling = rule.findings.filter((each) => each.verdict === rule.verdict);
  const proof = telling.map((each) => findingText(each, report)).join('\n\n');
  if (kind === 'skipped') {
    const why = rule.reason ?? (rule.unlock.length > 0 ? `add ${rule.unlock.join('; ')}` : meaning);
    const message = `${name}: ${telling[0]?.actual ?? why}`;
    return `      <skipped${xmlAttributes({ message })}/>\n`;
  }
  if (kind === 'passed') {
    return proof === '' ? '' : `      <system-out>${escapeXml(`${name}\n${proof}`)}</system-out>\n`;
  }
  const first = telling[0];
  const message =
    first === undefined
      ? `${name}: ${meaning}`
      : `${name}: expected ${first.expected}, but ${first.actual}`;
  const head = xmlAttributes({ message: cut(message), type: rule.verdict });
  return `      <${kind}${head}>${escapeXml(`${rule.words}\n\n${proof}`)}</${kind}>\n`;
}

function findingText(finding: ReportFinding, report: Report): string {
  const scenario = report.scenarios.find((each) => each.id === finding.scenario);
  const shown = (scenario?.exchanges ?? []).filter((each) => finding.exchanges.includes(each.n));
  const lines = shown.map((each) => {
    const status = each.response === null ? (each.failure ?? 'no answer') : each.response.status;
    return `exchange  ${each.n}. ${requestLine(each)} -> ${status}`;
  });
  return [
    `scenario  ${finding.scenario}${scenario === undefined ? '' : `: ${scenario.title}`}`,
    `expected  ${finding.expected}`,
    `actual    ${finding.actual}`,
    ...adviceOf(finding).map(([name, words]) => `${name.padEnd(9)} ${words}`),
    ...lines,
    `try again ${finding.replay}`,
  ].join('\n');
}

/**
 * Each scenario's time shared out over the rules that it judged, in whole milliseconds, so that
 * nothing is lost on the way to the sum.
 */
function timesByRule(report: Report): Map<string, number> {
  const times = new Map<string, number>();
  for (const { rules, duration_ms: ms } of report.scenarios) {
    const each = Math.floor(ms / rules.length);
    rules.forEach((id, at) => {
      const rest = at === 0 ? ms - each * rules.length : 0;
      times.set(id, (times.get(id) ?? 0) + each + rest);
    });
  }
  return times;
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(3);
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : pathOf(url);
}

function cut(text: string): string {
  return text.length <= 500 ? text : `${text.slice(0, 499)}…`;
}

// The report on a client as JUnit XML, in the form that CI servers read: a test case a check.
import { escapeXml, xmlAttributes } from '../../reports/xml-text.ts';
import type { ClientReport, ReportCheck, ReportFinding, ReportVerdict } from '../report.ts';
import { callsOf, clock, recordingAt, request, result } from './timeline.ts';
import { byKind, typed, verdictWords } from './words.ts';

type Kind = 'passed' | 'failure' | 'error' | 'skipped';

/** What could not be judged is an error, so that a CI server does not count it as right. */
const kinds: Readonly<Record<ReportVerdict, Kind>> = {
  fails: 'failure',
  inconclusive: 'error',
  known: 'skipped',
  not_met: 'skipped',
  not_selected: 'skipped',
  advisory: 'passed',
  passed: 'passed',
};

export function junitReport(report: ClientReport): string {
  const of = (kind: Kind) => report.checks.filter(({ verdict }) => kinds[verdict] === kind).length;
  const counts = {
    tests: report.checks.length,
    failures: of('failure'),
    errors: of('error'),
    skipped: of('skipped'),
    time: (report.duration_ms / 1000).toFixed(3),
  };
  const suite = xmlAttributes({
    name: 'conformance.client',
    ...counts,
    timestamp: report.started_at.replace(/\.\d+Z$/, ''),
    hostname: typed(report.command),
  });
  const times = shares(report);
  const cases = report.checks.map((check, at) => testCase(check, report, times[at]!)).join('');
  // Jenkins' schema has it on a suite only.
  const { skipped: _, ...all } = counts;
  const whole = xmlAttributes({ name: 'conformance', ...all });
  const declaration = '<?xml version="1.0" encoding="UTF-8"?>';
  const inside = `  <testsuite${suite}>\n${cases}  </testsuite>\n`;
  return `${declaration}\n<testsuites${whole}>\n${inside}</testsuites>\n`;
}

/** Checks share their runs, so each has its share of the time: together they are the whole. */
function shares({ checks, duration_ms: ms }: ClientReport): number[] {
  const whole = Math.round(ms);
  const judged = checks.filter(({ verdict }) => kinds[verdict] !== 'skipped').length;
  const each = judged === 0 ? 0 : Math.floor(whole / judged);
  let rest = whole;
  return checks.map(({ verdict }, at) => {
    const isLast = at === checks.length - 1;
    const own = isLast ? rest : kinds[verdict] === 'skipped' ? 0 : Math.min(each, rest);
    rest -= own;
    return own;
  });
}

function testCase(check: ReportCheck, report: ClientReport, ms: number): string {
  const name = `${check.id} ${check.title}`;
  const head = xmlAttributes({
    classname: 'conformance.client',
    name,
    time: (ms / 1000).toFixed(3),
  });
  const inside = insideOf(check, report);
  if (inside === '') return `    <testcase${head}/>\n`;
  return `    <testcase${head}>\n${inside}    </testcase>\n`;
}

function insideOf(check: ReportCheck, report: ClientReport): string {
  const kind = kinds[check.verdict];
  const { name, meaning } = verdictWords[check.verdict];
  const [first] = check.findings;
  const why = check.reason ?? first?.actual ?? check.why ?? meaning;
  if (kind === 'skipped') {
    return `      <skipped${xmlAttributes({ message: `${name}: ${why}` })}/>\n`;
  }
  const proof = byKind(check).map((group) => findingText(group, report));
  if (kind === 'passed') {
    const text = [name, ...proof].join('\n\n');
    return proof.length === 0 ? '' : `      <system-out>${escapeXml(text)}</system-out>\n`;
  }
  const words = [
    check.orders,
    ...proof,
    `a right client  ${check.expected}`,
    `at stake        ${check.at_stake}`,
    `mend            ${check.mend.words}`,
    check.mend.example,
    `try again       ${first?.replay ?? ''}`,
  ];
  const head = xmlAttributes({ message: `${name}: ${why}`.slice(0, 500), type: check.verdict });
  return `      <${kind}${head}>${escapeXml(words.join('\n\n'))}</${kind}>\n`;
}

function findingText(group: readonly ReportFinding[], report: ClientReport): string {
  const [first] = group;
  const recording = first === undefined ? undefined : recordingAt(report, first.run);
  if (first === undefined || recording === undefined) return '';
  const lines = callsOf(recording, first).map(
    (call) => `${clock(call.at_ms)}  ${call.n}. ${request(call)} -> ${result(call)}`,
  );
  const places = group.map(({ place }) => place).join('; ');
  return [`at              ${places}`, `your client     ${first.actual}`, ...lines].join('\n');
}

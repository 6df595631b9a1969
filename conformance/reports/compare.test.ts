// Compares two reports: a new or different failure is worse, and so is a rule that is no longer
// tested; a failure that is gone is better; differences caused by load do not count.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Verdict } from '../engine/types.ts';
import { compareReports, comparisonDocument } from './compare.ts';
import { markdownPage } from './markdown.ts';
import type { Report, ReportRule } from './report.ts';
import { findingOf, NASTY, sampleReport } from './testing/sample-report.ts';
import { textPage } from './text.ts';

const compare = suite('compare');

function reportOf(verdict: Verdict, ...failures: string[]): Report {
  const findings = failures.map((fingerprint) =>
    findingOf({ actual: `${fingerprint} ${NASTY}`, fingerprint }),
  );
  const rule: ReportRule = { ...sampleReport.rules[0]!, id: 'ACC-1', verdict, findings };
  return { ...sampleReport, rules: [rule], observed: [] };
}

const CASES: [old: Report, now: Report, verdict: string, kinds: string][] = [
  [reportOf('passed'), reportOf('passed'), 'same', ''],
  [reportOf('passed'), reportOf('deviates', 'a'), 'worse', 'new'],
  [reportOf('not_tested'), reportOf('deviates', 'a'), 'worse', 'new'],
  [reportOf('deviates', 'a'), reportOf('deviates', 'a'), 'same', ''],
  [reportOf('deviates', 'a'), reportOf('deviates', 'b'), 'worse', 'changed'],
  [reportOf('deviates', 'a'), reportOf('deviates', 'a', 'b'), 'worse', 'changed'],
  [reportOf('deviates', 'a', 'b'), reportOf('deviates', 'a'), 'same', ''],
  [reportOf('deviates', 'a'), reportOf('passed'), 'better', 'gone'],
  [reportOf('deviates', 'a'), reportOf('blocked'), 'worse', 'lost'],
  [reportOf('passed'), reportOf('inconclusive'), 'same', 'unclear'],
  [reportOf('deviates', 'a'), reportOf('inconclusive'), 'same', 'unclear'],
  [reportOf('inconclusive'), reportOf('passed'), 'same', 'unclear'],
  [reportOf('inconclusive'), reportOf('deviates', 'a'), 'worse', 'new'],
  // Figures change with the load; a status does not.
  [reportOf('deviates', '17 of 20'), reportOf('deviates', '4 of 20'), 'same', ''],
  [reportOf('deviates', 'got 422'), reportOf('deviates', 'got 500'), 'worse', 'changed'],
  [reportOf('passed'), reportOf('not_tested'), 'worse', 'lost'],
  [reportOf('passed'), reportOf('not_selected'), 'same', ''],
  [reportOf('not_tested'), reportOf('passed'), 'better', 'tested'],
  [reportOf('not_selected'), reportOf('passed'), 'same', ''],
  // A failure in the baseline still counts as a failure.
  [reportOf('deviates', 'a'), reportOf('known', 'a'), 'same', ''],
  [reportOf('passed'), { ...reportOf('passed'), rules: [] }, 'worse', 'lost'],
];
for (const [old, now, verdict, kinds] of CASES) {
  const name = (each: Report) => each.rules.map((rule) => [rule.verdict, rule.findings.length]);
  compare(`${name(old)} then ${name(now)}: ${verdict} ${kinds}`, () => {
    const seen = compareReports(old, now);
    assert.is(seen.verdict, verdict);
    assert.is(seen.changes.map(({ kind }) => kind).join(), kinds);
  });
}

compare('a different answer to an open question is reported, and is not worse', () => {
  const row = sampleReport.observed[0]!;
  const [old, now] = ['422', '403'].map((observed) => ({
    ...reportOf('passed'),
    observed: [{ ...row, id: 'NS-6', observed, settings: {} }],
  }));
  const seen = compareReports(old!, now!);
  assert.is(seen.verdict, 'same');
  const changes = seen.changes.map(({ kind, id }) => [kind, id]);
  assert.equal(changes, [['observed', 'NS-6']]);
});

compare('names that each run generates are not a different answer', () => {
  const row = { ...sampleReport.observed[0]!, id: 'NS-24' };
  const report = (observed: string, settings: object) => ({
    ...reportOf('passed'),
    observed: [{ ...row, observed, settings: settings as Record<string, unknown> }],
  });
  const kinds = (old: Report, now: Report) => compareReports(old, now).changes.length;
  assert.is(kinds(report('"+447" reads "1"', {}), report('"+448" reads "2"', {})), 0);
  assert.is(kinds(report('a', { phones: 'kept' }), report('b', { phones: 'kept' })), 0);
  assert.is(kinds(report('a', { phones: 'kept' }), report('a', { phones: 'other' })), 1);
});

compare('as text and as Markdown, for any text of a target', () => {
  const seen = compareReports(reportOf('passed'), reportOf('deviates', 'a', 'a'));
  const document = comparisonDocument(seen);
  const text = textPage(document, { color: false, width: 80 }).join('\n');
  assert.is(text.split('expected').length, 2, 'each failure once');
  assert.match(text, /New deviations \(1\)\n {2}ACC-1/);
  assert.match(text, /worse: \S+ compared with \S+: New deviations \(1\)/);
  const page = markdownPage(document);
  assert.match(page, '## New deviations (1)');
  assert.not.match(page, '<script>');
  for (const each of [text, page]) assert.not.match(each, '\u001b');
});

compare.run();

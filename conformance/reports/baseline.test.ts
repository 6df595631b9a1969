// A baseline accepts the failures that it names and no others, until they expire.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  type AcceptedEntry,
  applyBaseline,
  type BaselineEntry,
  parseBaseline,
  UNEXPLAINED,
  updatedBaseline,
} from './baseline.ts';
import type { Report, ReportFinding, ReportRule } from './report.ts';
import { findingOf, sampleReport } from './testing/sample-report.ts';
import { headline } from './verdict-words.ts';

const TODAY = '2026-06-01';
const NOW_MS = Date.parse('2026-06-01T10:00:00Z');

const finding = (fingerprint: string, scenario = 's') => findingOf({ scenario, fingerprint });

/** A report in which ACC-1 fails in these ways, or passes if there are none. */
function reportOf(...findings: ReportFinding[]): Report {
  const verdict = findings.length > 0 ? 'deviates' : 'passed';
  const rule: ReportRule = { ...sampleReport.rules[0]!, id: 'ACC-1', verdict, findings };
  const [scenario] = sampleReport.scenarios;
  const ids = [...new Set(['s', ...findings.map((each) => each.scenario)])];
  const scenarios = ids.map((id) => {
    const fails = findings.some((each) => each.scenario === id);
    return { ...scenario!, id, by_rule: { 'ACC-1': fails ? 'deviates' : 'passed' } as const };
  });
  return { ...sampleReport, verdict, rules: [rule], scenarios, baseline: null } as Report;
}

const entry = (fingerprint: string, parts: Partial<BaselineEntry> = {}): BaselineEntry => ({
  ...{ rule: 'ACC-1', scenario: 's', fingerprint, reason: 'ticket 7', expires: null },
  ...parts,
});

const A = 'aaaaaaaaaaaa';
const B = 'bbbbbbbbbbbb';

const accepted: AcceptedEntry = {
  rules: ['ACC-1'],
  lacks: ['receiver'],
  reason: 'no tunnel',
  expires: null,
};

const apply = (report: Report, known: readonly BaselineEntry[], strict = false) =>
  applyBaseline(report, { known }, TODAY, strict);

const baseline = suite('baseline');

const CASES: readonly (readonly [
  name: string,
  failures: readonly ReportFinding[],
  known: readonly BaselineEntry[],
  /** Verdict of the rule, then how many entries are stale and expired. */
  seen: string,
])[] = [
  ['the failure that is known', [finding(A)], [entry(A)], 'known 0 0'],
  ['another failure of the rule', [finding(B)], [entry(A)], 'deviates 0 0'],
  ['one known, one new', [finding(A), finding(B)], [entry(A)], 'deviates 0 0'],
  ['both known', [finding(A), finding(B)], [entry(A), entry(B)], 'known 0 0'],
  ['in another scenario', [finding(A, 't')], [entry(A)], 'deviates 1 0'],
  ['fails no longer', [], [entry(A)], 'passed 1 0'],
  ['its date is past', [finding(A)], [entry(A, { expires: '2026-05-31' })], 'deviates 0 1'],
  ['its date is today', [finding(A)], [entry(A, { expires: TODAY })], 'known 0 0'],
  ['a scenario that is no more', [], [entry(A, { scenario: 'gone' })], 'passed 1 0'],
  ['a rule that is no more', [], [entry(A, { rule: 'ACC-99' })], 'passed 1 0'],
  ['nothing is known', [finding(A)], [], 'deviates 0 0'],
];
for (const [name, failures, known, expected] of CASES) {
  baseline(`${name}: ${expected}`, () => {
    const { rules, verdict, baseline: used, summary } = apply(reportOf(...failures), known);
    const seen = `${rules[0]!.verdict} ${used!.stale.length} ${used!.expired.length}`;
    assert.is(seen, expected);
    assert.is(verdict, expected.startsWith('deviates') ? 'deviates' : 'conformant');
    assert.is(summary.known, expected.startsWith('known') ? 1 : 0);
  });
}

baseline('a known rule shows its reason, and deviates under --strict', () => {
  const { reason, until } = apply(reportOf(finding(A)), [entry(A, { expires: TODAY })]).rules[0]!;
  assert.equal([reason, until], ['ticket 7', TODAY]);
  assert.is(apply(reportOf(finding(A)), [entry(A)], true).verdict, 'deviates');
});

baseline('an entry that was not tried this time is not stale', () => {
  const report = reportOf();
  for (const verdict of ['not_tested', 'blocked', 'inconclusive', 'not_selected'] as const) {
    const scenarios = [{ ...report.scenarios[0]!, by_rule: { 'ACC-1': verdict } }];
    const seen = apply({ ...report, scenarios }, [entry(A)]);
    assert.is(seen.baseline!.stale.length, 0, verdict);
    const kept = updatedBaseline({ ...report, scenarios }, { known: [entry(A)] }, NOW_MS);
    assert.is(kept.known.length, 1, verdict);
  }
});

baseline('an update adds new entries, keeps reasons, and removes stale entries', () => {
  const updated = (report: Report, before: readonly BaselineEntry[]) =>
    updatedBaseline(report, { known: before }, NOW_MS).known.map(
      ({ expected, actual, ...known }) => known,
    );
  const kept = entry(A, { expires: '2027-01-01' });
  assert.equal(updated(reportOf(finding(A)), [kept, entry(B)]), [kept]);
  const expired = entry(A, { expires: '2020-01-01' });
  assert.equal(updated(reportOf(finding(A)), [expired]), [entry(A, { expires: '2026-08-30' })]);
  const drafted = { reason: UNEXPLAINED, expires: '2026-08-30' };
  const both = reportOf(finding(A), finding(B));
  assert.equal(updated(both, []), [entry(A, drafted), entry(B, drafted)]);
});

const untested = (parts: object) => ({ known: [], not_tested: [{ ...accepted, ...parts }] });
const known = (parts: object) => ({ known: [{ ...entry(A), ...parts }] });

const WRONG: [given: unknown, words: RegExp][] = [
  [null, /the baseline must be an object/],
  [{}, /known is missing/],
  [{ known: [], extra: 1 }, /extra is not known/],
  [{ schema: 2, known: [] }, /schema must be 1/],
  [{ known: [7] }, /known\[0\] must be an object/],
  [known({ reason: ' ' }), /known\[0\]\.reason is "": write why ACC-1 in s is accepted/],
  [known({ reason: 'Not explained yet.' }), /write why ACC-1 in s is accepted/],
  [{ known: [], not_tested: {} }, /not_tested must be a list/],
  [untested({ rules: [] }), /not_tested\[0\]\.rules must have at least 1/],
  [untested({ reason: '' }), /reason is "": write why ACC-1 need not be tested/],
  [untested({ reason: UNEXPLAINED }), /reason is "not explained yet"/],
  [known({ fingerprint: 'x' }), /known\[0\]\.fingerprint .*12 hex/],
  [known({ expires: 'soon' }), /known\[0\]\.expires .*A date such as/],
  [known({ expires: '2026-99-99' }), /expires .*A date such as/],
  [{ known: [entry(A), { ...entry(B), why: 'x' }] }, /known\[1\]\.why is not known/],
];
for (const [given, words] of WRONG) {
  baseline(`refused: ${JSON.stringify(given).slice(0, 60)}`, () => {
    assert.match((parseBaseline(given).problems ?? []).join('\n'), words);
  });
}

/** ACC-1 could not be tested because this is missing. */
function untried(unlock: string[], lost: string[] = []): Report {
  const report = reportOf();
  const rule: ReportRule = { ...report.rules[0]!, verdict: 'not_tested', unlock, lost };
  return { ...report, rules: [rule, { ...rule, id: 'ACC-2', verdict: 'passed' }] };
}

const WANTS: [name: string, report: Report, entry: AcceptedEntry, run: string][] = [
  ['lacking what is accepted', untried(['receiver']), accepted, 'conformant'],
  ['lacking more', untried(['receiver', 'plan']), accepted, 'incomplete'],
  ['another rule', untried(['receiver']), { ...accepted, rules: ['ACC-3'] }, 'incomplete'],
  ['what was given is of no use now', untried(['receiver'], ['receiver']), accepted, 'incomplete'],
  ['its date is past', untried(['plan']), { ...accepted, expires: '2026-05-31' }, 'incomplete'],
];
for (const [name, report, entry, run] of WANTS) {
  baseline(`accepted as not tested, ${name}: ${run}`, () => {
    const seen = applyBaseline(report, { known: [], not_tested: [entry] }, TODAY, false);
    assert.is(seen.verdict, run);
    assert.is(seen.baseline!.accepted, run === 'conformant' ? 1 : 0);
    assert.is(seen.rules[0]!.verdict, 'not_tested');
  });
}

baseline('an update groups untested rules by missing capability, and keeps reasons', () => {
  const report = untried(['receiver']);
  const more = { ...report.rules[0]!, id: 'ACC-4', unlock: ['plan'] };
  const both = { ...report, rules: [...report.rules, more, { ...more, id: 'ACC-5' }] };
  const updated = updatedBaseline(both, { known: [], not_tested: [accepted] }, NOW_MS);
  assert.equal(updated.not_tested, [
    accepted,
    { rules: ['ACC-4', 'ACC-5'], lacks: ['plan'], reason: UNEXPLAINED, expires: null },
  ]);
  const lost = updatedBaseline(untried(['receiver'], ['receiver']), { known: [] }, NOW_MS);
  assert.equal(lost.not_tested, []);
});

baseline('rules that need a control plane are one entry, whatever they need it for', () => {
  const plane = (id: string, to: string): ReportRule => {
    return { ...untried([`a control plane (--control-url), to ${to}`]).rules[0]!, id };
  };
  const [first, other] = [plane('ACC-1', 'move its clock'), plane('ACC-7', 'make events')];
  const updated = (rules: readonly ReportRule[], not_tested: readonly AcceptedEntry[] = []) =>
    updatedBaseline({ ...reportOf(), rules }, { known: [], not_tested }, NOW_MS).not_tested!;
  const [drafted, ...rest] = updated([first, other]);
  assert.equal(rest, []);
  assert.equal(drafted!.rules, ['ACC-1', 'ACC-7']);
  assert.equal(drafted!.lacks, ['a control plane (--control-url)']);
  const explained = [{ ...drafted!, reason: 'staging has none' }];
  const whole = { ...reportOf(), rules: [first, other, { ...first, verdict: 'passed' as const }] };
  const seen = applyBaseline(whole, { known: [], not_tested: explained }, TODAY, false);
  assert.is(seen.verdict, 'conformant');
  assert.equal(updated([first, { ...other, verdict: 'not_selected' }], explained), explained);
});

baseline('a rule that a known deviation keeps from being judged is known as well', () => {
  const report = reportOf(finding(A));
  const blocked = findingOf({ verdict: 'blocked', fingerprint: B });
  const verdictsWith = (known: readonly BaselineEntry[], ...findings: ReportFinding[]) => {
    const rest: ReportRule = { ...report.rules[0]!, id: 'ACC-14', verdict: 'blocked', findings };
    const seen = apply({ ...report, rules: [...report.rules, rest] }, known);
    return `${seen.rules[1]!.verdict}: ${headline(seen)}`;
  };
  const follows = { ...blocked, because_of: 'ACC-1' };
  assert.match(verdictsWith([entry(A)], follows), /^known: breaks no other rule; .*; 1 rule/);
  assert.is(verdictsWith([], follows), 'blocked: breaks 1 rule');
  // If another capability is missing as well, the rule still counts as open.
  assert.match(verdictsWith([entry(A)], follows, blocked), /^blocked: .* not everything/);
});

baseline.run();

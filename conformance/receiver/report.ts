// The report on a receiver in the common form: each check stands as a rule, and findings with one
// cause stand together.
import { fingerprintOf } from '../engine/judge/fingerprint.ts';
import { countVerdicts, verdictOfRun } from '../reports/build-report.ts';
import { reportExchange } from '../reports/exchanges.ts';
import type { Redactor } from '../reports/redact.ts';
import type { Report, ReportCause, ReportRule, ReportScenario } from '../reports/report.ts';
import { type Check, groupWords } from './check.ts';
import type { CheckResult, ReceiverRun } from './run.ts';

export interface ReceiverReportOptions {
  readonly version: string;
  readonly url: string;
  readonly run: ReceiverRun;
  readonly redactor: Redactor;
  readonly strict?: boolean;
  /** A command that tries one check again. */
  readonly replay: (check: Check) => string;
}

export function receiverReport(options: ReceiverReportOptions): Report {
  const { version, url, run, redactor, replay } = options;
  const rules = run.results.map((result) => ruleOf(result, redactor, replay));
  const notes = [
    ...(run.refused === null ? [] : [`Nothing was judged: ${run.refused}.`.replace('?.', '?')]),
    ...run.observed,
  ];
  return {
    schema: 1,
    judge: 'receiver',
    tool: { name: 'conformance', version },
    target: { base_url: redactor.text(url), control_url: null },
    seed: 1,
    started_at: run.startedAt,
    duration_ms: Math.round(run.durationMs),
    verdict: verdictOfRun({ judge: 'receiver', rules }, options.strict),
    summary: countVerdicts(rules),
    requests: run.requests,
    interrupted: run.interrupted,
    mark: 'receiver',
    notes: notes.map((note) => redactor.text(note)),
    causes: causesIn(run),
    rules,
    scenarios: run.results.map((result) => scenarioOf(result, redactor)),
    observed: [],
    unlock: [],
    baseline: null,
  };
}

const wholeDigest =
  'Compare whole digests of equal length, every character of them, in constant time.';

/** What many checks have in common, the most general cause first. */
const causes: readonly (readonly [title: string, mend: string, checks: RegExp])[] = [
  [
    'no age check',
    'Refuse when t is more than five minutes from your clock, in both directions; t is in milliseconds.',
    /^RCV-refuses-(six-minutes|ten-minutes|an-hour|a-day|t-zero)/,
  ],
  [
    'a t that is not a time is accepted',
    'Take exactly one t of digits alone, and refuse everything else before you compare times.',
    /^RCV-refuses-(no-t|empty-t|t-not|t-zero|two-t|two-header-lines|new-t)/,
  ],
  ['only part of the signature is compared', wholeDigest, /^RCV-refuses-(\w+(-\w+)*)-v1$/],
  [
    'not the raw body is verified',
    'Verify the bytes as they arrive, before parsing, and parse them afterwards.',
    /^RCV-(refuses-(byte|white|newline|members|body)|accepts-(pretty|escaped|raw|trailing|numbers|cut))/,
  ],
  [
    'a signature made without the secret is accepted',
    'Compute the HMAC with the configured secret only, and stop if no secret is configured.',
    /^RCV-refuses-(wrong-secret|empty-secret|secret-|unkeyed)/,
  ],
  [
    'the age limit is too strict',
    'Allow a difference of five minutes in both directions, in milliseconds.',
    /^RCV-accepts-(a-minute|four-minutes)/,
  ],
  [
    'not every v1 is compared',
    'Compare every v1 of the header with the digest; one match is enough.',
    /^RCV-accepts-(bad-v1|good-v1|both-secrets|previous-secret)/,
  ],
];

const lax: ReportCause = {
  title: 'signatures that the platform never makes are accepted',
  mend: 'Accept one form of signature only. These deliveries need the secret, so this is advice.',
  rules: [],
};

function causesIn(run: ReceiverRun): ReportCause[] {
  const advised = run.results.filter(
    ({ check, judgement }) =>
      judgement.verdict === 'advisory' && check.id.startsWith('RCV-advises-'),
  );
  return [...failureCauses(run), { ...lax, rules: advised.map(({ check }) => check.id) }];
}

function failureCauses({ results }: ReceiverRun): ReportCause[] {
  const failing = results.filter(({ judgement }) => judgement.verdict === 'deviates');
  const forged = results.filter(({ check }) => check.group === 'refuse');
  if (forged.length > 1 && forged.every((each) => failing.includes(each))) {
    const title = 'the signature is not checked at all';
    const mend = 'Verify the signature of every delivery before anything else, then run again.';
    return [{ title, mend, rules: forged.map(({ check }) => check.id) }];
  }
  // A delivery that ends the receiver has a cause of its own.
  const plain = failing.filter(({ judgement }) => judgement.stake === undefined);
  const left = new Set(plain.map(({ check }) => check.id));
  return causes.flatMap(([title, mend, checks]) => {
    const rules = [...left].filter((id) => checks.test(id));
    if (rules.length < 2) return [];
    for (const id of rules) left.delete(id);
    return [{ title, mend, rules }];
  });
}

function ruleOf(
  { judgement, why, check }: CheckResult,
  redactor: Redactor,
  replay: ReceiverReportOptions['replay'],
): ReportRule {
  const { id, group, title } = check;
  const { verdict, stake = check } = judgement;
  const expected = redactor.text(judgement.expected);
  const actual = redactor.text(judgement.actual);
  const isAdvised = verdict === 'deviates' || verdict === 'advisory';
  const finding = {
    scenario: id,
    verdict,
    expected,
    actual,
    exchanges: judgement.exchanges,
    ...(isAdvised ? { advice: { why: check.why, at_stake: stake.gains, mend: stake.fix } } : {}),
    replay: redactor.text(replay(check)),
    fingerprint: fingerprintOf(id, id, { expected, actual }),
  };
  return {
    id,
    family: groupWords[group],
    words: title,
    verdict,
    scenarios: [id],
    needs: [],
    unlock: [],
    lost: [],
    ...(why === null ? {} : { why: redactor.text(why) }),
    reason: null,
    findings: verdict === 'passed' ? [] : [finding],
  };
}

function scenarioOf({ check, judgement, why, exchanges }: CheckResult, redactor: Redactor) {
  const { id, title } = check;
  const { verdict, expected } = judgement;
  const shown = { rules: [id], expected, exchanges: judgement.exchanges };
  return {
    id,
    title,
    verdict,
    rules: [id],
    by_rule: { [id]: verdict },
    why: why === null ? null : redactor.text(why),
    attempts: 1,
    duration_ms: exchanges.reduce((sum, each) => sum + each.durationMs, 0),
    shown: verdict === 'passed' ? [shown] : [],
    exchanges: exchanges.map((each) => reportExchange(each, redactor)),
  } satisfies ReportScenario;
}

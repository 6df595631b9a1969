// Makes the report of a judgement: findings worst first, the runs that show them, no secret in any
// of it.
import { createHash } from 'node:crypto';
import { findRule } from '../../fixtures/rules.ts';
import type { RunVerdict } from '../engine/types.ts';
import { Redactor } from '../reports/redact.ts';
import { clipped } from '../reports/report-exchange.ts';
import { type ApiCall, endingWords, type Recording } from './call.ts';
import type { Check } from './checks/check.ts';
import type { Conclusion } from './conclude.ts';
import type { CheckResult, ClientRun } from './judge.ts';
import { whatItDoes } from './observation.ts';
import type {
  ClientReport,
  ReportCall,
  ReportCheck,
  ReportFinding,
  ReportRecording,
  ReportVerdict,
} from './report.ts';

export interface ReportOptions {
  readonly version: string;
  readonly command: readonly string[];
  readonly seed: number;
  readonly run: ClientRun;
  /** Checks that were left out. */
  readonly unselected: readonly Check[];
  /** A command that tries one check again. */
  readonly replay: (check: Check) => string;
  readonly strict: boolean;
}

export const reportVerdicts: readonly ReportVerdict[] = [
  'fails',
  'inconclusive',
  'advisory',
  'known',
  'not_met',
  'passed',
  'not_selected',
];

export function makeReport(options: ReportOptions): ClientReport {
  const { run } = options;
  const shown = new Map<number, Recording>([[1, run.seen.first]]);
  const checks = [
    ...run.results.map((result) => checkOf(result, options, shown)),
    ...options.unselected.map((check) => unselectedCheck(check)),
  ];
  const redactor = redactorOf([...shown.values()]);
  return {
    schema: 'client/1',
    tool: { name: 'conformance', version: options.version },
    command: options.command.map((word) => redactor.text(word)),
    seed: options.seed,
    started_at: run.startedAt,
    duration_ms: Math.round(run.durationMs),
    verdict: verdictOf(checks, run.unusable !== null, options.strict),
    summary: countVerdicts(checks),
    runs: run.runs,
    requests: run.requests,
    interrupted: run.interrupted,
    does: whatItDoes(run.seen),
    unusable: run.unusable,
    notes: run.notes.map((note) => redactor.text(note)),
    checks: checks.map((check) => redacted(check, redactor)),
    recordings: [...shown]
      .sort(([a], [b]) => a - b)
      .map(([n, recording]) => recordingOf(n, recording, redactor, namedCalls(checks, n))),
    baseline: null,
  };
}

function redactorOf(recordings: readonly Recording[]): Redactor {
  const redactor = new Redactor();
  const secrets = new Set(recordings.flatMap((recording) => recording.secrets));
  for (const secret of secrets) redactor.learn(secret);
  return redactor;
}

/** The verdict of the whole: what is known or advised is no failure, unless all has to be right. */
export function verdictOf(
  checks: readonly { readonly verdict: ReportVerdict }[],
  unusable: boolean,
  strict: boolean,
): RunVerdict {
  const seen = new Set(checks.map(({ verdict }) => verdict));
  if (seen.has('fails')) return 'deviates';
  if (strict && (seen.has('advisory') || seen.has('known'))) return 'deviates';
  const isGraded = seen.has('passed') || seen.has('advisory') || seen.has('known');
  if (unusable || !isGraded) return 'invalid';
  return seen.has('inconclusive') ? 'incomplete' : 'conformant';
}

export function countVerdicts(
  checks: readonly { readonly verdict: ReportVerdict }[],
): Record<ReportVerdict, number> {
  const counts = Object.fromEntries(reportVerdicts.map((each) => [each, 0]));
  for (const { verdict } of checks) counts[verdict] = (counts[verdict] ?? 0) + 1;
  return counts as Record<ReportVerdict, number>;
}

function wordsOf({ id, title, orders, expected, atStake, mend, rules }: Check) {
  return {
    id,
    title,
    orders,
    expected,
    at_stake: atStake,
    mend,
    rules: rules.map((rule) => ({ id: rule, words: findRule(rule).words })),
    reason: null,
  };
}

function unselectedCheck(check: Check): ReportCheck {
  const words = wordsOf(check);
  return { ...words, verdict: 'not_selected', why: null, places: 0, findings: [], shown: null };
}

function checkOf(
  { check, verdict, why, concluded }: CheckResult,
  options: ReportOptions,
  shown: Map<number, Recording>,
): ReportCheck {
  const told = (each: Conclusion) => {
    const { aim, outcome, run, recording, seen, plays } = each;
    shown.set(run, recording);
    const { kind, actual, calls } = outcome;
    const often = `${seen} of ${plays} run${plays === 1 ? '' : 's'}`;
    return { place: aim.words, verdict: outcome.verdict, kind, actual, seen: often, run, calls };
  };
  const bad = concluded.filter(({ outcome }) => isTold(outcome.verdict));
  const findings = bad.map((each): ReportFinding => {
    const operation = each.aim.site?.operation ?? 'all';
    const fingerprint = fingerprintOf(check.id, operation, each.outcome.kind);
    return { ...told(each), replay: options.replay(check), fingerprint };
  });
  const good = concluded.find(({ outcome }) => outcome.verdict === 'passed');
  return {
    ...wordsOf(check),
    verdict,
    why,
    places: concluded.length,
    findings: findings.sort((a, b) => order(a) - order(b)),
    shown: good === undefined ? null : told(good),
  };
}

function isTold(verdict: ReportVerdict): boolean {
  return verdict === 'fails' || verdict === 'advisory' || verdict === 'inconclusive';
}

function order({ verdict }: ReportFinding): number {
  return reportVerdicts.indexOf(verdict);
}

function fingerprintOf(...parts: readonly string[]): string {
  return createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, 12);
}

function redacted(check: ReportCheck, redactor: Redactor): ReportCheck {
  const clean = <F extends { readonly actual: string }>(finding: F): F => ({
    ...finding,
    actual: redactor.text(finding.actual),
  });
  const { findings, shown, why } = check;
  return {
    ...check,
    why: why === null ? null : redactor.text(why),
    findings: findings.map(clean),
    shown: shown === null ? null : clean(shown),
  };
}

const outputLines = 20;
const longestBody = 4_000;
/** A client that polls without a pause makes tens of thousands. */
const mostCalls = 1_000;

/** The calls of a run that something in the report speaks of. */
function namedCalls(checks: readonly ReportCheck[], run: number): ReadonlySet<number> {
  const told = checks.flatMap(({ findings, shown }) => [...findings, ...(shown ? [shown] : [])]);
  return new Set(told.filter((each) => each.run === run).flatMap(({ calls }) => calls));
}

function recordingOf(
  run: number,
  { calls, ending }: Recording,
  redactor: Redactor,
  named: ReadonlySet<number>,
) {
  const kept = calls.filter(({ n }) => n <= mostCalls || named.has(n));
  const { code, signal, killed, durationMs, output } = ending;
  const lines = output.trimEnd().split('\n').slice(-outputLines).join('\n');
  return {
    run,
    ending: {
      words: endingWords(ending),
      code,
      signal,
      killed,
      duration_ms: Math.round(durationMs),
      output: redactor.text(lines),
    },
    calls: kept.map((call) => callOf(call, redactor)),
    left_out: calls.length - kept.length,
  } satisfies ReportRecording;
}

function callOf(call: ApiCall, redactor: Redactor): ReportCall {
  const clean = (text: string | null | undefined) =>
    text === null || text === undefined || text === ''
      ? null
      : clipped(redactor.text(text), longestBody);
  const header = (lines: ApiCall['headers'] | undefined, name: string) =>
    lines?.find(([each]) => each.toLowerCase() === name)?.[1] ?? null;
  const { response, answeredAtMs, abandonedAtMs } = call;
  const isRead = call.fate === 'answered' || call.fate === 'refused';
  return {
    n: call.n,
    at_ms: Math.round(call.atMs),
    method: call.method,
    target: redactor.text(call.target),
    operation: call.operation,
    key: call.key === null ? null : redactor.known(call.key),
    if_match: header(call.headers, 'if-match'),
    body: clean(call.body),
    struck: call.struck,
    status: isRead ? (response?.status ?? null) : null,
    retry_after: isRead ? header(response?.headers, 'retry-after') : null,
    answer: isRead ? clean(response?.body) : null,
    answered_at_ms: answeredAtMs === null ? null : Math.round(answeredAtMs),
    abandoned_at_ms: abandonedAtMs === null ? null : Math.round(abandonedAtMs),
  };
}

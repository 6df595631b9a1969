// The report on a client in the common form: each check becomes a rule, each run with findings
// becomes a scenario.
import { createHash } from 'node:crypto';
import { findRule } from '../../fixtures/rules.ts';
import { shellLine } from '../../fixtures/shell-word.ts';
import { worst } from '../engine/judge/verdicts.ts';
import { checkRule, makeReport } from '../reports/build-report.ts';
import { clipped } from '../reports/exchanges.ts';
import { lastLines } from '../reports/findings.ts';
import { Redactor } from '../reports/redact.ts';
import type {
  Report,
  ReportCause,
  ReportExchange,
  ReportFinding,
  ReportRule,
  ReportScenario,
} from '../reports/report.ts';
import { count, VERDICTS } from '../reports/verdict-words.ts';
import type { CheckResult, Conclusion } from './check-play.ts';
import { reachOf } from './checks/all.ts';
import type { Check } from './checks/check.ts';
import type { ClientRun } from './judge.ts';
import { type ApiCall, endingWords, type Recording, whatItDoes } from './recording.ts';

export interface ClientReportOptions {
  readonly version: string;
  readonly command: readonly string[];
  readonly seed: number;
  readonly run: ClientRun;
  /** Checks that were left out. */
  readonly unselected: readonly Check[];
  /** A command that runs one check again. */
  readonly replay: (check: Check) => string;
  readonly strict: boolean;
}

/** Mistakes that several checks show, the most harmful first. */
const causes: readonly (readonly [kind: string, title: string, mend: string])[] = [
  [
    'new-key',
    'a repeat is sent under a new key',
    'Make the key before the first try, keep it with the request, and send both again unchanged.',
  ],
  [
    'new-reference',
    'a repeat is sent under a new reference',
    'Make the reference before the first try, and send the identical request again.',
  ],
  [
    'changed-body',
    'a repeat has another body under the same key',
    'Build the body once, keep it, and send the identical bytes again.',
  ],
  [
    'taken-for-done',
    'a write without a success is treated as done',
    'Repeat it until it succeeds, or end with an error.',
  ],
  [
    'gave-up',
    'a write is not repeated although a repeat would succeed',
    'On a lost response, 429, 500, 503 and 409 `idempotency_in_flight`, wait and send the identical request again under the same key; on 401, get a new token first.',
  ],
  ['hammers', 'repeats come too fast', 'Double the wait after each try, and add some jitter.'],
];

const harm = causes.map(([kind]) => kind);

export function clientReport(options: ClientReportOptions): Report {
  const { run, command } = options;
  const recordings = new Map<number, Recording>([[1, run.seen.first]]);
  for (const { concluded } of run.results) {
    for (const each of concluded.filter(isFinding)) recordings.set(each.run, each.recording);
  }
  const redactor = new Redactor();
  for (const { secrets } of recordings.values()) {
    for (const secret of secrets) redactor.learn(secret);
  }
  const rules = [
    ...run.results.map((result) => ruleOf(result, options, redactor)),
    ...options.unselected.map(({ id, title: words }) =>
      checkRule(
        { id, family: 'checks', words, verdict: 'not_selected', scenarios: [], findings: [] },
        null,
      ),
    ),
  ];
  const start = run.unusable === null ? [] : [sentence(redactor.text(run.unusable))];
  return makeReport(options, {
    judge: 'client',
    ...(start[0] !== undefined && { not_started: start[0] }),
    target: { base_url: redactor.text(typed(command)), control_url: null },
    seed: options.seed,
    notes: [...start, ...run.notes.map((note) => redactor.text(note))],
    causes: causesIn(run.results),
    client: {
      command: command.map((word) => redactor.text(word)),
      runs: run.runs,
      does: whatItDoes(run.seen),
    },
    rules,
    scenarios: [...recordings]
      .sort(([a], [b]) => a - b)
      .map(([n, recording]) => scenarioOf(n, recording, run.results, redactor)),
  });
}

/** A command as typed in a terminal: the shells of Windows know double quotes only. */
export function typed(command: readonly string[], platform = process.platform): string {
  if (platform !== 'win32') return shellLine(command);
  const isPlain = /^[\w@+=:,./\\-]+$/;
  return command
    .map((word) => (isPlain.test(word) ? word : `"${word.replaceAll('"', '\\"')}"`))
    .join(' ');
}

function sentence(words: string): string {
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
}

function causesIn(results: readonly CheckResult[]): ReportCause[] {
  const failing = results.filter(({ verdict }) => verdict === 'deviates');
  return causes.flatMap(([kind, title, mend]) => {
    const own = failing.filter(({ concluded }) => worstFirst(concluded)[0]?.outcome.kind === kind);
    return own.length < 2 ? [] : [{ title, mend, rules: own.map(({ check }) => check.id) }];
  });
}

function isFinding({ outcome }: Conclusion): boolean {
  return ['deviates', 'advisory', 'inconclusive'].includes(outcome.verdict);
}

/** Failures before advice; a duplicate effect before a lost one. */
function worstFirst(concluded: readonly Conclusion[]): Conclusion[] {
  const rank = ({ outcome }: Conclusion) => {
    const verdict = VERDICTS.indexOf(outcome.verdict);
    const place = harm.indexOf(outcome.kind);
    const isDoubled = outcome.doubled === true ? 0 : 1;
    return verdict * 1000 + isDoubled * 100 + (place < 0 ? harm.length : place);
  };
  return concluded.filter(isFinding).sort((a, b) => rank(a) - rank(b));
}

function ruleOf(
  { check, verdict, why, concluded }: CheckResult,
  options: ClientReportOptions,
  redactor: Redactor,
): ReportRule {
  const { id, title, orders, expected, atStake, mend, rules } = check;
  const cited = rules.map((rule) => `${rule}: ${findRule(rule).words}`);
  const advice = { why: [orders, ...cited].join(' '), at_stake: atStake, mend };
  const findings = worstFirst(concluded).map((own): ReportFinding => {
    const { aim, outcome, ...each } = own;
    const operation = aim.site?.operation ?? 'all';
    return {
      scenario: id,
      place: aim.words,
      verdict: outcome.verdict,
      expected: `The client ${expected}`,
      actual: redactor.text(outcome.actual),
      ...(check.aimsPerRun === 0 ? {} : { seen: seenWords(own, concluded) }),
      recording: `run-${each.run}`,
      exchanges: outcome.calls,
      advice,
      replay: options.replay(check),
      fingerprint: createHash('sha256')
        .update([id, operation, outcome.kind].join('\n'))
        .digest('hex')
        .slice(0, 12),
    };
  });
  const scenarios = [...new Set(findings.map(({ recording }) => recording!))];
  const unlock = verdict === 'not_tested' ? [reachOf(check)] : [];
  return checkRule(
    { ...{ id, family: 'checks', words: title, verdict }, ...{ scenarios, findings, unlock } },
    why === null ? null : redactor.text(why),
  );
}

/** A mistake that was seen twice at one place counts at others after one run. */
function seenWords({ outcome, seen, plays }: Conclusion, all: readonly Conclusion[]): string {
  const isConfirmed = seen === 1 && all.some((o) => o.seen > 1 && o.outcome.kind === outcome.kind);
  const elsewhere = isConfirmed ? ', and at another place' : '';
  return `${seen} of ${count(plays, 'run')}${elsewhere}`;
}

const outputLines = 20;
const longestBody = 4_000;
/** A client that polls without a pause sends tens of thousands. */
const maxCalls = 1_000;

function scenarioOf(
  run: number,
  { calls, ending }: Recording,
  results: readonly CheckResult[],
  redactor: Redactor,
): ReportScenario {
  const own = results.flatMap(({ check, concluded }) =>
    concluded
      .filter((each) => each.run === run && isFinding(each))
      .map(({ outcome }) => ({ id: check.id, outcome })),
  );
  const ids = [...new Set(own.map(({ id }) => id))];
  const cited = new Set(own.flatMap(({ outcome }) => outcome.calls));
  const kept = calls.filter(({ n }) => n <= maxCalls || cited.has(n));
  const left = calls.length - kept.length;
  const verdicts = own.map(({ outcome }) => outcome.verdict);
  const lines = lastLines(ending.output, outputLines).join('\n');
  return {
    id: `run-${run}`,
    title: run === 1 ? 'the command as it is' : ids.join(', '),
    verdict: worst(verdicts) ?? 'passed',
    rules: ids,
    by_rule: {},
    why: left === 0 ? null : `${left} more calls are not shown`,
    attempts: 1,
    duration_ms: Math.round(ending.durationMs),
    ending: {
      words: endingWords(ending),
      at_ms: Math.round(ending.durationMs),
      output: redactor.text(lines),
    },
    exchanges: kept.map((call) => exchangeOf(call, ending.durationMs, redactor)),
  };
}

function exchangeOf(call: ApiCall, endMs: number, redactor: Redactor): ReportExchange {
  const { response, fault, key, abandonedAtMs, answeredAtMs, atMs } = call;
  const body = (text: string) => (text === '' ? null : clipped(redactor.text(text), longestBody));
  const isRead = call.fate === 'answered' || call.fate === 'refused';
  const kept = (lines: ApiCall['headers'], names: RegExp) =>
    lines
      .filter(([name]) => names.test(name))
      .map(([name, value]) => [name.toLowerCase(), redactor.header(name, value)] as const);
  const keyLine = key === null ? [] : [['idempotency-key', redactor.known(key)] as const];
  return {
    n: call.n,
    kind: 'call',
    as: null,
    request: {
      method: call.method,
      url: redactor.text(call.target),
      headers: [...keyLine, ...kept(call.headers, /^(if-match|content-type)$/i)],
      body: body(call.body),
    },
    response:
      isRead && response !== null
        ? {
            status: response.status,
            headers: kept(response.headers, /^(retry-after|etag|content-type)$/i),
            body: body(response.body),
          }
        : null,
    failure: isRead ? null : (fault ?? 'no response'),
    ...(fault === null || !isRead ? {} : { note: fault }),
    ...(abandonedAtMs === null ? {} : { abandoned_at_ms: Math.round(abandonedAtMs) }),
    at_ms: Math.round(atMs),
    duration_ms: Math.round((abandonedAtMs ?? answeredAtMs ?? endMs) - atMs),
  };
}

// The JSON of a report on a client, made from the common report: checks in the client's own words,
// and the runs that show something.
import { findRule } from '../../fixtures/rules.ts';
import type {
  Report,
  ReportExchange,
  ReportFinding,
  ReportRule,
  ReportScenario,
} from '../reports/report.ts';
import { checks as catalogue } from './checks/all.ts';
import { runOf } from './report.ts';

const own: Readonly<Partial<Record<string, string>>> = { deviates: 'fails', not_tested: 'not_met' };

/** A check fails or is not met; everything else has its common name. */
const verdictOf = (verdict: string) => own[verdict] ?? verdict;

export function clientDocument(report: Report): object {
  const {
    tool,
    seed,
    verdict,
    summary,
    requests,
    interrupted,
    client,
    not_started: start,
  } = report;
  return {
    schema: 'client/1',
    tool,
    command: client?.command ?? [],
    seed,
    started_at: report.started_at,
    duration_ms: report.duration_ms,
    verdict,
    summary: Object.fromEntries(
      Object.entries(summary)
        .filter(([name]) => name !== 'blocked' && name !== 'harness_error')
        .map(([name, number]) => [verdictOf(name), number]),
    ),
    runs: client?.runs ?? 0,
    requests,
    interrupted,
    does: client?.does ?? '',
    unusable: start ?? null,
    notes: report.notes.filter((note) => note !== start),
    causes: report.causes ?? [],
    checks: report.rules.map((rule) => checkOf(rule, report)),
    recordings: report.scenarios.map(recordingOf),
    baseline: report.baseline,
  };
}

function checkOf({ id, words, verdict, why, reason, findings }: ReportRule, report: Report) {
  const check = catalogue.find((each) => each.id === id);
  const [shown] = report.scenarios.flatMap((scenario) =>
    scenario.shown
      .filter(({ rules }) => rules.includes(id))
      .map(({ place = '', expected: actual, exchanges: calls }) => {
        return { place, verdict: 'passed', actual, run: runOf(scenario.id), calls };
      }),
  );
  return {
    id,
    title: words,
    orders: check?.orders ?? '',
    expected: check?.expected ?? '',
    at_stake: check?.atStake ?? '',
    mend: check?.mend ?? { words: '', example: '' },
    rules: (check?.rules ?? []).map((rule) => ({ id: rule, words: findRule(rule).words })),
    verdict: verdictOf(verdict),
    why: why ?? null,
    reason,
    findings: findings.map(findingOf),
    shown: shown ?? null,
  };
}

function findingOf({ place = '', verdict, recording = '', exchanges, ...rest }: ReportFinding) {
  const { actual, seen, replay, fingerprint } = rest;
  const common = { actual, seen, run: runOf(recording), calls: exchanges, replay, fingerprint };
  return { place, verdict: verdictOf(verdict), ...common };
}

function recordingOf({ id, ending, exchanges }: ReportScenario) {
  return {
    run: runOf(id),
    ending: {
      words: ending?.words ?? '',
      duration_ms: ending?.at_ms ?? 0,
      output: ending?.output ?? '',
    },
    calls: exchanges.map(callOf),
  };
}

function callOf({ n, request, response, failure, note, ...times }: ReportExchange) {
  const header = (of: ReportExchange['request']['headers'] | undefined, name: string) =>
    of?.find(([each]) => each === name)?.[1] ?? null;
  return {
    n,
    at_ms: times.at_ms,
    method: request.method,
    target: request.url,
    key: header(request.headers, 'idempotency-key'),
    if_match: header(request.headers, 'if-match'),
    body: request.body,
    struck: note ?? failure,
    status: response?.status ?? null,
    retry_after: header(response?.headers, 'retry-after'),
    answer: response?.body ?? null,
    duration_ms: times.duration_ms,
    abandoned_at_ms: times.abandoned_at_ms ?? null,
  };
}

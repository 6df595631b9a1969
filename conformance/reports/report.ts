// The report of every judge: of an API, of a webhook receiver and of an API client. All formats are
// rendered from this model only, so what is redacted here is redacted everywhere. Its types follow
// from the schema by which a report is parsed from its JSON.
import { listOf, ofType, record, type ValueOf } from '../../fixtures/schemas/kit.ts';
import { type Schema, validate } from '../../fixtures/schemas/validate.ts';
import type { Kind } from '../engine/inventory/inventory.ts';
import type { HeaderLine } from '../engine/send/headers.ts';
import type { Judged, RunVerdict, Verdict } from '../engine/types.ts';

const text = { type: 'string' } as const;
const textOrNull = { type: ['string', 'null'] } as const;
const flag = { type: 'boolean' } as const;
const number = { type: 'number' } as const;
const whole = { type: 'integer', minimum: 0 } as const;
const list = <const S extends Schema>(items: S) => listOf(items, '');
const texts = list(text);
const numbers = list(number);
const judged = ofType<Judged>(text);
const verdict = ofType<Verdict>(text);
const verdictOrNone = ofType<Judged | 'not_selected'>(text);
const anything = (schema: Schema = {}): Schema => ({ type: 'object', ...schema });

const headers = ofType<readonly HeaderLine[]>(
  list({ type: 'array', items: text, minItems: 2, maxItems: 2 }),
);
const response = record({ status: number, headers, body: textOrNull });

const exchange = record({
  n: whole,
  /** A call to the API, a delivery from it, or a command of its operator. */
  kind: { type: 'string', enum: ['call', 'delivery', 'operator'] } as const,
  /** The credential that made the call, by its name. */
  as: textOrNull,
  request: record({ method: text, url: text, headers, body: textOrNull }),
  response: ofType<ValueOf<typeof response> | null>({ ...response, type: ['object', 'null'] }),
  /** Why there is no response. */
  failure: textOrNull,
  /** What the judge of a client did to the call. */
  'note?': text,
  /** When the client closed the connection without having read the response. */
  'abandoned_at_ms?': number,
  at_ms: number,
  duration_ms: number,
});

/** Why it matters and how to fix it, if the text of the rule does not say so. */
const advice = record({ why: text, at_stake: text, mend: text });

const finding = record({
  scenario: text,
  verdict: judged,
  expected: text,
  actual: text,
  /** Numbers of exchanges in the scenario, or in the recording if there is one. */
  exchanges: numbers,
  /** Where in the client's run it happened. */
  'place?': text,
  /** `2 of 2 runs`. */
  'seen?': text,
  /** The id of the scenario that holds the exchanges, if it is not `scenario`. */
  'recording?': text,
  /** The rule whose deviation explains this finding. */
  'because_of?': text,
  'advice?': advice,
  /** A command that runs it again. */
  replay: text,
  /** Identical for the same failure in every run; a baseline recognises a failure by it. */
  fingerprint: text,
});

const rule = record({
  id: text,
  family: text,
  words: text,
  verdict,
  scenarios: texts,
  /** The missing capabilities, in the words of the catalogue. */
  needs: texts,
  /** What to add so that the rule can be tested. */
  unlock: texts,
  /** Capabilities that were configured but no longer work, such as an expired token. */
  lost: texts,
  /** Why a check was not judged, or which part of it. */
  'why?': text,
  /** From the baseline: why a deviation is accepted, or why the rule need not be tested. */
  reason: textOrNull,
  /** From the baseline: the last day on which the deviation is accepted. */
  'until?': text,
  findings: list(finding),
});

/** How the command of a client ended, with the last lines that it printed. */
const ending = record({ words: text, at_ms: number, output: text });

const scenario = record({
  id: text,
  title: text,
  verdict: verdictOrNone,
  rules: texts,
  by_rule: ofType<Readonly<Record<string, Judged | 'not_selected'>>>(
    anything({ additionalProperties: text }),
  ),
  /** Why it ended early. */
  why: textOrNull,
  /** How often it was played; more than once after a disturbance. */
  attempts: number,
  duration_ms: number,
  'ending?': ending,
  exchanges: list(exchange),
});

const observed = record({
  id: text,
  question: text,
  /** Null if this run did not observe it. */
  observed: textOrNull,
  simulator: text,
  /** Null if it cannot be decided. */
  same: { type: ['boolean', 'null'] } as const,
  /** Settings that make the simulator behave like the target. */
  settings: ofType<Readonly<Record<string, unknown>>>(anything()),
});

/** Requests of one kind that always failed in the same way. */
const crash = record({
  operation: text,
  /** How these requests differ from those that were answered: `with method: Bonus`, or empty. */
  distinguishes: text,
  /** `500 with an HTML page`, `connection reset`. */
  failure: text,
  times: number,
  of: number,
  /** Rules that cannot be judged because of it. */
  rules: texts,
});

const cause = record({ title: text, mend: text, rules: texts });

const inventory = record({
  /** Part of every name. */
  mark: text,
  made: ofType<Readonly<Record<Kind, number>>>(anything({ additionalProperties: number })),
  /** Writes without a response, which may or may not have run. */
  unanswered: number,
  /** Subscriptions that are still active on the target. */
  enabled: list(record({ kind: { type: 'string', enum: ['subscription'] } as const, id: text })),
  'positions?': texts,
  'pending?': texts,
  'approved?': texts,
  /** False if everything was created in worlds of the run, which no longer exist. */
  kept: flag,
});

/** The scenario of a line about rules that are accepted as not tested. */
export const NOT_TESTED = 'not tested';

/** A rule of the baseline, with the reason why its failure is accepted. */
const line = record({ rule: text, scenario: text, reason: text, expires: textOrNull });

const baseline = record({
  known: number,
  /** Rules accepted as not tested. */
  accepted: number,
  /** Entries that no longer deviate. */
  stale: list(line),
  /** Entries whose date has passed; they count as deviations again. */
  expired: list(line),
});

const schema = record({
  schema: { type: 'integer', enum: [1] } as const,
  /** Absent: the report on an API. */
  'judge?': { type: 'string', enum: ['receiver', 'client'] } as const,
  tool: record({ name: { type: 'string', enum: ['conformance'] } as const, version: text }),
  target: record({
    /** The URL that was judged; for a client the command. */
    base_url: text,
    /** Null if the target was judged without one. */
    control_url: textOrNull,
    /** Names of the headers that were added to every request. */
    'headers?': texts,
  }),
  /** Decides the order of the scenarios. */
  seed: number,
  /** ISO 8601. */
  started_at: text,
  duration_ms: number,
  verdict: ofType<RunVerdict>(text),
  summary: ofType<Readonly<Record<Verdict, number>>>(anything({ additionalProperties: number })),
  requests: number,
  interrupted: flag,
  /** Part of every reference, key and email that the run created. */
  mark: text,
  /** Why nothing was tried, also the first of the notes; absent if something was tried. */
  'not_started?': text,
  /** About the run as a whole, one sentence each. */
  notes: texts,
  'crashes?': list(crash),
  /** Why several rules or checks fail together, the most general cause first. */
  'causes?': list(cause),
  /** About the judged command: how often it was run, and what the first run did. */
  'client?': record({ command: texts, runs: number, does: text }),
  rules: list(rule),
  scenarios: list(scenario),
  observed: list(observed),
  /** What to add so that more can be tested, alone or with others; what unlocks most comes first. */
  unlock: list(record({ add: text, rules: number, with_others: number })),
  baseline: ofType<ValueOf<typeof baseline> | null>({ ...baseline, type: ['object', 'null'] }),
  /** What the run created on the target; absent if a judge creates nothing. */
  'inventory?': inventory,
});

export type Report = ValueOf<typeof schema>;
export type ReportTarget = Report['target'];
export type ReportRule = ValueOf<typeof rule>;
export type ReportFinding = ValueOf<typeof finding>;
export type ReportScenario = ValueOf<typeof scenario>;
export type ReportExchange = ValueOf<typeof exchange>;
export type ReportObserved = ValueOf<typeof observed>;
export type ReportCause = ValueOf<typeof cause>;
export type ReportInventory = ValueOf<typeof inventory>;
export type BaselineLine = ValueOf<typeof line>;

/** The words in a client's JSON report that differ from those of the model. */
const CLIENT_WORDS: Readonly<Record<string, string>> = { deviates: 'fails', not_tested: 'not_met' };
const COMMON_WORDS = Object.fromEntries(Object.entries(CLIENT_WORDS).map(([a, b]) => [b, a]));

/** The verdicts of checks in other words; the verdict of the run is the same for every judge. */
function reworded(report: Report, words: Readonly<Record<string, string>>): Report {
  const { rules, scenarios, summary } = report;
  const text = JSON.stringify({ rules, scenarios, summary }, (name, value: unknown) => {
    if (name === 'verdict' && typeof value === 'string') return words[value] ?? value;
    if (name !== 'summary') return value;
    return Object.fromEntries(Object.entries(value as object).map(([a, n]) => [words[a] ?? a, n]));
  });
  return { ...report, ...JSON.parse(text) };
}

/** The content of the JSON report. */
export function reportDocument(report: Report): Report {
  return report.judge === 'client' ? reworded(report, CLIENT_WORDS) : report;
}

/** The report in a document, or its errors, each starting with its field. */
export function parseReport(
  given: unknown,
): { readonly report: Report } | { readonly problems: readonly string[] } {
  const problems = validate(schema, given, 'the report');
  if (problems.length > 0) {
    return { problems: problems.map(({ field, message }) => `${field} ${message}`) };
  }
  const report = given as Report;
  return { report: report.judge === 'client' ? reworded(report, COMMON_WORDS) : report };
}

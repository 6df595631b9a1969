// Requests of one kind that all end without an answer of the API: a cut connection, or a page of a
// web server. They are reported once, with what distinguishes them, and are a deviation of the rules
// that ask for an answer to such a request.
import { operationOf } from '../../spec/operations.ts';
import { withVerdicts } from '../judge/verdicts.ts';
import { apiPathOf } from '../send/client.ts';
import { Headers } from '../send/headers.ts';
import { parseJson, printJson } from '../send/json.ts';
import type { Exchange, Finding, RuleId, ScenarioResult } from '../types.ts';
import { ATTEMPTS } from './play-scenario.ts';

export interface Crash {
  readonly operation: string;
  /** How these requests differ from those that were answered: `with method: Bonus`, or empty. */
  readonly distinguishes: string;
  /** `500 with an HTML page`, `connection reset`. */
  readonly failure: string;
  readonly times: number;
  readonly of: number;
  /** Rules that cannot be judged because of it. */
  readonly rules: readonly RuleId[];
}

/** How many requests of a kind must have crashed, with none of them answered. */
const FEWEST = 3;

interface Kind extends Pick<Crash, 'operation' | 'distinguishes' | 'failure'> {
  readonly exchanges: readonly Exchange[];
}

/** The results with what crashed judged, and each kind of crash once. */
export function reportCrashes(results: readonly ScenarioResult[]): {
  readonly results: readonly ScenarioResult[];
  readonly crashes: readonly Crash[];
} {
  const calls = results.flatMap(({ exchanges }) => exchanges.filter(isOperation));
  const answered = calls.filter((each) => failureOf(each) === undefined).length;
  // If hardly anything is answered, the network or the whole target is the cause.
  if (answered < calls.length / 2) return { results, crashes: [] };
  const kinds = [...new Set(calls.map(operationIn))].flatMap((operation) => {
    const own = calls.filter((each) => operationIn(each) === operation);
    return kindsOf(operation, own);
  });
  const judged = results.map((result) => withCrashes(result, kinds));
  const crashes = kinds.map(({ exchanges, ...kind }): Crash => {
    const times = exchanges.length;
    return { ...kind, times, of: times, rules: rulesWaiting(judged, exchanges) };
  });
  return { results: judged, crashes };
}

function operationIn({ request: { method, url } }: Exchange): string {
  return operationOf(method, apiPathOf(url)) ?? '';
}

function isOperation(exchange: Exchange): boolean {
  return exchange.kind === 'call' && operationIn(exchange) !== '';
}

/** Undefined for an answer of the API, whatever it says. */
function failureOf({ response, failure }: Exchange): string | undefined {
  if (response === null) return /given up/.test(failure ?? '') ? undefined : 'no answer';
  const isPage = new Headers(response.headers).mediaType() === 'text/html';
  return isPage && response.status >= 500 ? `${response.status} with an HTML page` : undefined;
}

/** All requests of an operation, or all that share a member of their body, or its value. */
function kindsOf(operation: string, calls: readonly Exchange[]): Kind[] {
  const failures = new Map(calls.map((each) => [each, failureOf(each)]));
  if ([...failures.values()].filter((each) => each !== undefined).length < FEWEST) return [];
  const sharing = new Map<string, Exchange[]>();
  for (const each of calls) {
    for (const trait of ['', ...traitsOf(each)]) {
      sharing.set(trait, [...(sharing.get(trait) ?? []), each]);
    }
  }
  const kinds = [...sharing].flatMap(([distinguishes, exchanges]): Kind[] => {
    const failure = failures.get(exchanges[0]!);
    const isWhole = exchanges.every((each) => failures.get(each) !== undefined);
    // The same request sent again and again is one request.
    const fewest = new Set(exchanges.map(textOf)).size < 2 ? 2 * FEWEST : FEWEST;
    if (failure === undefined || !isWhole || exchanges.length < fewest) return [];
    return [{ operation, distinguishes, failure, exchanges }];
  });
  // The most general trait comes first; what it covers needs no other.
  kinds.sort(
    (a, b) =>
      b.exchanges.length - a.exchanges.length || a.distinguishes.length - b.distinguishes.length,
  );
  const covered = new Set<Exchange>();
  return kinds.filter(({ exchanges }) => {
    const isNew = exchanges.some((each) => !covered.has(each));
    for (const each of exchanges) covered.add(each);
    return isNew;
  });
}

function textOf({ request }: Exchange): string {
  return Buffer.from(request.body ?? '').toString();
}

function traitsOf(exchange: Exchange): string[] {
  const body = parseJson(textOf(exchange));
  if (body === null || typeof body !== 'object' || Array.isArray(body)) return [];
  return Object.entries(body).flatMap(([name, value]) => {
    const text = printJson(value);
    const isShort = typeof value !== 'object' && text.length <= 40 && !/reference|email/.test(name);
    const own = isShort ? [`with ${name}: ${text.replaceAll('"', '')}`] : [];
    return [`with ${name}`, ...own];
  });
}

/** A rule that could not be judged because its own request crashed has its answer: there is none. */
function withCrashes(result: ScenarioResult, kinds: readonly Kind[]): ScenarioResult {
  const calls = result.exchanges.filter(({ kind }) => kind === 'call');
  const last = calls.at(-1)!;
  const kind = kinds.find(({ exchanges }) => exchanges.includes(last));
  const isSteady = result.ending === 'inconclusive' && result.attempts >= ATTEMPTS;
  if (kind === undefined || !isSteady || isSetup(last, calls)) return result;
  const rules = (Object.keys(result.byRule) as RuleId[]).filter(
    (rule) => result.byRule[rule] === 'inconclusive',
  );
  if (rules.length === 0) return result;
  const what = `${kind.operation} ${kind.distinguishes}`.trim();
  const finding: Finding = {
    rules,
    verdict: 'deviates',
    expected: 'an answer of the API',
    actual: `${kind.failure}, as to each of ${kind.exchanges.length} requests ${what}`,
    exchanges: [last.n],
  };
  const byRule = Object.fromEntries(rules.map((rule) => [rule, 'deviates' as const]));
  const findings = [...result.findings, finding];
  return withVerdicts({ ...result, findings }, { ...result.byRule, ...byRule });
}

/** Setup is sent again when it fails; what is judged is sent once. */
function isSetup(last: Exchange, calls: readonly Exchange[]): boolean {
  return calls.some(
    (each) =>
      each !== last && each.request.url === last.request.url && textOf(each) === textOf(last),
  );
}

/** Rules that could not be judged, in scenarios with one of these exchanges. */
function rulesWaiting(
  results: readonly ScenarioResult[],
  crashed: readonly Exchange[],
): readonly RuleId[] {
  const waiting = results
    .filter(({ exchanges }) => exchanges.some((each) => crashed.includes(each)))
    .flatMap(({ byRule }) => Object.entries(byRule))
    .filter(([, verdict]) => verdict === 'inconclusive' || verdict === 'blocked');
  return [...new Set(waiting.map(([rule]) => rule as RuleId))].sort();
}

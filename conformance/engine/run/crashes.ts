// Requests of one kind that all end without an answer of the API: a cut connection, or a page of a
// web server. They are reported once, with what distinguishes them, and are a deviation of the rules
// that ask for an answer to such a request.
import { OPERATIONS, type OperationName } from '../../spec/operations.ts';
import { worst } from '../judge/verdicts.ts';
import { Headers } from '../send/headers.ts';
import { type Json, parseJson, printJson } from '../send/json.ts';
import type { ByRule, Exchange, Finding, Judged, RuleId, ScenarioResult } from '../types.ts';
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

/** So many requests of a kind must have ended so, and none of them otherwise. */
const LEAST = 3;

interface Sent {
  readonly operation: OperationName;
  readonly exchange: Exchange;
  readonly body: Json | undefined;
  readonly failure: string | undefined;
}

const PATHS = Object.entries(OPERATIONS).map(([name, { method, path }]) => ({
  name: name as OperationName,
  method,
  pattern: new RegExp(`${path.replace(':id', '[^/]*')}$`),
}));

/** The results with what crashed judged, and each kind of crash once. */
export function reportCrashes(results: readonly ScenarioResult[]): {
  readonly results: readonly ScenarioResult[];
  readonly crashes: readonly Crash[];
} {
  const sent = results.flatMap(({ exchanges }) => exchanges.flatMap(sentOf));
  const answered = sent.filter(({ failure }) => failure === undefined).length;
  // Where hardly anything is answered, the network or the whole target is the cause.
  if (answered < sent.length / 2) return { results, crashes: [] };
  const kinds = [...new Set(sent.map(({ operation }) => operation))].flatMap((operation) =>
    kindsOf(
      operation,
      sent.filter((each) => each.operation === operation),
    ),
  );
  const crashed = new Map<Exchange, Kind>();
  for (const kind of kinds) for (const { exchange } of kind.sent) crashed.set(exchange, kind);
  const judged = results.map((result) => withCrashes(result, crashed));
  return {
    results: judged,
    crashes: kinds.map(({ operation, distinguishes, failure, sent: own, of }) => ({
      ...{ operation, distinguishes, failure, times: own.length, of },
      rules: rulesWaiting(judged, new Set(own.map(({ exchange }) => exchange))),
    })),
  };
}

function sentOf(exchange: Exchange): Sent[] {
  if (exchange.kind !== 'call') return [];
  const { method, url, body } = exchange.request;
  const path = url.split('?')[0]!;
  const found = PATHS.find((each) => each.method === method && each.pattern.test(path));
  if (found === undefined) return [];
  const json = body === undefined ? undefined : parseJson(body);
  return [{ operation: found.name, exchange, body: json, failure: failureOf(exchange) }];
}

/** Undefined for an answer of the API, whatever it says. */
function failureOf({ response, failure }: Exchange): string | undefined {
  if (response === null) return /given up/.test(failure ?? '') ? undefined : 'no answer';
  const isPage = new Headers(response.headers).mediaType() === 'text/html';
  if (isPage && response.status >= 500) return `${response.status} with an HTML page`;
  return undefined;
}

interface Kind {
  readonly operation: OperationName;
  readonly distinguishes: string;
  readonly failure: string;
  readonly sent: readonly Sent[];
  readonly of: number;
}

/** All requests of an operation, or all that share a member of their body, or its value. */
function kindsOf(operation: OperationName, sent: readonly Sent[]): Kind[] {
  const failed = sent.filter(({ failure }) => failure !== undefined);
  if (failed.length < LEAST) return [];
  const shared = new Map<string, Sent[]>();
  for (const each of sent) {
    for (const mark of ['', ...marksOf(each.body)]) {
      shared.set(mark, [...(shared.get(mark) ?? []), each]);
    }
  }
  const kinds = [...shared].flatMap(([distinguishes, all]): Kind[] => {
    const crashes = all.filter(({ failure }) => failure !== undefined);
    const isWhole = crashes.length === all.length && all.length >= LEAST;
    const apart = new Set(
      all.map(({ exchange }) => Buffer.from(exchange.request.body ?? '').toString()),
    );
    // The same request sent again and again is one request.
    if (!isWhole || (apart.size < 2 && all.length < 2 * LEAST)) return [];
    const failure = crashes[0]!.failure!;
    return [{ operation, distinguishes, failure, sent: all, of: all.length }];
  });
  // The most general word says most; what it covers needs no other.
  kinds.sort(
    (a, b) => b.sent.length - a.sent.length || a.distinguishes.length - b.distinguishes.length,
  );
  const told = new Set<Sent>();
  return kinds.filter((kind) => {
    const isNew = kind.sent.some((each) => !told.has(each));
    for (const each of kind.sent) told.add(each);
    return isNew;
  });
}

function marksOf(body: Json | undefined): string[] {
  if (body === null || typeof body !== 'object' || Array.isArray(body)) return [];
  return Object.entries(body).flatMap(([name, value]) => {
    const text = printJson(value);
    const isShort = typeof value !== 'object' && text.length <= 40 && !/reference|email/.test(name);
    return isShort
      ? [`with ${name}`, `with ${name}: ${text.replaceAll('"', '')}`]
      : [`with ${name}`];
  });
}

/** A rule that could not be judged because its own request crashed has its answer: there is none. */
function withCrashes(result: ScenarioResult, crashed: ReadonlyMap<Exchange, Kind>): ScenarioResult {
  const calls = result.exchanges.filter(({ kind }) => kind === 'call');
  const last = calls.at(-1);
  const kind = last === undefined ? undefined : crashed.get(last);
  const isSetup = last !== undefined && isRepeated(last, calls);
  const isSteady = result.ending === 'inconclusive' && result.attempts >= ATTEMPTS;
  if (kind === undefined || isSetup || !isSteady) return result;
  const rules = (Object.keys(result.byRule) as RuleId[]).filter(
    (rule) => result.byRule[rule] === 'inconclusive',
  );
  if (rules.length === 0) return result;
  const { operation, distinguishes, failure, sent } = kind;
  const what = `${operation} ${distinguishes}`.trim();
  const finding: Finding = {
    rules,
    verdict: 'deviates',
    expected: 'an answer of the API',
    actual: `${failure}, as to each of ${sent.length} requests ${what}`,
    exchanges: [last!.n],
  };
  const byRule: ByRule = {
    ...result.byRule,
    ...Object.fromEntries(rules.map((rule) => [rule, 'deviates' as const])),
  };
  const judged = Object.values(byRule).filter((each): each is Judged => each !== 'not_selected');
  const findings = [...result.findings, finding];
  return { ...result, byRule, findings, verdict: worst(judged) ?? 'not_selected' };
}

/** Setup is sent again when it fails; what is judged is sent once. */
function isRepeated(last: Exchange, calls: readonly Exchange[]): boolean {
  const bytes = (exchange: Exchange) => Buffer.from(exchange.request.body ?? '').toString();
  return calls.some(
    (each) => each !== last && each.request.url === last.request.url && bytes(each) === bytes(last),
  );
}

/** Rules that no scenario could judge, in scenarios that met the crash. */
function rulesWaiting(
  results: readonly ScenarioResult[],
  crashes: ReadonlySet<Exchange>,
): readonly RuleId[] {
  const waiting = new Set<RuleId>();
  for (const { byRule, exchanges } of results) {
    if (!exchanges.some((each) => crashes.has(each))) continue;
    for (const [rule, verdict] of Object.entries(byRule)) {
      if (verdict === 'inconclusive' || verdict === 'blocked') waiting.add(rule as RuleId);
    }
  }
  return [...waiting].sort();
}

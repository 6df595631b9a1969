// Requests of one kind that all end without an answer of the API: a cut connection, or a page of a
// web server. They are reported once, with what distinguishes them, and are a deviation of the rules
// that ask for an answer to such a request.
import { type OperationName, operationOf } from '../../spec/operations.ts';
import { withVerdicts } from '../judge/verdicts.ts';
import { apiPathOf } from '../send/client.ts';
import { Headers } from '../send/headers.ts';
import { type Json, parseJson, printJson } from '../send/json.ts';
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

interface Sent {
  readonly operation: OperationName;
  readonly exchange: Exchange;
  readonly body: string;
  readonly failure: string | undefined;
}

interface Kind {
  readonly operation: OperationName;
  readonly distinguishes: string;
  readonly failure: string;
  readonly sent: readonly Sent[];
}

/** The results with what crashed judged, and each kind of crash once. */
export function reportCrashes(results: readonly ScenarioResult[]): {
  readonly results: readonly ScenarioResult[];
  readonly crashes: readonly Crash[];
} {
  const sent = results.flatMap(({ exchanges }) => exchanges.flatMap(sentOf));
  const answered = sent.filter(({ failure }) => failure === undefined).length;
  // If hardly anything is answered, the network or the whole target is the cause.
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
  const crashes = kinds.map((kind): Crash => {
    const { operation, distinguishes, failure, sent: own } = kind;
    const rules = rulesWaiting(judged, new Set(own.map(({ exchange }) => exchange)));
    return { operation, distinguishes, failure, times: own.length, of: own.length, rules };
  });
  return { results: judged, crashes };
}

function sentOf(exchange: Exchange): Sent[] {
  const { method, url, body } = exchange.request;
  const operation = exchange.kind === 'call' ? operationOf(method, apiPathOf(url)) : undefined;
  if (operation === undefined) return [];
  const text = Buffer.from(body ?? '').toString();
  return [{ operation, exchange, body: text, failure: failureOf(exchange) }];
}

/** Undefined for an answer of the API, whatever it says. */
function failureOf({ response, failure }: Exchange): string | undefined {
  if (response === null) return /given up/.test(failure ?? '') ? undefined : 'no answer';
  const isPage = new Headers(response.headers).mediaType() === 'text/html';
  return isPage && response.status >= 500 ? `${response.status} with an HTML page` : undefined;
}

/** All requests of an operation, or all that share a member of their body, or its value. */
function kindsOf(operation: OperationName, sent: readonly Sent[]): Kind[] {
  if (sent.filter(({ failure }) => failure !== undefined).length < FEWEST) return [];
  const sharing = new Map<string, Sent[]>();
  for (const each of sent) {
    for (const trait of ['', ...traitsOf(parseJson(each.body))]) {
      sharing.set(trait, [...(sharing.get(trait) ?? []), each]);
    }
  }
  const kinds = [...sharing].flatMap(([distinguishes, own]): Kind[] => {
    const isWhole = own.every(({ failure }) => failure !== undefined) && own.length >= FEWEST;
    const isOneRequest = new Set(own.map(({ body }) => body)).size < 2;
    // The same request sent again and again is one request.
    if (!isWhole || (isOneRequest && own.length < 2 * FEWEST)) return [];
    return [{ operation, distinguishes, failure: own[0]!.failure!, sent: own }];
  });
  // The most general trait comes first; what it covers needs no other.
  kinds.sort(
    (a, b) => b.sent.length - a.sent.length || a.distinguishes.length - b.distinguishes.length,
  );
  const covered = new Set<Sent>();
  return kinds.filter((kind) => {
    const isNew = kind.sent.some((each) => !covered.has(each));
    for (const each of kind.sent) covered.add(each);
    return isNew;
  });
}

function traitsOf(body: Json | undefined): string[] {
  if (body === null || typeof body !== 'object' || Array.isArray(body)) return [];
  return Object.entries(body).flatMap(([name, value]) => {
    const text = printJson(value);
    const isShort = typeof value !== 'object' && text.length <= 40 && !/reference|email/.test(name);
    const own = isShort ? [`with ${name}: ${text.replaceAll('"', '')}`] : [];
    return [`with ${name}`, ...own];
  });
}

/** A rule that could not be judged because its own request crashed has its answer: there is none. */
function withCrashes(result: ScenarioResult, crashed: ReadonlyMap<Exchange, Kind>): ScenarioResult {
  const calls = result.exchanges.filter(({ kind }) => kind === 'call');
  const last = calls.at(-1);
  const kind = last === undefined ? undefined : crashed.get(last);
  if (last === undefined || kind === undefined) return result;
  const isSteady = result.ending === 'inconclusive' && result.attempts >= ATTEMPTS;
  if (!isSteady || isSetup(last, calls)) return result;
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
    exchanges: [last.n],
  };
  const byRule = Object.fromEntries(rules.map((rule) => [rule, 'deviates' as const]));
  const findings = [...result.findings, finding];
  return withVerdicts({ ...result, findings }, { ...result.byRule, ...byRule });
}

/** Setup is sent again when it fails; what is judged is sent once. */
function isSetup(last: Exchange, calls: readonly Exchange[]): boolean {
  const bytes = ({ request }: Exchange) => Buffer.from(request.body ?? '').toString();
  return calls.some(
    (each) => each !== last && each.request.url === last.request.url && bytes(each) === bytes(last),
  );
}

/** Rules that could not be judged, in scenarios with one of these exchanges. */
function rulesWaiting(
  results: readonly ScenarioResult[],
  crashes: ReadonlySet<Exchange>,
): readonly RuleId[] {
  const waiting = results
    .filter(({ exchanges }) => exchanges.some((each) => crashes.has(each)))
    .flatMap(({ byRule }) => Object.entries(byRule))
    .filter(([, verdict]) => verdict === 'inconclusive' || verdict === 'blocked');
  return [...new Set(waiting.map(([rule]) => rule as RuleId))].sort();
}

// Requests of one kind that all end without an answer of the API: a cut connection, or an HTML
// page. They are reported once, with their common trait, and are a deviation from the rules that
// require an answer to such a request.
import { withVerdicts } from '../judge/verdicts.ts';
import { Answer } from '../send/answer.ts';
import { isObject, printJson } from '../send/json.ts';
import type { CrashedCall, Exchange, Finding, RuleId, ScenarioResult } from '../types.ts';

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

/**
 * After as many attempts that all end in the same crash, its rules deviate: a network that loses 5 %
 * of all calls does that to one call in 64 million.
 */
export const CRASHES = 6;

/** How many requests of a kind must have crashed, if none of them was answered. */
const FEWEST = 3;

type Call = ReturnType<typeof callOf>;

interface Kind extends Pick<Crash, 'operation' | 'distinguishes' | 'failure'> {
  readonly exchanges: readonly Exchange[];
}

/** The results with verdicts on the crashes, and each kind of crash once. */
export function reportCrashes(results: readonly ScenarioResult[]): {
  readonly results: readonly ScenarioResult[];
  readonly crashes: readonly Crash[];
} {
  const calls = results
    .flatMap(({ exchanges, crashed = [] }) => [
      ...crashed.flatMap((each) => each.exchanges.slice(0, -1)),
      ...exchanges.filter(({ kind }) => kind === 'call'),
    ])
    .map(callOf)
    .filter(({ answer }) => answer.operation !== undefined);
  // If almost no request is answered, the cause is the network or the whole target.
  const failed = calls.filter(({ failure }) => failure !== undefined);
  if (failed.length > calls.length / 2) return { results, crashes: [] };
  const kinds = [...new Set(failed.map(({ answer }) => answer.operation!))].flatMap((name) => {
    const own = calls.filter(({ answer }) => answer.operation === name);
    return kindsOf(name, own);
  });
  const judged = results.map((result) => withCrashes(result, kinds));
  const crashes = kinds.map(({ exchanges, ...kind }): Crash => {
    const times = exchanges.length;
    return { ...kind, times, of: times, rules: rulesWaiting(judged, exchanges) };
  });
  return { results: judged, crashes };
}

/** `failure` is undefined for any answer of the API. */
function callOf(exchange: Exchange) {
  const answer = new Answer(exchange);
  const isPage = answer.headers.mediaType() === 'text/html' && answer.status >= 500;
  let failure = isPage ? `${answer.status} with an HTML page` : undefined;
  if (answer.status === 0 && !/given up/.test(exchange.failure ?? '')) failure = 'no answer';
  return { exchange, answer, failure };
}

/** All requests of an operation, or all that share a member of their body or its value. */
function kindsOf(operation: string, calls: readonly Call[]): Kind[] {
  const sharing = new Map<string, Call[]>();
  for (const call of calls) {
    for (const trait of ['', ...traitsOf(call)]) {
      sharing.set(trait, [...(sharing.get(trait) ?? []), call]);
    }
  }
  const kinds = [...sharing].flatMap(([distinguishes, own]): Kind[] => {
    const { failure } = own[0]!;
    // The same request repeated counts as one request.
    const texts = new Set(own.map(({ answer }) => answer.sentText));
    const isWhole = own.every((each) => each.failure !== undefined);
    const isEnough = own.length >= (texts.size < 2 ? 2 : 1) * FEWEST;
    if (failure === undefined || !isWhole || !isEnough) return [];
    return [{ operation, distinguishes, failure, exchanges: own.map((each) => each.exchange) }];
  });
  // The most general trait comes first; requests that it covers need no other.
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

function traitsOf({ answer: { sent: body } }: Call): string[] {
  if (!isObject(body)) return [];
  return Object.entries(body).flatMap(([name, value]) => {
    const text = printJson(value);
    const isShort = typeof value !== 'object' && text.length <= 40 && !/reference|email/.test(name);
    const own = isShort ? [`with ${name}: ${text.replaceAll('"', '')}`] : [];
    return [`with ${name}`, ...own];
  });
}

/** The judged calls of one attempt that no answer of the API came to, with the rules they leave open. */
export function crashedCalls(result: ScenarioResult): readonly CrashedCall[] {
  const { exchanges, findings, ending, byRule } = result;
  const calls = exchanges.filter(({ kind }) => kind === 'call').map(callOf);
  const textOf = ({ answer }: Call) => `${answer.path} ${answer.sentText}`;
  const open = (Object.keys(byRule) as RuleId[]).filter((rule) => byRule[rule] === 'inconclusive');
  const failed = calls.filter(({ failure }) => failure !== undefined);
  return failed.flatMap((call) => {
    // Setup is repeated when it fails; judged requests are sent once.
    const isSetup = calls.some((each) => each !== call && textOf(each) === textOf(call));
    if (isSetup) return [];
    const { n } = call.exchange;
    const evident = findings.filter((each) => each.exchanges.includes(n));
    const found = evident.flatMap(({ rules }) => rules);
    const isLast = ending === 'inconclusive' && call === calls.at(-1);
    const rules = open.filter((rule) => isLast || found.includes(rule));
    return rules.length === 0 ? [] : [{ rules, exchanges: [call.exchange] }];
  });
}

/** Those that crashed in all earlier attempts too. */
export function stillCrashed(
  before: readonly CrashedCall[],
  now: readonly CrashedCall[],
): readonly CrashedCall[] {
  const nameOf = ({ rules, exchanges: [first] }: CrashedCall) => {
    const { answer, failure } = callOf(first!);
    return `${answer.operation} ${failure} ${rules.join()}`;
  };
  return now.flatMap((each) => {
    const same = before.find((earlier) => nameOf(earlier) === nameOf(each));
    return same ? [{ ...each, exchanges: [...same.exchanges, ...each.exchanges] }] : [];
  });
}

/** A rule that could not be judged because its own request crashed now deviates: there is no answer. */
function withCrashes(result: ScenarioResult, kinds: readonly Kind[]): ScenarioResult {
  const { crashed = [], attempts } = result;
  if (attempts < CRASHES) return result;
  const findings = crashed.flatMap(({ rules, exchanges }): Finding[] => {
    const last = exchanges.at(-1)!;
    const kind = kinds.find((each) => each.exchanges.includes(last));
    const asTo = kind
      ? `as to each of ${kind.exchanges.length} requests ${kind.operation} ${kind.distinguishes}`
      : `in each of ${exchanges.length} attempts`;
    const actual = `${callOf(last).failure}, ${asTo.trim()}`;
    const expected = 'an answer of the API';
    return [{ rules, verdict: 'deviates', expected, actual, exchanges: [last.n] }];
  });
  const broken = findings.flatMap(({ rules }) => rules.map((rule) => [rule, 'deviates'] as const));
  if (broken.length === 0) return result;
  const byRule = { ...result.byRule, ...Object.fromEntries(broken) };
  return withVerdicts({ ...result, findings: [...result.findings, ...findings] }, byRule);
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

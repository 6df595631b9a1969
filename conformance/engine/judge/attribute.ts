// Attributes findings: if a finding presumes another rule that deviates in the same run, it is
// reported under that rule and not as a separate deviation.
import { explains, presumedBy, type Topic } from '../../spec/presumes.ts';
import { Answer, callsIn } from '../send/answer.ts';
import { type Json, memberAt } from '../send/json.ts';
import type { Exchange, Finding, RuleId, ScenarioResult } from '../types.ts';
import { stableWords } from './fingerprint.ts';
import { judgeInScenario, withVerdicts } from './verdicts.ts';

/** A finding against one rule, and the topics of its evidence. */
interface Deviation {
  readonly finding: Finding;
  readonly rule: RuleId;
  readonly scenario: string;
  readonly about: readonly Topic[];
  readonly presumes: readonly RuleId[];
}

/** What the finding of a rule expects that its scenario did not reach. */
export const REACHED = 'the scenario to reach the point that shows the rule';

/**
 * The same results, with every finding that another one explains, and every rule that a
 * scenario did not reach because of one, marked as blocked.
 */
export function attribute(results: readonly ScenarioResult[]): ScenarioResult[] {
  const parted = results.map(partFindings);
  const explained = explain(parted.flatMap(deviationsIn));
  return parted.map((result, at) => {
    const isExplained = result.findings.some((each) => explained.has(each));
    return followDeviation(isExplained ? without(result, explained) : results[at]!);
  });
}

/** What a scenario did not reach after a deviation, or because it ended at one, follows from it. */
function followDeviation(result: ScenarioResult): ScenarioResult {
  const { id, findings, ending = null } = result;
  const cause = findings.find(
    ({ verdict, explainedBy, endsScenario = false }) =>
      (verdict === 'deviates' || explainedBy !== undefined) && (ending === null || endsScenario),
  );
  if (cause === undefined) return result;
  const { explainedBy = cause.rules[0]!, exchanges } = cause;
  const actual = `not reached in ${id}, because ${explainedBy} deviates before`;
  const unreached = ending === null ? 'inconclusive' : 'blocked';
  return blockUnreached(result, unreached, { actual, exchanges, explainedBy });
}

/** Each rule with this verdict that has no finding of its own gets this one, as blocked. */
function blockUnreached(
  result: ScenarioResult,
  unreached: ScenarioResult['ending'],
  found: Pick<Finding, 'actual' | 'exchanges' | 'explainedBy'>,
): ScenarioResult {
  const isSeen = (rule: RuleId) =>
    result.findings.some(({ rules, verdict }) => rules.includes(rule) && verdict !== 'passed');
  const rules = (Object.keys(result.byRule) as RuleId[]).filter(
    (rule) => result.byRule[rule] === unreached && !isSeen(rule),
  );
  const more = rules.map((rule): Finding => {
    return { ...found, rules: [rule], verdict: 'blocked', expected: REACHED };
  });
  const blocked = Object.fromEntries(rules.map((rule) => [rule, 'blocked'] as const));
  const byRule = { ...result.byRule, ...blocked };
  return withVerdicts({ ...result, findings: [...result.findings, ...more] }, byRule);
}

/**
 * The same results, in which what a failed setup has kept from being judged follows from a deviation
 * of a rule that it rests on, or one that shows the same answer to the same operation.
 */
export function followRefusals(results: readonly ScenarioResult[]): ScenarioResult[] {
  const failures = results.flatMap(({ findings, exchanges }) =>
    findings.flatMap(({ verdict, rules: [rule], exchanges: evidence }) => {
      const failure = verdict === 'deviates' && failureAt(evidence.at(-1), exchanges);
      return failure ? [{ failure, rule: rule!, calls: evidence.length }] : [];
    }),
  );
  // The finding with the fewest calls shows it most plainly; in a map, the last one counts.
  failures.sort((one, other) => one.calls - other.calls).reverse();
  const causes = new Map(failures.map(({ failure, rule }) => [failure, rule]));
  const findings = results.flatMap((each) => each.findings);
  const deviating = new Set(
    findings.flatMap(({ verdict, rules }) => (verdict === 'deviates' ? rules : [])),
  );
  return results.map((result) => followRefusal(result, causes, deviating));
}

function followRefusal(
  result: ScenarioResult,
  causes: ReadonlyMap<string, RuleId>,
  deviating: ReadonlySet<RuleId>,
): ScenarioResult {
  const { id, ending, endedAt, exchanges } = result;
  const causeAt = (n: number | undefined, restsOn: readonly RuleId[] = []) =>
    restsOn.find((each) => deviating.has(each)) ?? causes.get(failureAt(n, exchanges) ?? '');
  const byRule = { ...result.byRule };
  const findings = result.findings.map((finding): Finding => {
    const { verdict, rules, explainedBy } = finding;
    const isOpen = verdict === 'blocked' || verdict === 'inconclusive';
    const cause = isOpen
      ? (explainedBy ?? causeAt(finding.exchanges.at(-1), finding.restsOn))
      : undefined;
    if (cause === undefined) return finding;
    for (const rule of rules) if (byRule[rule] === 'inconclusive') byRule[rule] = 'blocked';
    return { ...finding, verdict: 'blocked', explainedBy: cause };
  });
  const followed = withVerdicts({ ...result, findings }, byRule);
  const cause = ending ? causeAt(endedAt, result.restsOn) : undefined;
  if (cause === undefined) return followed;
  const actual = `not reached in ${id}: ${result.why} (${cause} deviates in the same way)`;
  return blockUnreached(followed, ending, { actual, exchanges: [endedAt!], explainedBy: cause });
}

/** A call that was not served, by its operation and answer; undefined for any other exchange. */
function failureAt(n: number | undefined, exchanges: readonly Exchange[]): string | undefined {
  const exchange = exchanges.find((each) => each.n === n && each.kind === 'call');
  const answer = exchange && new Answer(exchange);
  if (answer?.operation === undefined || answer.isServed) return undefined;
  return `${answer.operation} ${stableWords(answer.refusal)}`;
}

/** Presumed rules that were not tested in these results. */
export function unexamined(results: readonly ScenarioResult[]): RuleId[] {
  const examined = new Set(
    results.filter(({ attempts }) => attempts > 0).flatMap(({ rules }) => rules),
  );
  const presumed = results.map(partFindings).flatMap(deviationsIn);
  const rules = new Set(presumed.flatMap(({ presumes }) => presumes));
  return [...rules].filter((rule) => !examined.has(rule));
}

/** Each rule of an expectation has its own preconditions, so it gets a separate finding. */
function partFindings(result: ScenarioResult): ScenarioResult {
  const findings = result.findings.flatMap((each) =>
    each.verdict === 'deviates' ? each.rules.map((rule) => ({ ...each, rules: [rule] })) : [each],
  );
  return { ...result, findings };
}

function deviationsIn({ id: scenario, findings, exchanges }: ScenarioResult): Deviation[] {
  const own = findings.filter(({ verdict }) => verdict === 'deviates');
  if (own.length === 0) return [];
  const calls = callsIn(exchanges);
  const readBacks = readBacksIn(calls);
  return own.map((finding) => {
    const [rule] = finding.rules as [RuleId];
    const evidence = calls.filter(({ n }) => finding.exchanges.includes(n));
    const topics = evidence.flatMap((each) => topicsOf(each, readBacks.has(each)));
    if (!topics.some((topic) => topic.endsWith(' served'))) topics.push('nothing served');
    const about = [...new Set(topics)];
    return { finding, rule, scenario, about, presumes: presumedBy(rule, about) };
  });
}

function topicsOf(call: Answer, isReadBack: boolean): Topic[] {
  const { operation, status, code, path } = call;
  const topics: Topic[] = operation === undefined ? [] : [operation];
  if (operation !== undefined && call.isServed) topics.push(`${operation} served`);
  if (status >= 400 && code === undefined) {
    topics.push(status === 429 ? 'a 429 without a code' : 'a refusal without a code');
  }
  if (path.startsWith('/api/v1/webhooks') && code === 'idempotency_key_required') {
    topics.push('a key demanded by a webhook route');
  }
  if (operation === 'createTransaction' && status === 422) {
    topics.push('a transaction refused as invalid');
  }
  if (isReadBack && operation === 'createAccount') topics.push('an account read back');
  if (isReadBack && operation === 'createTransaction') topics.push('a transaction read back');
  return topics;
}

/** Calls that name a record of an earlier call with another key, and so read it back. */
function readBacksIn(calls: readonly Answer[]): ReadonlySet<Answer> {
  const keysOf = new Map<string, (string | undefined)[]>();
  const found = new Set<Answer>();
  for (const call of calls) {
    const { key } = call;
    for (const reference of referencesIn(call)) {
      const keys = keysOf.get(reference) ?? [];
      if (keys.some((other) => other !== key)) found.add(call);
      if (call.isServed) keysOf.set(reference, [...keys, key]);
    }
  }
  return found;
}

/** The references that a create or a batch names. */
function referencesIn({ sent }: Answer): string[] {
  const rows = memberAt(sent, 'accounts');
  return [sent, ...(Array.isArray(rows) ? rows : [])].flatMap((each: Json | undefined) => {
    const reference = memberAt(each, 'client_reference_id');
    return typeof reference === 'string' ? [reference] : [];
  });
}

/**
 * A finding stands if no rule that it presumes deviates. Every other finding is explained by one
 * that stands, directly or through others. Findings that presume each other in a cycle stand too:
 * otherwise none of them would be reported.
 */
function explain(all: readonly Deviation[]): ReadonlyMap<Finding, Deviation> {
  const causes = new Map(
    all.map((each) => [
      each,
      all.filter(
        ({ rule, about }) => each.presumes.includes(rule) && explains(rule, about, each.about),
      ),
    ]),
  );
  const explained = new Map<Finding, Deviation>();
  for (const each of all) {
    // All direct and indirect causes, the nearest first.
    const behind = new Set(causes.get(each));
    for (const one of behind) for (const further of causes.get(one)!) behind.add(further);
    const root = [...behind].find((one) => causes.get(one)!.length === 0);
    const cause = root ?? (behind.has(each) ? undefined : [...behind][0]);
    if (cause !== undefined) explained.set(each.finding, cause);
  }
  return explained;
}

function without(
  result: ScenarioResult,
  explained: ReadonlyMap<Finding, Deviation>,
): ScenarioResult {
  const findings = result.findings.map((finding): Finding => {
    const cause = explained.get(finding);
    if (cause === undefined) return finding;
    const { rule, scenario } = cause;
    const actual = `${finding.actual} (this rests on ${rule}, which deviates in ${scenario})`;
    return { ...finding, verdict: 'blocked', actual, explainedBy: rule };
  });
  const byRule = { ...result.byRule };
  for (const rule of Object.keys(byRule) as RuleId[]) {
    if (byRule[rule] !== 'deviates') continue;
    byRule[rule] = judgeInScenario(rule, findings, result.ending ?? undefined);
  }
  return withVerdicts({ ...result, findings }, byRule);
}

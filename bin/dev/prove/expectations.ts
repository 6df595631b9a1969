// The expectations that a judged run evaluated, each under a name that stays the same from run to
// run, and whether it was met.
import { stableWords } from '../../../conformance/engine/judge/fingerprint.ts';
import type { Exchange, Finding, ScenarioResult } from '../../../conformance/engine/types.ts';

/** One expectation as it was evaluated: `nth` tells those with the same words apart, from 1. */
export interface Evaluated {
  readonly rule: string;
  /** `(any)` when the scenario is about other rules, and every answer is watched for this one. */
  readonly scenario: string;
  readonly words: string;
  readonly nth: number;
  readonly tripped: boolean;
}

export const ANY_SCENARIO = '(any)';

/** A run's own mark, always the same, so that the names of what it makes do not differ either. */
export const FIXED_MARK = '0123456789';

/** `rulesOf`: the rules that a scenario is about. */
export function evaluatedIn(
  results: readonly ScenarioResult[],
  rulesOf: (scenario: string) => readonly string[],
): Evaluated[] {
  return results.flatMap((result) => {
    const counts = new Map<string, number>();
    const own = rulesOf(result.id);
    const exchanges = new Map(result.exchanges.map((each) => [each.n, each]));
    return result.findings.filter(isEvaluated).flatMap((finding) => {
      const words = nameOf(finding, exchanges);
      const tripped = finding.verdict !== 'passed';
      return finding.rules.map((rule): Evaluated => {
        if (!own.includes(rule)) {
          return { rule, scenario: ANY_SCENARIO, words: stable(finding.expected), nth: 1, tripped };
        }
        const nth = (counts.get(`${rule} ${words}`) ?? 0) + 1;
        counts.set(`${rule} ${words}`, nth);
        return { rule, scenario: result.id, words, nth, tripped };
      });
    });
  });
}

/** What was blocked, doubtful or not tried says nothing about the expectation. */
function isEvaluated({ verdict }: Finding): boolean {
  return verdict === 'passed' || verdict === 'deviates' || verdict === 'advisory';
}

/** The expected words, and the call whose response they are about. */
function nameOf(finding: Finding, exchanges: ReadonlyMap<number, Exchange>): string {
  const last = exchanges.get(Math.max(...finding.exchanges));
  const words = stable(finding.expected);
  if (last?.kind !== 'call') return words;
  const path = new URL(last.request.url, 'http://x').pathname.replace(/^\/api\/v1/, '');
  const stablePath = path.replace(/\/[^/]*\d[^/]*/g, '/#');
  return `${words} @ ${last.request.method} ${stablePath}`;
}

/** Words without what differs from run to run: ids, times, names, and bodies that are quoted. */
function stable(expected: string): string {
  return stableWords(expected)
    .replace(/(exchange #): .*/s, '$1')
    .replace(/: type: "http.*/s, '')
    .replace(
      /\b(id|id:|seq|event|hook|subscription|account|transaction|brand|firm) "?\d+"?/g,
      '$1 #',
    )
    .replace(/"[^"]*[#@][^"]*"/g, '"#"')
    .replace(/\b[\w.-]+@conformance\.example\.com/g, '#')
    .slice(0, 160);
}

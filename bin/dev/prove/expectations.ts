// The expectations that a judged run evaluated, under names that are stable between runs.
import { stableWords } from '../../../conformance/engine/judge/fingerprint.ts';
import type { Exchange, Finding, ScenarioResult } from '../../../conformance/engine/types.ts';
import { scenarios } from '../../../conformance/scenarios/all.ts';

/** One evaluated expectation: `nth` distinguishes those with the same words, from 1. */
export interface Evaluated {
  readonly rule: string;
  /** `(any)` if the scenario is about other rules, and every answer is checked for this one. */
  readonly scenario: string;
  readonly words: string;
  readonly nth: number;
  readonly tripped: boolean;
}

export const ANY_SCENARIO = '(any)';

/** A constant mark of a run, so that the names of its records do not differ either. */
export const FIXED_MARK = '0123456789';

/** The rules of a scenario: a result also lists other rules that it found broken. */
const rulesOf = new Map<string, readonly string[]>(scenarios.map(({ id, rules }) => [id, rules]));

export function evaluatedIn(results: readonly ScenarioResult[]): Evaluated[] {
  return results.flatMap(({ id, findings, exchanges }) => {
    const own = rulesOf.get(id) ?? [];
    const counts = new Map<string, number>();
    return findings.filter(isEvaluated).flatMap((finding) =>
      finding.rules.map((rule): Evaluated => {
        const tripped = finding.verdict !== 'passed';
        if (!own.includes(rule)) {
          const words = stable(finding.expected);
          return { rule, scenario: ANY_SCENARIO, words, nth: 1, tripped };
        }
        const words = nameOf(finding, exchanges);
        const nth = (counts.get(`${rule} ${words}`) ?? 0) + 1;
        counts.set(`${rule} ${words}`, nth);
        return { rule, scenario: id, words, nth, tripped };
      }),
    );
  });
}

/** A blocked, inconclusive or skipped check proves nothing about the expectation. */
function isEvaluated({ verdict }: Finding): boolean {
  return verdict === 'passed' || verdict === 'deviates' || verdict === 'advisory';
}

/** The expected words, and the call whose response they describe. */
function nameOf(finding: Finding, exchanges: readonly Exchange[]): string {
  const last = exchanges.find(({ n }) => n === Math.max(...finding.exchanges));
  const words = stable(finding.expected);
  if (last?.kind !== 'call') return words;
  const path = new URL(last.request.url, 'http://x').pathname.replace(/^\/api\/v1/, '');
  return `${words} @ ${last.request.method} ${path.replace(/\/[^/]*\d[^/]*/g, '/#')}`;
}

/** Words without the parts that differ between runs: ids, times, names, and quoted bodies. */
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

// Coverage as text for a terminal: the counts, the hints, and the ten most worth trying next.
import { wrapText } from '../../../../conformance/reports/plain-text.ts';
import type { CoverageShown } from '../../../../simulator/control/schemas/coverage.ts';

const mostNext = 10;

/** Rules met in percent. */
export function percentMet({ rules }: CoverageShown): number {
  return (100 * rules.met) / rules.of;
}

/** Such as `30 of 120 rules (25 %)`. */
export function rulesLine(coverage: CoverageShown): string {
  const { met, of } = coverage.rules;
  return `${met} of ${of} rules (${percentMet(coverage).toFixed(1)} %)`;
}

/** The other counts: how many of each kind were met at least once. */
export function otherCounts(coverage: CoverageShown): readonly string[] {
  const { operations, refusals, transitions, events } = coverage;
  return [
    countLine(operations, 'operations'),
    countLine(refusals, 'refusals'),
    countLine(transitions, 'transitions'),
    countLine(events, 'kinds of events'),
  ];
}

function countLine(counts: object, what: string): string {
  const times: readonly number[] = Object.values(counts);
  return `${times.filter((n) => n > 0).length} of ${times.length} ${what}`;
}

/** Rules by family: `IDEM 12 of 32`. */
export function familyLines({ rules, not_met, not_reachable }: CoverageShown): readonly string[] {
  const families = new Map<string, { met: number; of: number }>();
  const take = (id: string, met: number) => {
    const family = id.slice(0, id.indexOf('-'));
    const before = families.get(family) ?? { met: 0, of: 0 };
    families.set(family, { met: before.met + met, of: before.of + 1 });
  };
  for (const id of Object.keys(rules.ids)) take(id, 1);
  for (const { id } of [...not_met, ...not_reachable]) take(id, 0);
  return [...families]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([family, { met, of }]) => `${family} ${met} of ${of}`);
}

/** `3 times, last on request 12: …`. */
export function hintLine({ count, request, words }: CoverageShown['hints'][number]): string {
  return `${count === 1 ? 'once' : `${count} times`}, last on request ${request}: ${words}`;
}

export function coverageText(coverage: CoverageShown): string {
  const next = coverage.not_met.slice(0, mostNext);
  const lines = [
    `Coverage: ${rulesLine(coverage)}`,
    `  ${otherCounts(coverage).join(', ')}`,
    ...wrapText(familyLines(coverage).join(', '), 96).map((line) => `  ${line}`),
    ...coverage.not_reachable.map(({ id, why }) => `  ${id} cannot be met from outside: ${why}`),
  ];
  if (coverage.hints.length > 0) lines.push('', 'Hints: answered, and perhaps not meant so');
  for (const hint of coverage.hints) lines.push(`  ${hint.code}: ${hintLine(hint)}`);
  if (next.length > 0) lines.push('', `Most worth trying next (of ${coverage.not_met.length})`);
  for (const { id, words, line } of next) lines.push(`  ${id}: ${words}`, `    ${line}`);
  return `${lines.join('\n')}\n`;
}

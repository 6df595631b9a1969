// Coverage as a document: the counts, the hints, and the rules to try next, laid out as
// text, Markdown and HTML.
import { htmlPage } from '../../../../conformance/reports/html.ts';
import { markdownPage } from '../../../../conformance/reports/markdown.ts';
import {
  code,
  type Document,
  heading,
  item,
  list,
  type Part,
  words,
} from '../../../../conformance/reports/parts.ts';
import { textOf } from '../../../../conformance/reports/text.ts';
import type { CoverageShown } from '../../../../simulator/control/coverage.ts';

/** The most rules to suggest. */
const maxNext = 10;

/** The share of covered rules in percent. */
export function percentMet({ rules }: CoverageShown): number {
  return (100 * rules.met) / rules.of;
}

/** Such as `30 of 120 rules (25.0 %)`. */
export function rulesLine(coverage: CoverageShown): string {
  const { met, of } = coverage.rules;
  return `${met} of ${of} rules (${percentMet(coverage).toFixed(1)} %)`;
}

export function coverageText(coverage: CoverageShown): string {
  const lines = textOf(partsOf(coverage, maxNext), { color: false, width: 110 });
  return [`Coverage: ${rulesLine(coverage)}`, ...lines, ''].join('\n');
}

export const coverageMarkdown = (coverage: CoverageShown): string =>
  markdownPage(documentOf(coverage));

export const coverageHtml = (coverage: CoverageShown): string =>
  htmlPage(documentOf(coverage, countParts(coverage)));

function documentOf(coverage: CoverageShown, end: readonly Part[] = []): Document {
  return {
    ...{ title: 'Coverage of the rules', verdict: `${percentMet(coverage).toFixed(1)} %` },
    ...{ tone: 'plain', subject: 'sandbox exec', headline: `reached ${rulesLine(coverage)}` },
    ...{ about: [], parts: partsOf(coverage), end },
  };
}

function partsOf(coverage: CoverageShown, most = Number.POSITIVE_INFINITY): Part[] {
  const { hints, not_met: missing, not_reachable: unreachable } = coverage;
  const next = missing.slice(0, most);
  const { operations, refusals, transitions, events } = coverage;
  const counts = [
    metOf(operations, 'operations'),
    metOf(refusals, 'refusals'),
    metOf(transitions, 'transitions'),
    metOf(events, 'kinds of events'),
  ];
  const hintItems = hints.map(({ code: id, count, request, words: text }) => {
    const times = count === 1 ? 'once' : `${count} times`;
    return item(`${times}, last on request ${request}: ${text}`, id);
  });
  return [
    words(`${counts.join(', ')}.`),
    words(`${familyCounts(coverage).join(', ')}.`),
    ...list(unreachable.map(({ id, why }) => item(`cannot be met from outside: ${why}`, id))),
    ...(hints.length === 0
      ? []
      : [heading('Hints: requests that were perhaps not meant so'), ...list(hintItems)]),
    ...(next.length === 0 ? [] : [heading(`Most worth trying next (of ${missing.length})`)]),
    ...next.flatMap(({ id, words: text, line }) => [
      ...list([item(text, id)]),
      ...code(line.split('\n')),
    ]),
  ];
}

/** How many of a kind were covered at least once. */
function metOf(counts: object, what: string): string {
  const times: readonly number[] = Object.values(counts);
  return `${times.filter((n) => n > 0).length} of ${times.length} ${what}`;
}

/** Rules by family: `IDEM 12 of 32`. */
function familyCounts({ rules, not_met, not_reachable }: CoverageShown): readonly string[] {
  const met = Object.keys(rules.ids);
  const all = [...met, ...[...not_met, ...not_reachable].map(({ id }) => id)];
  const familyOf = (id: string) => id.slice(0, id.indexOf('-'));
  return [...new Set(all.map(familyOf))].sort().map((family) => {
    const isOwn = (id: string) => familyOf(id) === family;
    return `${family} ${met.filter(isOwn).length} of ${all.filter(isOwn).length}`;
  });
}

function countParts({ rules, operations, refusals, transitions, events }: CoverageShown): Part[] {
  const tables = [
    ['Rules met', rules.ids],
    ['Operations', operations],
    ['Refusals', refusals],
    ['Transitions', transitions],
    ['Events', events],
  ] as const;
  return tables.flatMap(([name, counts]): Part[] => [
    heading(name),
    {
      kind: 'table',
      head: ['', 'times'],
      rows: Object.entries(counts).map((row) => row.map(String)),
    },
  ]);
}

// From each rule to where it lives: the code that implements it, the scenarios that judge it and
// the deviations that break it.
import { citationsIn, standsFor } from '../tidy/citations.ts';
import { isTest } from '../tidy/habits.ts';

export interface Source {
  readonly path: string;
  readonly text: string;
}

export interface RuleWords {
  readonly id: string;
  readonly words: string;
}

export interface TraceRow extends RuleWords {
  /** `file:line` of each citation in the simulator, deviations apart. */
  readonly implementedAt: readonly string[];
  /** Ids of the scenarios that list the rule. */
  readonly scenarios: readonly string[];
  /** Ids of the deviations that say they break it. */
  readonly deviations: readonly string[];
}

/** What is known of the rules: their words, the texts that may cite them, and who tries them. */
export interface Traced {
  readonly rules: readonly RuleWords[];
  readonly sources: readonly Source[];
  readonly scenarios: readonly { readonly id: string; readonly rules: readonly string[] }[];
  readonly deviations: readonly { readonly id: string; readonly breaks: readonly string[] }[];
}

/** One row a rule, in the order of the catalogue. */
export function traceRules({ rules, sources, scenarios, deviations }: Traced): TraceRow[] {
  const known = new Set(rules.map(({ id }) => id));
  const code = sources.filter(({ path }) => !isTest(path));
  const under = (folder: string) => code.filter(({ path }) => path.startsWith(folder));
  const platform = under('simulator/').filter(
    ({ path }) => !path.startsWith('simulator/deviations/'),
  );

  const implementedAt = gather(
    platform.flatMap(({ path, text }) =>
      citationsIn(path, text).map(({ id, line }) => [id, `${path}:${line}`] as const),
    ),
    known,
  );
  return rules.map(({ id, words }) => ({
    id,
    words,
    implementedAt: implementedAt.get(id) ?? [],
    scenarios: scenarios.filter((each) => each.rules.includes(id)).map((each) => each.id),
    deviations: deviations.filter((each) => each.breaks.includes(id)).map((each) => each.id),
  }));
}

export interface Hole {
  readonly id: string;
  readonly lacks: 'implementation' | 'scenario' | 'deviation';
}

/**
 * What the trace lacks. `unbendable` are the rules that no deviation can touch, each with its
 * reason; one that has a deviation all the same is a hole in that list.
 */
export function holes(
  trace: readonly TraceRow[],
  unbendable: Readonly<Record<string, string>> = {},
): Hole[] {
  return trace.flatMap(({ id, implementedAt, scenarios, deviations }): Hole[] => {
    const found: Hole[] = [];
    if (implementedAt.length === 0) found.push({ id, lacks: 'implementation' });
    if (scenarios.length === 0) found.push({ id, lacks: 'scenario' });
    const bends = deviations.length > 0;
    if (bends === id in unbendable) found.push({ id, lacks: 'deviation' });
    return found;
  });
}

/** The trace as a table for a terminal or a Markdown page. */
export function printTrace(trace: readonly TraceRow[], lacking: readonly Hole[]): string {
  const lines = trace.map(({ id, words, implementedAt, scenarios, deviations }) => {
    const cells = [id, words, implementedAt.join(' '), scenarios.join(' '), deviations.join(' ')];
    return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  });
  const counts = (['implementation', 'scenario', 'deviation'] as const).map((column) => {
    const ids = lacking.filter(({ lacks }) => lacks === column).map(({ id }) => id);
    return `${ids.length} without ${column}${ids.length > 0 ? `: ${ids.join(' ')}` : ''}`;
  });
  return [
    '| rule | words | implemented at | scenarios | deviations |',
    '|---|---|---|---|---|',
    ...lines,
    '',
    `${trace.length} rules`,
    ...counts,
  ].join('\n');
}

function gather(
  found: readonly (readonly [string, string])[],
  known: ReadonlySet<string>,
): Map<string, string[]> {
  const places = new Map<string, Set<string>>();
  for (const [cited, place] of found) {
    for (const id of standsFor(cited, known)) {
      places.set(id, (places.get(id) ?? new Set()).add(place));
    }
  }
  return new Map([...places].map(([id, set]) => [id, [...set]]));
}

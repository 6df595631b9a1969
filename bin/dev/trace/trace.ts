// From each rule to where it lives: the code that implements it, the scenarios that judge it and
// the deviations that break it. Pure over the texts of the files.
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

/** One row a rule, in the order of the catalogue. */
export function traceRules(rules: readonly RuleWords[], sources: readonly Source[]): TraceRow[] {
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
  const scenarios = gather(under('conformance/scenarios/').flatMap(listed('rules')), known);
  const deviations = gather(under('simulator/deviations/').flatMap(listed('breaks')), known);
  return rules.map(({ id, words }) => ({
    id,
    words,
    implementedAt: implementedAt.get(id) ?? [],
    scenarios: scenarios.get(id) ?? [],
    deviations: deviations.get(id) ?? [],
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

// Reads `id: 'name'` and after it `rules: ['IDEM-4b', …]` (or `breaks`): how both are written down.
function listed(list: 'rules' | 'breaks') {
  const declared = new RegExp(`\\b${list}: \\[([^\\]]*)\\]`, 'g');
  return ({ path, text }: Source): (readonly [string, string])[] =>
    [...text.matchAll(declared)].flatMap((match) => {
      const before = text.slice(0, match.index);
      const name = [...before.matchAll(/\bid: '([^']+)'/g)].at(-1)?.[1] ?? path;
      return citationsIn(path, match[1] ?? '').map(({ id }) => [id, name] as const);
    });
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

// Finds a difference of an earlier report, to play it again. The file may come from anybody: what
// is no sequence of steps is refused by its field.
import { type Schema, validate } from '../../../fixtures/schemas/validate.ts';
import type { Sequence } from '../sequence.ts';
import { stepProblems } from './step-schema.ts';

const sequence: Schema = {
  type: 'object',
  properties: { steps: { type: 'array', items: { type: 'object' }, minItems: 1 } },
  required: ['steps'],
};

const difference: Schema = {
  type: 'object',
  properties: { id: { type: 'string' }, script: { type: ['string', 'null'] } },
  required: ['id'],
};

const report: Schema = {
  type: 'object',
  properties: {
    differences: { type: 'array', items: difference },
    unexplained: { type: 'array', items: difference },
  },
  required: ['differences'],
};

interface Difference {
  readonly id: string;
  readonly script?: string | null;
  readonly sequence?: unknown;
}

export function isExploreReport(given: unknown): given is object {
  return (
    typeof given === 'object' && given !== null && Reflect.get(given, 'schema') === 'explore/1'
  );
}

/** Undefined when there is none of that id; throws a TypeError when it is no such report. */
export function sequenceIn(given: unknown, id: string): Sequence | undefined {
  const found = differenceIn(given, id);
  if (found === undefined) return undefined;
  const [problem] = [
    ...validate(sequence, found.sequence, `the sequence of ${id}`),
    ...stepProblems(found.sequence),
  ];
  if (problem === undefined) return found.sequence as Sequence;
  throw new TypeError(`of the sequence of ${id}, ${problem.field} ${problem.message}`);
}

/**
 * Of a report of the explorer; null where a difference has none, undefined where there is none.
 * Throws a TypeError when it is no such report.
 */
export function scriptIn(given: unknown, id: string): string | null | undefined {
  const found = differenceIn(given, id);
  return found === undefined ? undefined : (found.script ?? null);
}

function differenceIn(given: unknown, id: string): Difference | undefined {
  if (!isExploreReport(given)) throw new TypeError('it is no JSON report of conformance explore');
  const [problem] = validate(report, given, 'the report');
  if (problem !== undefined) throw new TypeError(`${problem.field} ${problem.message}`);
  const { differences, unexplained } = given as Readonly<Record<string, readonly Difference[]>>;
  return [...(differences ?? []), ...(unexplained ?? [])].find((each) => each.id === id);
}

/** The settings of the model that the differences of a report were found with. */
export function settingsIn(report: unknown): unknown {
  const { coverage } = (report ?? {}) as { readonly coverage?: unknown };
  const { settings_learned } = (coverage ?? {}) as { readonly settings_learned?: unknown };
  return settings_learned ?? {};
}

// Finds a difference of an earlier report, to play it again. The file may come from anywhere: what is
// no sequence of steps is refused by its field.
import { type Schema, validate } from '../../../fixtures/schemas/validate.ts';
import type { FieldProblem } from '../../../fixtures/settings/parse.ts';
import { OPERATIONS } from '../../engine/operations.ts';
import { SEED_KINDS } from '../../providers/target.ts';
import type { Sequence, Step } from '../sequence.ts';

const text: Schema = { type: 'string' };
const whole: Schema = { type: 'integer', minimum: 0, maximum: 1_000_000 };
const record: Schema = { type: 'object' };
const anything: Schema = {};

function step(
  members: Readonly<Record<string, Schema>>,
  optional: Readonly<Record<string, Schema>> = {},
) {
  const required = ['n', ...Object.keys(members)];
  return { type: 'object', properties: { n: whole, ...members, ...optional }, required } as Schema;
}

const call = step(
  { operation: { ...text, enum: Object.keys(OPERATIONS) }, as: text },
  { query: record, raw: text, headers: record, pending: { type: 'boolean' } },
);

/** What each kind of step must hold before it is played. */
const STEPS: Readonly<Record<Step['do'], Schema>> = {
  call,
  burst: step(
    { calls: { type: 'array', items: call, minItems: 1, maxItems: 1000 } },
    { trails: { type: 'boolean' } },
  ),
  many: step({ count: whole, call }),
  advance: step({ byMs: { type: 'number', minimum: 0, maximum: 1e13 } }),
  open: step({ account: anything }, { currency: text, provider: { type: 'boolean' } }),
  place: step({ kind: { ...text, enum: SEED_KINDS } }),
  mint: step({ name: text, wish: record }),
  rescope: step({ name: text, scopes: { type: 'array', items: text } }),
  settle: step({ id: anything }),
  ledger: step({ tradingAccount: anything }),
  hook: step({ answers: { type: 'array', items: { type: 'integer' } } }),
  permit: step({ operation: text, allowed: { type: 'boolean' } }),
  emit: step({ category: text, kind: text }),
  await: step({ call: whole }),
  fault: step({ match: record, effect: record }, { times: whole }),
};

const difference: Schema = {
  type: 'object',
  properties: { id: text, script: { type: ['string', 'null'] } },
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

const sequence: Schema = {
  type: 'object',
  properties: { steps: { type: 'array', items: { type: 'object' }, minItems: 1 } },
  required: ['steps'],
};

interface ReportedDifference {
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

function stepProblems(given: unknown): readonly FieldProblem[] {
  const { steps } = (given ?? {}) as { readonly steps?: unknown };
  if (!Array.isArray(steps)) return [];
  return steps.flatMap((each: unknown, at) => {
    const kind: unknown = (each as { readonly do?: unknown } | null)?.do;
    const field = `steps[${at}]`;
    if (typeof kind !== 'string' || !Object.hasOwn(STEPS, kind)) {
      return [{ field: `${field}.do`, message: `must be one of ${Object.keys(STEPS).join(', ')}` }];
    }
    return validate(STEPS[kind as Step['do']], each, field, field);
  });
}

/**
 * Of a report of the explorer; null where a difference has none, undefined where there is none.
 * Throws a TypeError when it is no such report.
 */
export function scriptIn(given: unknown, id: string): string | null | undefined {
  const found = differenceIn(given, id);
  return found === undefined ? undefined : (found.script ?? null);
}

function differenceIn(given: unknown, id: string): ReportedDifference | undefined {
  if (!isExploreReport(given)) throw new TypeError('it is no JSON report of conformance explore');
  const [problem] = validate(report, given, 'the report');
  if (problem !== undefined) throw new TypeError(`${problem.field} ${problem.message}`);
  const { differences, unexplained } = given as Readonly<
    Record<string, readonly ReportedDifference[]>
  >;
  return [...(differences ?? []), ...(unexplained ?? [])].find((each) => each.id === id);
}

/** The settings of the model that the differences of a report were found with. */
export function settingsIn(given: unknown): unknown {
  const { coverage } = (given ?? {}) as { readonly coverage?: unknown };
  const { settings_learned } = (coverage ?? {}) as { readonly settings_learned?: unknown };
  return settings_learned ?? {};
}

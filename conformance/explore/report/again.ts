// Reads a difference of an earlier report, to play it again. The file may come from anywhere: what is
// not a sequence of steps is refused by its field.
import { listOf, record } from '../../../fixtures/schemas/kit.ts';
import { type Schema, validate } from '../../../fixtures/schemas/validate.ts';
import { OPERATIONS } from '../../spec/operations.ts';
import type { Sequence, Step } from '../sequence.ts';
import type { ExploreReport } from './report.ts';

const text: Schema = { type: 'string' };
const whole: Schema = { type: 'integer', minimum: 0, maximum: 1_000_000 };
const anything: Schema = { type: 'object' };
const list = (items: Schema, more: Schema = {}) => listOf(items, '', more);

const call = record({
  ...{ n: whole, operation: { ...text, enum: Object.keys(OPERATIONS) }, as: text },
  ...{ 'query?': anything, 'raw?': text, 'headers?': anything },
  ...{ 'fault?': record({ effect: anything }), 'meanwhile?': list(anything) },
});

const STEPS: Readonly<Record<Step['do'], Schema>> = {
  call,
  burst: record({ n: whole, calls: list(call, { minItems: 1, maxItems: 1000 }) }),
  many: record({ n: whole, count: whole, call }),
  advance: record({ n: whole, byMs: { type: 'number', minimum: 0, maximum: 1e13 } }),
  open: record({ n: whole, account: {} }),
  place: record({ n: whole, kind: text }),
  mint: record({ n: whole, name: text, wish: anything }),
  rescope: record({ n: whole, name: text, scopes: list(text) }),
  settle: record({ n: whole, id: {} }),
  ledger: record({ n: whole, tradingAccount: {} }),
  hook: record({ n: whole, answers: list({ type: 'integer' }) }),
  permit: record({ n: whole, operation: text, allowed: { type: 'boolean' } }),
};

const differences = list(record({ id: text }));
const report = record({ differences, 'unexplained?': differences });
const sequence = record({ steps: list(anything, { minItems: 1 }) });

export function isExploreReport(given: unknown): given is object {
  return (
    typeof given === 'object' && given !== null && Reflect.get(given, 'schema') === 'explore/1'
  );
}

function demand(schema: Schema, given: unknown, name: string, field = ''): void {
  const [problem] = validate(schema, given, name, field);
  if (problem !== undefined) throw new TypeError(`${problem.field} ${problem.message}`);
}

/** Undefined if the report has no difference of that id; throws a TypeError if it is no report. */
export function sequenceIn(given: unknown, id: string): Sequence | undefined {
  if (!isExploreReport(given)) throw new TypeError('it is no JSON report of conformance explore');
  demand(report, given, 'the report');
  const { differences: all, unexplained = [] } = given as ExploreReport;
  const found = [...all, ...unexplained].find((each) => each.id === id);
  if (found === undefined) return undefined;
  demand(sequence, found.sequence, `${id}.sequence`, `${id}.sequence`);
  for (const [at, step] of found.sequence.steps.entries()) {
    const field = `steps[${at}]`;
    const kind: unknown = step.do;
    if (typeof kind !== 'string' || !Object.hasOwn(STEPS, kind)) {
      throw new TypeError(`${field}.do must be one of ${Object.keys(STEPS).join(', ')}`);
    }
    demand(STEPS[step.do], step, field, field);
  }
  return found.sequence;
}

export const settingsIn = (given: unknown): unknown =>
  (given as Partial<ExploreReport> | null)?.coverage?.settings_learned ?? {};

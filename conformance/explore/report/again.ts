// Reads a difference of an earlier report, to play it again. The file may come from anywhere: what is not a sequence of steps is refused by its field.
import { type Schema, validate } from '../../../fixtures/schemas/validate.ts';
import { OPERATIONS } from '../../spec/operations.ts';
import type { Sequence, Step } from '../sequence.ts';
import type { ExploreReport } from './report.ts';

const text: Schema = { type: 'string' };
const whole: Schema = { type: 'integer', minimum: 0, maximum: 1_000_000 };
const record: Schema = { type: 'object' };
const list: Schema = { type: 'array' };

const object = (properties: Readonly<Record<string, Schema>>, optional: string[] = []): Schema => ({
  ...{ type: 'object', properties },
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
});

const call = object(
  {
    ...{ n: whole, operation: { ...text, enum: Object.keys(OPERATIONS) }, as: text },
    ...{ query: record, raw: text, headers: record, fault: object({ effect: record }) },
    meanwhile: { ...list, items: record },
  },
  ['query', 'raw', 'headers', 'fault', 'meanwhile'],
);

const STEPS: Readonly<Record<Step['do'], Schema>> = {
  call,
  burst: object({ n: whole, calls: { ...list, items: call, minItems: 1, maxItems: 1000 } }),
  many: object({ n: whole, count: whole, call }),
  advance: object({ n: whole, byMs: { type: 'number', minimum: 0, maximum: 1e13 } }),
  open: object({ n: whole, account: {} }),
  place: object({ n: whole, kind: text }),
  mint: object({ n: whole, name: text, wish: record }),
  rescope: object({ n: whole, name: text, scopes: { ...list, items: text } }),
  settle: object({ n: whole, id: {} }),
  ledger: object({ n: whole, tradingAccount: {} }),
  hook: object({ n: whole, answers: { ...list, items: { type: 'integer' } } }),
  permit: object({ n: whole, operation: text, allowed: { type: 'boolean' } }),
};

const differences: Schema = { ...list, items: object({ id: text }) };
const report = object({ differences, unexplained: differences }, ['unexplained']);
const sequence = object({ steps: { ...list, items: record, minItems: 1 } });

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

// What each kind of step must hold before it is played: steps come from a file.
import { type Schema, validate } from '../../../fixtures/schemas/validate.ts';
import type { FieldProblem } from '../../../fixtures/settings/parse.ts';
import { SEED_KINDS } from '../../providers/target.ts';
import type { Step } from '../sequence.ts';

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
  { operation: text, as: text },
  { query: record, raw: text, headers: record, pending: { type: 'boolean' } },
);

const steps: Readonly<Record<Step['do'], Schema>> = {
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
  hook: step(
    { answers: { type: 'array', items: { type: 'integer' } } },
    { slow: { type: 'boolean' } },
  ),
  permit: step({ operation: text, allowed: { type: 'boolean' } }),
  resolve: step({ name: text, addresses: { type: 'array', items: text } }),
  resume: step({ subscription: anything }),
  firmRate: step({ perSecond: { type: ['number', 'null'] } }),
  emit: step({ category: text, kind: text }),
  listen: step({ as: text, after: anything }),
  await: step({ call: whole }),
  fault: step({ match: record, effect: record }, { times: whole }),
};

/** Of the steps of a sequence, if it has any. */
export function stepProblems(sequence: unknown): readonly FieldProblem[] {
  const { steps: given } = (sequence ?? {}) as { readonly steps?: unknown };
  if (!Array.isArray(given)) return [];
  return given.flatMap((each: unknown, at) => {
    const kind: unknown = (each as { readonly do?: unknown } | null)?.do;
    const field = `steps[${at}]`;
    if (typeof kind !== 'string' || !Object.hasOwn(steps, kind)) {
      return [{ field: `${field}.do`, message: `must be one of ${Object.keys(steps).join(', ')}` }];
    }
    return validate(steps[kind as Step['do']], each, field, field);
  });
}

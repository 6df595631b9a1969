// Plainer forms of one step, the boldest first.
import { isDeepStrictEqual } from 'node:util';
import { bodyOf, type Members, sameValue } from '../draw/draft.ts';
import { OPS } from '../draw/operations.ts';
import { type BurstStep, type CallStep, callsOf, type Step, type Value } from '../sequence.ts';

/** What is tried instead of a step depends on what comes before it. */
export function* simpler(step: Step, before: readonly Step[]): Generator<Step> {
  switch (step.do) {
    case 'advance':
      for (const byMs of [1, Math.round(step.byMs / 10), Math.round(step.byMs / 2)]) {
        if (byMs < step.byMs) yield { ...step, byMs };
      }
      return;
    case 'many':
      // Each try sends them all: the last few of them may stay.
      for (const part of [0, 0.25, 0.5, 0.8, 0.95]) {
        const count = Math.max(2, Math.floor(step.count * part));
        if (count < step.count) yield { ...step, count };
      }
      return;
    case 'burst':
      yield* plainerBursts(step);
      return;
    case 'mint': {
      const { scopes, perSecond } = step.wish;
      if (scopes.length > 0) yield { ...step, wish: { ...step.wish, scopes: [] } };
      if (Number(perSecond) > 1) yield { ...step, wish: { ...step.wish, perSecond: 1 } };
      return;
    }
    case 'hook': {
      const { answers } = step;
      if (answers.length > 1 || answers[0] !== 200) yield { ...step, answers: [200] };
      if (answers.length > 2) yield { ...step, answers: [answers[0]!, 200] };
      return;
    }
    case 'call':
      yield* plainerCalls(step, callsOf(before));
  }
}

function* plainerBursts({ trails, ...step }: BurstStep): Generator<Step> {
  if (trails === true) yield step;
  for (const { n } of step.calls.slice(1)) {
    yield {
      ...step,
      ...(trails === true ? { trails } : {}),
      calls: step.calls.filter((each) => each.n !== n),
    };
  }
}

function* plainerCalls(step: CallStep, before: readonly CallStep[]): Generator<CallStep> {
  yield* exactRepeats(step, before);
  const { n, as, key, headers } = step;
  if (as !== 'firm' && headers?.authorization === undefined) yield { ...step, as: 'firm' };
  if (key !== undefined && !isOwn(key, before)) yield { ...step, key: { $fresh: `key${n}` } };
  if (headers !== undefined) {
    const { headers: _, ...rest } = step;
    yield rest;
  }
  yield* plainerBodies(step, before);
}

/** An exact repeat is plainest: new names would make it another call again. */
function* exactRepeats(step: CallStep, before: readonly CallStep[]): Generator<CallStep> {
  const { n, operation, key, pending } = step;
  if (key === undefined) return;
  const first = before.find((each) => each.operation === operation && sameValue(each.key, key));
  if (first === undefined) return;
  const { pending: _, ...rest } = first;
  const repeat: CallStep = { ...rest, n, ...(pending === undefined ? {} : { pending }) };
  if (!isDeepStrictEqual(repeat, step)) yield repeat;
}

function* plainerBodies(step: CallStep, before: readonly CallStep[]): Generator<CallStep> {
  const body = bodyOf(step);
  const withBody = (changed: Members): CallStep => ({ ...step, body: changed });
  if (Array.isArray(body.accounts)) {
    for (const accounts of fewerRows(body.accounts as readonly Value[]))
      yield withBody({ accounts });
    return;
  }
  const { fields } = OPS[step.operation];
  const isSpare = (name: string) => fields.find((each) => each.name === name)?.required !== true;
  const spare = Object.keys(body).filter((name) => isSpare(name) && name !== 'brand_id');
  const isUpdate = step.operation === 'updateAccount';
  if (spare.length > 1 && !isUpdate) yield withBody(leaveOut(body, spare));
  for (const name of spare) {
    if (isUpdate && spare.length < 2) continue;
    yield withBody(leaveOut(body, name === 'phone' ? [name, 'phone_region'] : [name]));
  }
  const plain = withoutCase(body) as Members;
  if (!isDeepStrictEqual(plain, body)) yield withBody(plain);
  for (const [name, value] of Object.entries(PLAIN)) {
    if (name in body && body[name] !== value) yield withBody({ ...body, [name]: value });
  }
  const { client_reference_id: reference, email } = body;
  const { n } = step;
  if (reference !== undefined && !isOwn(reference, before)) {
    yield withBody({ ...body, client_reference_id: { $fresh: `ref${n}` } });
  }
  if (email === undefined || isOwn(email, before)) return;
  yield withBody({ ...body, email: { $join: [{ $fresh: `mail${n}` }, '@explore.example.com'] } });
}

/** What a member reads when nothing is special about it. */
const PLAIN: Readonly<Record<string, Value>> = {
  ...{ amount: '25.00', transaction_type: 'Deposit', reason: 'late', status: 'Active' },
  ...{ first_name: 'Ada', last_name: 'Ada', country: 'GB', language: 'en' },
};

const leaveOut = (body: Members, names: readonly string[]): Members =>
  Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name)));

function* fewerRows(rows: readonly Value[]): Generator<readonly Value[]> {
  if (rows.length > 2) yield rows.slice(Math.floor(rows.length / 2));
  for (const [at, row] of rows.entries()) {
    if (rows.length > 1) yield rows.filter((_, each) => each !== at);
    const count = (row as { readonly $rows?: number } | null)?.$rows ?? 0;
    for (const fewer of [1, Math.floor(count / 10), Math.floor(count / 2), count - 1]) {
      if (fewer >= 1 && fewer < count) {
        yield rows.with(at, { ...(row as object), $rows: fewer } as Value);
      }
    }
  }
}

/** A new text that no earlier call has. */
function isOwn(value: Value, before: readonly CallStep[]): boolean {
  const [stem, ...more] = stemsIn(value);
  if (stem === undefined || more.length > 0) return false;
  return !before.some((each) => stemsIn(each).includes(stem));
}

function stemsIn(value: unknown): readonly string[] {
  if (value === null || typeof value !== 'object') return [];
  const { $fresh } = value as { readonly $fresh?: unknown };
  const inner = Object.values(value).flatMap(stemsIn);
  return typeof $fresh === 'string' ? [$fresh, ...inner] : inner;
}

function withoutCase(value: Value): Value {
  if (value === null || typeof value !== 'object') return value;
  if ('$case' in value) return withoutCase(value.of as Value);
  if (Array.isArray(value)) return value.map((each: Value) => withoutCase(each));
  const members = Object.entries(value).map(([name, each]) => [name, withoutCase(each as Value)]);
  return Object.fromEntries(members) as Value;
}

// Plainer forms of one step, the boldest first.
import { isDeepStrictEqual } from 'node:util';
import { bodyOf, type Members, plainMember } from '../draw/draft.ts';
import { OPS } from '../draw/operations.ts';
import { symbolsIn } from '../play/symbols.ts';
import { type CallStep, callsOf, type Step, sameValue, type Value } from '../sequence.ts';

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
      for (const { n } of step.calls.slice(1)) {
        yield { ...step, calls: step.calls.filter((each) => each.n !== n) };
      }
      return;
    case 'mint': {
      const { scopes, perSecond } = step.wish;
      if (scopes.length > 0) yield { ...step, wish: { ...step.wish, scopes: [] } };
      if (Number(perSecond) > 1) yield { ...step, wish: { ...step.wish, perSecond: 1 } };
      return;
    }
    case 'hook': {
      const { answers } = step;
      if (!isDeepStrictEqual(answers, [200])) yield { ...step, answers: [200] };
      if (answers.length > 2) yield { ...step, answers: [answers[0]!, 200] };
      return;
    }
    case 'call':
      yield* plainerCalls(step, callsOf(before));
  }
}

function* plainerCalls(step: CallStep, before: readonly CallStep[]): Generator<CallStep> {
  const { n, operation, as, key, headers, fault, meanwhile } = step;
  // An exact repeat is plainest: new names would make it another call again.
  const first = before.find((each) => each.operation === operation && sameValue(each.key, key));
  const repeat = first && { ...first, n, ...(fault && { fault }), ...(meanwhile && { meanwhile }) };
  if (repeat !== undefined && !isDeepStrictEqual(repeat, step)) yield repeat;
  const { headers: _, fault: __, meanwhile: ___, ...plain } = step;
  if (fault !== undefined) yield { ...plain, ...(headers && { headers }) };
  if (as !== 'firm' && headers?.authorization === undefined) yield { ...step, as: 'firm' };
  if (key !== undefined && !isOwn(key, before)) yield { ...step, key: { $fresh: `key${n}` } };
  if (headers !== undefined) {
    yield { ...plain, ...(fault && { fault }), ...(meanwhile && { meanwhile }) };
  }
  const { accounts } = bodyOf(step);
  const bodies = Array.isArray(accounts)
    ? [...fewerRows(accounts as readonly Value[])].map((rows) => ({ accounts: rows }))
    : plainerBodies(step, before);
  for (const body of bodies) if (!isDeepStrictEqual(body, step.body)) yield { ...step, body };
}

function* plainerBodies(step: CallStep, before: readonly CallStep[]): Generator<Members> {
  const body = bodyOf(step);
  const { fields, name } = OPS[step.operation];
  const isNeeded = (member: string) =>
    member === 'brand_id' || fields.some((each) => each.name === member && each.required);
  const spare = Object.keys(body).filter((each) => !isNeeded(each));
  const isUpdate = name === 'updateAccount';
  if (spare.length > 1 && !isUpdate) yield leaveOut(body, spare);
  for (const each of spare) {
    // UPD-8: something has to change.
    if (isUpdate && spare.length < 2) continue;
    yield leaveOut(body, each === 'phone' ? [each, 'phone_region'] : [each]);
  }
  for (const field of fields) {
    const value = body[field.name];
    // What another call has said too, or was answered, may be what it is about.
    const isBound = symbolsIn(value).some((each) => each.startsWith('answer'));
    if (value === undefined || isBound || field.kind === 'id' || isOwn(value, before)) continue;
    yield { ...body, [field.name]: plainMember(field, step.as, step.n) };
  }
}

const leaveOut = (body: Members, names: readonly string[]): Members =>
  Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name)));

function* fewerRows(rows: readonly Value[]): Generator<readonly Value[]> {
  if (rows.length > 2) yield rows.slice(Math.floor(rows.length / 2));
  for (const [at, row] of rows.entries()) {
    if (rows.length > 1) yield rows.toSpliced(at, 1);
    const count = (row as { readonly $rows?: number } | null)?.$rows ?? 0;
    for (const fewer of [1, Math.floor(count / 10), Math.floor(count / 2), count - 1]) {
      if (fewer < 1 || fewer >= count) continue;
      yield rows.with(at, { ...(row as object), $rows: fewer } as Value);
    }
  }
}

/** A new text that no earlier call has. */
function isOwn(value: Value, before: readonly CallStep[]): boolean {
  const [symbol, ...more] = symbolsIn(value);
  const isPlain =
    symbol !== undefined && more.length === 0 && !JSON.stringify(value).includes('$case');
  return isPlain && !before.some((each) => symbolsIn(each).includes(symbol));
}

// IDEM-4, IDEM-5: if the model replays an answer, the target must replay it too, byte for byte.
import { isDeepStrictEqual } from 'node:util';
import { memberAt } from '../../engine/send/json.ts';
import { answersIn, type CallOutcome, type Outcome, textOf } from '../play/outcome.ts';
import type { CallStep } from '../sequence.ts';
import { differenceOf } from './answers.ts';
import type { Difference } from './difference.ts';
import { shown } from './values.ts';

type Outcomes = ReadonlyMap<number, Outcome>;

export function compareReplay(
  step: CallStep,
  target: CallOutcome,
  model: CallOutcome,
  played: { readonly target: Outcomes; readonly model: Outcomes },
): Difference | null {
  if (model.basis?.idempotency !== 'replayed') return null;
  const first = firstOf(model, played.model);
  const own = first === undefined ? undefined : played.target.get(first.n);
  if (own?.kind !== 'answer') return null;
  const wrong = (at: string, said: string, expected: string) =>
    differenceOf(step, target, model, { at, target: said, model: expected });
  if (target.headers.mediaType() !== own.headers.mediaType()) {
    return wrong('replay.content-type', target.headers.mediaType(), own.headers.mediaType());
  }
  if (!Buffer.from(target.body).equals(own.body)) {
    const isPrintedAnew = own.json !== undefined && isDeepStrictEqual(target.json, own.json);
    return wrong(
      isPrintedAnew ? 'replay.bytes' : 'replay.body',
      shown(target.json ?? textOf(target)),
      `as the answer to call ${own.n}: ${shown(own.json ?? textOf(own))}`,
    );
  }
  return null;
}

/**
 * IDEM-2: a call under a new key does not get the answer of another call, even if the bodies are
 * equal. A problem identifies its attempt by its request id (IDEM-5).
 */
export function compareAttempt(
  step: CallStep,
  target: CallOutcome,
  model: CallOutcome,
  outcomes: Outcomes,
): Difference | null {
  const id = memberAt(target.json, 'request_id');
  const isRun = model.basis?.idempotency === 'first' && model.status >= 400;
  if (!isRun || typeof id !== 'string' || isAttempt(target, id)) return null;
  const first = [...outcomes.values()].find(
    (each) => each.kind === 'answer' && each.n !== target.n && isAttempt(each, id),
  );
  if (first?.kind !== 'answer' || keyOf(first) === keyOf(target)) return null;
  const isWhole = Buffer.from(first.body).equals(target.body);
  const at = isWhole ? 'attempt' : 'attempt.request_id';
  const mismatch = { at, target: `that of call ${first.n}`, model: 'one of its own' };
  return differenceOf(step, target, model, mismatch);
}

/**
 * IDEM-2, IDEM-3: the answer to another call under this key, which the model does not repeat. That is
 * the difference, whatever member shows it first.
 */
export function asForeignReplay(
  found: Difference,
  own: CallOutcome,
  due: CallOutcome,
  played: { readonly target: Outcomes; readonly model: Outcomes },
): Difference {
  const key = keyOf(own)?.toLowerCase();
  if (found.basis?.idempotency === 'replayed' || key === undefined) return found;
  const first = answersIn(played.target).find((each) => {
    const other = played.model.get(each.n);
    const isOther =
      other?.kind === 'answer' && (other.status !== due.status || textOf(other) !== textOf(due));
    const isSameKey = each.n !== own.n && keyOf(each)?.toLowerCase() === key;
    const isSame = each.status === own.status && Buffer.from(each.body).equals(own.body);
    return isSameKey && isOther && isSame;
  });
  if (first === undefined) return found;
  const routeOf = ({ sent }: CallOutcome) => sent.target.replace(/\?.*/, '').replace(/\d+/g, '');
  const at = routeOf(first) === routeOf(own) ? 'attempt' : 'attempt.operation';
  return { ...found, at, target: `that of call ${first.n}`, model: 'one of its own' };
}

const isAttempt = ({ headers }: CallOutcome, id: string): boolean =>
  headers.get('x-request-id') === id;

/** IDEM-1c: without surrounding spaces. */
export const keyOf = ({ sent }: CallOutcome): string | undefined =>
  sent.headers.find(([name]) => name === 'idempotency-key')?.[1].trim();

/**
 * The answer that the model has replayed: the last one before it with the same bytes under its key,
 * which may have run a second time after a day (IDEM-7b); of calls that were sent together, a later
 * one. Answers under other keys may look the same, because a call without effect returns the unchanged
 * record; so may answers to another caller (IDEM-2b), or to another token of the same credential.
 */
export function firstOf(model: CallOutcome, outcomes: Outcomes): CallOutcome | undefined {
  const alike = [...outcomes.values()].filter((outcome): outcome is CallOutcome => {
    if (outcome.kind !== 'answer' || outcome.n === model.n) return false;
    if (outcome.status !== model.status || outcome.sent.method !== model.sent.method) return false;
    if (outcome.basis?.idempotency === 'replayed' || keyOf(outcome) !== keyOf(model)) return false;
    return Buffer.from(outcome.body).equals(model.body);
  });
  const own = alike.filter(({ sent }) => sent.as === model.sent.as);
  const same = own.length > 0 ? own : alike;
  return same.findLast(({ n }) => n < model.n) ?? same[0];
}

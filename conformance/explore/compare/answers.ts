// Compares the answers of the target and the model to one call: with each other, and with the earlier
// answers that they repeat (IDEM-4, IDEM-5).

import { isDeepStrictEqual } from 'node:util';
import { type Json, memberAt } from '../../engine/send/json.ts';
import { OPERATIONS, type OperationName } from '../../spec/operations.ts';
import {
  answersIn,
  type CallOutcome,
  isNumber,
  type Outcome,
  summaryOf,
  textOf,
} from '../play/outcome.ts';
import type { CallStep } from '../sequence.ts';
import type { Difference } from './difference.ts';
import { isOpenRead, listIn, type Mismatch, PAGES, PROBLEM, SUCCESS, shown } from './shapes.ts';
import type { Comparing } from './sides.ts';

export function compareAnswers(
  step: CallStep,
  target: CallOutcome,
  model: CallOutcome,
  comparing: Comparing,
): Difference | null {
  const { operation } = step;
  const found =
    compareStatus(target, model) ??
    compareType(target, model) ??
    compareBody(operation, target, model, comparing) ??
    (isOpenRead(operation) || !model.headers.has('etag')
      ? null
      : unlessShared(tagOf(target), tagOf(model))) ??
    compareRequestId(operation, target, model, comparing) ??
    compareLimits(operation, target, model);
  return found && differenceOf(step, target, model, found);
}

export function differenceOf(
  { n, operation }: CallStep,
  target: CallOutcome,
  model: CallOutcome,
  mismatch: Mismatch,
): Difference {
  const answers = { modelAnswer: summaryOf(model), targetAnswer: summaryOf(target) };
  return { n, operation, ...mismatch, ...answers, basis: model.basis };
}

function compareStatus(target: CallOutcome, model: CallOutcome): Mismatch | null {
  const words = { target: summaryOf(target), model: summaryOf(model) };
  if (target.status !== model.status) return { at: 'status', ...words };
  const isProblem = model.status >= 400 && typeof memberAt(model.json, 'code') === 'string';
  return isProblem && words.target !== words.model ? { at: 'code', ...words } : null;
}

/** ERR-1a, ERR-2: a problem or plain text; a success only has to be JSON. */
function compareType(target: CallOutcome, model: CallOutcome): Mismatch | null {
  if (target.body.length === 0 && model.body.length === 0) return null;
  const [own, other] = [target.headers.mediaType(), model.headers.mediaType()];
  const alike =
    model.status < 400
      ? (own === '') === (other === '') && own.includes('json') === other.includes('json')
      : own === other;
  return alike ? null : { at: 'header.content-type', target: own, model: other };
}

function compareBody(
  operation: OperationName,
  target: CallOutcome,
  model: CallOutcome,
  comparing: Comparing,
): Mismatch | null {
  if (model.status < 400 && isOpenRead(operation)) {
    const mismatch = unlessShared(readOf(target.json), readOf(model.json));
    return mismatch ?? findLeak(operation, target, model, comparing);
  }
  if (model.status < 400) {
    const mismatch = SUCCESS[operation](target.json, model.json, 'body', comparing);
    return mismatch ?? compareRevision(target, model, comparing);
  }
  if (typeof memberAt(model.json, 'code') === 'string') {
    const mismatch = PROBLEM(target.json, model.json, 'body', comparing);
    return mismatch ?? unlessShared(problemOf(target), problemOf(model));
  }
  const [own, due] = [target, model].map(({ body }) => body.length);
  const isAlike = (own === 0) === (due === 0);
  return isAlike ? null : { at: 'body', target: `${own} bytes`, model: `${due} bytes` };
}

const NUMBERS = ['record_id', 'account_id'] as const;

/**
 * What is required of an answer by itself. A model with a deviation may fail in the same way, and then
 * it answers like the target.
 */
function unlessShared(target: Mismatch | null, model: Mismatch | null): Mismatch | null {
  return target?.at === model?.at ? null : target;
}

/** CONV-3, NS-2: in a read only these two members are compared, as JSON numbers in any row. */
function readOf(json: Json | undefined): Mismatch | null {
  const list = listIn(json);
  for (const row of Array.isArray(list) ? list : [json]) {
    for (const name of NUMBERS) {
      const value = memberAt(row, name);
      if (value === undefined || isNumber(value)) continue;
      const at = row === json ? `body.${name}` : `body.*.${name}`;
      return { at, target: shown(value), model: 'a JSON number' };
    }
  }
  return null;
}

const FULL_PAGE = 100;

/** AUTH-6, AUTH-7: a record of the sequence on a page of a caller that it is out of scope for. */
function findLeak(
  operation: OperationName,
  target: CallOutcome,
  model: CallOutcome,
  { match }: Comparing,
): Mismatch | null {
  const [page, rows, due] = [PAGES[operation], listIn(target.json), listIn(model.json)];
  if (page === undefined || !Array.isArray(rows) || !Array.isArray(due)) return null;
  // A full page may leave out records that are in scope.
  if (due.length >= FULL_PAGE) return null;
  const { by, space } = page;
  const ids = new Set(due.map((row) => String(memberAt(row, by))));
  const isOutOfScope = (id: string) => {
    const known = match.modelOf(space, id);
    return known !== undefined && !ids.has(known);
  };
  const leaked = rows.map((row) => String(memberAt(row, by))).find(isOutOfScope);
  if (leaked === undefined) return null;
  return { at: 'body.*', target: `${space} ${leaked}`, model: `no ${space} ${leaked}` };
}

/** ERR-1: the requirements on a problem alone, whatever its wording. */
function problemOf({ json }: CallOutcome): Mismatch | null {
  const [type, code, id, errors] = ['type', 'code', 'request_id', 'errors'].map((name) =>
    memberAt(json, name),
  );
  const end = `/errors/${String(code)}`;
  const isUri = typeof type === 'string' && /^[a-z][a-z0-9+.-]*:/i.test(type);
  if (!isUri || !type.endsWith(end)) {
    const model = `a URI that ends in ${end}`;
    return { at: 'body.type', target: shown(type), model, form: 'ERR-1b' };
  }
  if (typeof id !== 'string' || id === '') {
    return { at: 'body.request_id', target: shown(id), model: 'a text' };
  }
  const isList = Array.isArray(errors);
  return isList ? null : { at: 'body.errors', target: shown(errors), model: 'a list' };
}

/** NS-26: the target chooses its revision numbers; they have to change when the model's do. */
function compareRevision(
  target: CallOutcome,
  model: CallOutcome,
  { match }: Comparing,
): Mismatch | null {
  const space = `revision of ${String(memberAt(model.json, 'id'))}`;
  const [own, due] = [target, model].map(({ json }) => memberAt(json, 'revision'));
  const isAlike = own === undefined || due === undefined;
  if (isAlike || match.pair(space, String(own), String(due))) return null;
  return { at: 'body.revision', target: shown(own), model: shown(due) };
}

/** ACC-19: a strong tag whose value is the revision in the body. */
function tagOf({ headers, json }: CallOutcome): Mismatch | null {
  const own = headers.get('etag');
  const tag = `"${String(memberAt(json, 'revision'))}"`;
  if (own === tag) return null;
  return { at: 'header.etag', target: own ?? 'none', model: `the revision, ${tag}` };
}

/** ERR-4, IDEM-5: every answer to one of the nine writes has a request id, each a different one. */
function compareRequestId(
  operation: OperationName,
  target: CallOutcome,
  model: CallOutcome,
  { match }: Comparing,
): Mismatch | null {
  const [own, other] = [target, model].map(({ headers }) => headers.get('x-request-id'));
  if (!OPERATIONS[operation].keyed || other === undefined) return null;
  if (own !== undefined && own !== '' && match.pair('request', own, other)) return null;
  return { at: 'header.x-request-id', target: own ?? 'none', model: 'one of its own' };
}

const LIMIT_HEADERS = ['limit', 'remaining', 'reset'].map((each) => `x-ratelimit-${each}`);

/** LIM-6, LIM-8: the four headers are on a 429 and on no other answer; a refusal may ask for a wait. */
function compareLimits(
  operation: OperationName,
  target: CallOutcome,
  model: CallOutcome,
): Mismatch | null {
  for (const name of [...LIMIT_HEADERS, 'retry-after']) {
    const [own, other] = [target, model].map(({ headers }) => headers.get(name));
    // NS-51: the limit of the token endpoint, and how it counts a minute, is not specified.
    const isOpen = operation === 'issueToken' && own !== undefined && other !== undefined;
    if (isOpen ? /^([1-9]\d?|0)$/.test(own) : own === other) continue;
    if (name === 'retry-after' && ![200, 201, 429].includes(target.status)) continue;
    return { at: `header.${name}`, target: own ?? 'none', model: other ?? 'none' };
  }
  const errors = memberAt(target.json, 'errors');
  if (target.status !== 429 || !Array.isArray(errors) || errors.length === 0) return null;
  return { at: 'body.errors', target: shown(errors), model: '[]' };
}

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
  const ofAnother = first.sent.as === own.sent.as ? 'attempt' : 'attempt.credential';
  const at = routeOf(first) === routeOf(own) ? ofAnother : 'attempt.operation';
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

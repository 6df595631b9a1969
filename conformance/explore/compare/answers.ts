// Compares the answers of the target and the model to one call.
import { type Json, memberAt } from '../../engine/send/json.ts';
import { OPERATIONS } from '../../spec/operations.ts';
import { type CallOutcome, isNumber, summaryOf } from '../play/outcome.ts';
import type { CallStep } from '../sequence.ts';
import type { Difference } from './difference.ts';
import { isOpenRead, PAGES, PROBLEM, SUCCESS } from './shapes.ts';
import { type Comparing, listIn, type Mismatch, shown } from './values.ts';

type Compare = (
  step: CallStep,
  target: CallOutcome,
  model: CallOutcome,
  comparing: Comparing,
) => Mismatch | null;

const COMPARISONS: readonly Compare[] = [
  compareStatus,
  compareType,
  compareBody,
  compareEtag,
  compareRequestId,
  compareLimits,
];

export function compareAnswers(
  step: CallStep,
  target: CallOutcome,
  model: CallOutcome,
  comparing: Comparing,
): Difference | null {
  for (const compare of COMPARISONS) {
    const found = compare(step, target, model, comparing);
    if (found !== null) return differenceOf(step, target, model, found);
  }
  return null;
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

function compareStatus(_: CallStep, target: CallOutcome, model: CallOutcome): Mismatch | null {
  const words = { target: summaryOf(target), model: summaryOf(model) };
  if (target.status !== model.status) return { at: 'status', ...words };
  const isProblem = model.status >= 400 && typeof memberAt(model.json, 'code') === 'string';
  return isProblem && words.target !== words.model ? { at: 'code', ...words } : null;
}

/** ERR-1a, ERR-2: a problem or plain text; a success only has to be JSON. */
function compareType(_: CallStep, target: CallOutcome, model: CallOutcome): Mismatch | null {
  if (target.body.length === 0 && model.body.length === 0) return null;
  const [own, other] = [target.headers.mediaType(), model.headers.mediaType()];
  const alike =
    model.status < 400
      ? (own === '') === (other === '') && own.includes('json') === other.includes('json')
      : own === other;
  return alike ? null : { at: 'header.content-type', target: own, model: other };
}

function compareBody(
  { operation }: CallStep,
  target: CallOutcome,
  model: CallOutcome,
  comparing: Comparing,
): Mismatch | null {
  if (model.status < 400 && isOpenRead(operation)) {
    return compareRead(target.json, model.json) ?? findLeak(operation, target, model, comparing);
  }
  if (model.status < 400) {
    return (
      SUCCESS[operation](target.json, model.json, 'body', comparing) ??
      compareRevision(target, model, comparing)
    );
  }
  if (typeof memberAt(model.json, 'code') === 'string') {
    return PROBLEM(target.json, model.json, 'body', comparing) ?? problemOf(target);
  }
  const [own, due] = [target, model].map(({ body }) => body.length);
  const isAlike = (own === 0) === (due === 0);
  return isAlike ? null : { at: 'body', target: `${own} bytes`, model: `${due} bytes` };
}

const NUMBERS = ['record_id', 'account_id'] as const;

/** CONV-3, NS-2: in a read only these two members are compared, as JSON numbers in any row. */
function compareRead(target: Json | undefined, model: Json | undefined): Mismatch | null {
  const list = listIn(target);
  for (const row of Array.isArray(list) ? list : [target]) {
    for (const name of NUMBERS) {
      const value = memberAt(row, name);
      if (value === undefined || isNumber(value)) continue;
      const at = memberAt(model, name) === undefined ? `body.*.${name}` : `body.${name}`;
      return { at, target: shown(value), model: 'a JSON number' };
    }
  }
  return null;
}

const FULL_PAGE = 100;

/** AUTH-6, AUTH-7: a record of the sequence on a page of a caller that it is out of scope for. */
function findLeak(
  operation: CallStep['operation'],
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
  const leaked = rows
    .map((row) => String(memberAt(row, by)))
    .find((id) => {
      const known = match.modelOf(space, id);
      return known !== undefined && !ids.has(known);
    });
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
    return { at: 'body.type', target: shown(type), model: `a URI that ends in ${end}` };
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
function compareEtag(
  { operation }: CallStep,
  target: CallOutcome,
  model: CallOutcome,
): Mismatch | null {
  const [own, other] = [target, model].map(({ headers }) => headers.get('etag'));
  const tag = `"${String(memberAt(target.json, 'revision'))}"`;
  if (other === undefined || isOpenRead(operation) || own === tag) return null;
  return { at: 'header.etag', target: own ?? 'none', model: `the revision, ${tag}` };
}

/** ERR-4, IDEM-5: every answer to one of the nine writes has a request id, each a different one. */
function compareRequestId(
  { operation }: CallStep,
  target: CallOutcome,
  model: CallOutcome,
  { match }: Comparing,
): Mismatch | null {
  const [own, other] = [target, model].map(({ headers }) => headers.get('x-request-id'));
  if (!OPERATIONS[operation].keyed || other === undefined) return null;
  if (own !== undefined && own !== '' && match.pair('request', own, other)) return null;
  return { at: 'header.x-request-id', target: own ?? 'none', model: 'one of its own' };
}

const LIMIT_HEADERS = [
  ...['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset', 'retry-after'],
];

/** LIM-6, LIM-8: the four headers are on a 429 and on no other answer; a refusal may ask for a wait. */
function compareLimits(
  { operation }: CallStep,
  target: CallOutcome,
  model: CallOutcome,
): Mismatch | null {
  for (const name of LIMIT_HEADERS) {
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

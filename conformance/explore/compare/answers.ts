// Compares what one call was answered by the target and by the model.
import { type Json, memberAt } from '../../engine/send/json.ts';
import { OPERATIONS } from '../../spec/operations.ts';
import { namesRow } from '../observe.ts';
import { type CallOutcome, isNumber, jsonOf, summaryOf } from '../play/outcome.ts';
import type { CallStep } from '../sequence.ts';
import type { Difference } from './difference.ts';
import { isOpenRead, PAGES, PROBLEM, SUCCESS } from './shapes.ts';
import { type Comparing, listIn, type Mismatch, shown } from './values.ts';

export function compareAnswers(
  step: CallStep,
  target: CallOutcome,
  model: CallOutcome,
  comparing: Comparing,
): Difference | null {
  const found =
    compareStatus(target, model) ??
    compareType(target, model) ??
    compareBody(step, target, model, comparing) ??
    compareHeaders(step, target, model, comparing);
  return found === null ? null : differenceOf(step, target, model, found);
}

/** BULK-9, BULK-10: in whatever form a batch is refused, the words name the row at fault. */
export function compareNamedRow(
  step: CallStep,
  target: CallOutcome,
  model: CallOutcome,
): Difference | null {
  if (!model.basis?.cites.some((cite) => cite === 'BULK-9' || cite === 'BULK-10')) return null;
  const row = /\d+/.exec(String(memberAt(model.json, 'detail')))?.[0];
  const words = memberAt(target.json, 'detail') ?? Buffer.from(target.body).toString();
  if (target.status < 400 || row === undefined) return null;
  const faulty = [Number(row), ...rowsLike(Number(row), target)];
  if (faulty.some((each) => namesRow(String(words), each))) return null;
  const mismatch = { at: 'body.detail', target: shown(words), model: `words that name row ${row}` };
  return differenceOf(step, target, model, mismatch);
}

/** NS-17: of several rows at fault any may be named, whichever fault is looked for first. */
function rowsLike(row: number, { sent }: CallOutcome): readonly number[] {
  const rows = memberAt(jsonOf(sent.body ?? new Uint8Array()), 'accounts');
  if (!Array.isArray(rows)) return [];
  const hasName = memberAt(rows[row], 'client_reference_id') !== undefined;
  const brand = hasName ? memberAt(rows[row], 'brand_id') : undefined;
  return [...rows.keys()].filter((at) => {
    const lacks = memberAt(rows[at], 'client_reference_id') === undefined;
    return lacks || (brand !== undefined && memberAt(rows[at], 'brand_id') === brand);
  });
}

export function differenceOf(
  { n, operation }: CallStep,
  target: CallOutcome,
  model: CallOutcome,
  { at, target: targetText, model: modelText }: Mismatch,
): Difference {
  return {
    ...{ n, operation, at, model: modelText, target: targetText, basis: model.basis },
    modelAnswer: summaryOf(model),
    targetAnswer: summaryOf(target),
  };
}

function compareStatus(target: CallOutcome, model: CallOutcome): Mismatch | null {
  const [own, other] = [summaryOf(target), summaryOf(model)];
  if (target.status !== model.status) return { at: 'status', target: own, model: other };
  const code = memberAt(model.json, 'code');
  if (model.status < 400 || typeof code !== 'string' || own === other) return null;
  return { at: 'code', target: own, model: other };
}

/** ERR-1a, ERR-2: a problem or plain text; of a success only that it is JSON. */
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
  step: CallStep,
  target: CallOutcome,
  model: CallOutcome,
  comparing: Comparing,
): Mismatch | null {
  const { operation } = step;
  if (model.status < 400) {
    if (isOpenRead(operation)) {
      return compareRead(target.json, model.json) ?? findLeak(operation, target, model, comparing);
    }
    return (
      SUCCESS[operation](target.json, model.json, 'body', comparing) ??
      compareRevision(target, model, comparing)
    );
  }
  const code = memberAt(model.json, 'code');
  if (typeof code !== 'string') return compareText(target, model);
  return PROBLEM(target.json, model.json, 'body', comparing) ?? problemOf(target);
}

const NUMBERS = ['record_id', 'account_id'] as const;

/** CONV-3, NS-2: of a read only that these two are JSON numbers, wherever its rows have them. */
function compareRead(target: Json | undefined, model: Json | undefined): Mismatch | null {
  const list = listIn(target);
  const rows = Array.isArray(list) ? list : [target];
  for (const row of rows) {
    for (const name of NUMBERS) {
      const value = memberAt(row, name);
      if (value === undefined || isNumber(value)) continue;
      const at = memberAt(model, name) === undefined ? `body.*.${name}` : `body.${name}`;
      return { at, target: shown(value), model: 'a JSON number' };
    }
  }
  return null;
}

/** AUTH-6, AUTH-7: a record that the sequence knows, on a page for which it is out of reach. */
function findLeak(
  operation: CallStep['operation'],
  target: CallOutcome,
  model: CallOutcome,
  { match }: Comparing,
): Mismatch | null {
  const [page, rows, due] = [PAGES[operation], listIn(target.json), listIn(model.json)];
  if (page === undefined || !Array.isArray(rows) || !Array.isArray(due)) return null;
  // A page that is full may leave out what is within reach.
  if (due.length >= FULL_PAGE) return null;
  const { by, space } = page;
  const ids = new Set(due.map((row) => String(memberAt(row, by))));
  for (const row of rows) {
    const id = String(memberAt(row, by));
    const known = match.modelOf(space, id);
    if (known === undefined || ids.has(known)) continue;
    return { at: 'body.*', target: `${space} ${id}`, model: `no ${space} ${id}` };
  }
  return null;
}

const FULL_PAGE = 100;

function compareText(target: CallOutcome, model: CallOutcome): Mismatch | null {
  if ((target.body.length === 0) === (model.body.length === 0)) return null;
  return { at: 'body', target: `${target.body.length} bytes`, model: `${model.body.length} bytes` };
}

/** ERR-1: what a problem must be by itself, whatever its words. */
function problemOf({ json }: CallOutcome): Mismatch | null {
  const [type, code, id, errors] = ['type', 'code', 'request_id', 'errors'].map((name) =>
    memberAt(json, name),
  );
  const expected = `a URI that ends in /errors/${String(code)}`;
  const isUri = typeof type === 'string' && /^[a-z][a-z0-9+.-]*:/i.test(type);
  if (!isUri || !type.endsWith(`/errors/${String(code)}`)) {
    return { at: 'body.type', target: shown(type), model: expected };
  }
  if (typeof id !== 'string' || id === '') {
    return { at: 'body.request_id', target: shown(id), model: 'a text' };
  }
  return Array.isArray(errors)
    ? null
    : { at: 'body.errors', target: shown(errors), model: 'a list' };
}

/** NS-26: which numbers revisions are is the target's own; that they step when the model's do. */
function compareRevision(
  target: CallOutcome,
  model: CallOutcome,
  { match }: Comparing,
): Mismatch | null {
  const account = memberAt(model.json, 'id');
  const [own, other] = [memberAt(target.json, 'revision'), memberAt(model.json, 'revision')];
  if (own === undefined || other === undefined) return null;
  if (match.pair(`revision of ${String(account)}`, String(own), String(other))) return null;
  return { at: 'body.revision', target: shown(own), model: shown(other) };
}

function compareHeaders(
  step: CallStep,
  target: CallOutcome,
  model: CallOutcome,
  comparing: Comparing,
): Mismatch | null {
  return (
    compareEtag(step, target, model) ??
    compareRequestId(step, target, model, comparing) ??
    compareLimits(step, target, model)
  );
}

/** ACC-19: a strong tag whose value is the revision in the body. */
function compareEtag(
  { operation }: CallStep,
  target: CallOutcome,
  model: CallOutcome,
): Mismatch | null {
  const other = model.headers.get('etag');
  if (other === undefined || isOpenRead(operation)) return null;
  const own = target.headers.get('etag');
  const revision = memberAt(target.json, 'revision');
  if (own === `"${String(revision)}"`) return null;
  return { at: 'header.etag', target: own ?? 'none', model: `the revision, "${String(revision)}"` };
}

/** ERR-4, IDEM-5: of the nine writes every answer carries one, and never the same twice. */
function compareRequestId(
  { operation }: CallStep,
  target: CallOutcome,
  model: CallOutcome,
  { match }: Comparing,
): Mismatch | null {
  if (!OPERATIONS[operation].keyed) return null;
  const [own, other] = [target.headers.get('x-request-id'), model.headers.get('x-request-id')];
  if (other === undefined) return null;
  if (own !== undefined && own !== '' && match.pair('request', own, other)) return null;
  return { at: 'header.x-request-id', target: own ?? 'none', model: 'one of its own' };
}

const LIMIT_HEADERS = [
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  'retry-after',
];

/** LIM-6, LIM-8: the four headers with a 429, and with nothing else. */
function compareLimits(
  { operation }: CallStep,
  target: CallOutcome,
  model: CallOutcome,
): Mismatch | null {
  for (const name of LIMIT_HEADERS) {
    const [own, other] = [target.headers.get(name), model.headers.get(name)];
    const at = `header.${name}`;
    if (own === undefined && other === undefined) continue;
    const wrong = { at, target: own ?? 'none', model: other ?? 'none' };
    if (own === undefined || other === undefined) return wrong;
    // NS-51: which number the token endpoint gives, and how it counts a minute, is not shown.
    if (operation === 'issueToken' ? !/^([1-9]\d?|0)$/.test(own) : own !== other) return wrong;
  }
  const errors = memberAt(target.json, 'errors');
  if (target.status !== 429 || !Array.isArray(errors) || errors.length === 0) return null;
  return { at: 'body.errors', target: shown(errors), model: '[]' };
}

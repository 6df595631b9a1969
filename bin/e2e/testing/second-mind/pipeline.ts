// What each call passes on its way: route, key, token, rate, body, replay, scope, the operation.
import { strikeAfter, strikeBefore } from './faults.ts';
import { beginKey, endKey, keyProblem, recordedAnswer, subjectOf } from './keys.ts';
import { takeAllowance } from './limits.ts';
import type { SecondMind } from './mind.ts';
import { type Operation, operationsOf } from './operations.ts';
import { readBody } from './reading.ts';
import type { Answer, Call, KeyRecord } from './records.ts';
import {
  headerOf,
  NOBODY,
  permissionProblem,
  type RequestContext,
  refuse,
  setHeader,
  unreadable,
} from './request-context.ts';
import { issueToken, TOKEN_PATH, unauthorized } from './tokens.ts';

/** An answer; or something that goes on later, by the mind's clock or the wall's; or no answer. */
export type Outcome =
  | { readonly kind: 'answer'; readonly answer: Answer }
  | { readonly kind: 'held'; readonly untilMs: number | null; readonly resume: () => Outcome }
  | { readonly kind: 'paused'; readonly wallMs: number; readonly resume: () => Outcome }
  | { readonly kind: 'lost' };

export const answered = (answer: Answer): Outcome => ({ kind: 'answer', answer });

export function handleCall(mind: SecondMind, call: Call): Outcome {
  const url = new URL(call.target, 'http://second.mind');
  const route = findRoute(mind, call.method, url.pathname);
  const ctx = contextOf(mind, call, url, route?.operation);
  if (url.pathname === TOKEN_PATH && call.method === 'POST') return answered(issueToken(ctx));
  if (route === undefined) return answered(unknownRoute(ctx, url.pathname));
  ctx.pathId = route.id;
  for (const step of mind.style.order) {
    const refusal = STEPS[step](ctx);
    if (refusal !== null) return answered(refusal);
  }
  return readAndRun(ctx);
}

const STEPS = { key: keyProblem, token: tokenProblem, rate: takeAllowance };

function contextOf(
  mind: SecondMind,
  call: Call,
  url: URL,
  operation: Operation | undefined,
): RequestContext {
  return {
    mind,
    call,
    requestId: mind.nextRequestId(),
    operation: operation ?? NO_OPERATION,
    pathId: '',
    query: url.searchParams,
    credential: NOBODY,
    key: '',
    body: {},
    overlaps: [],
  };
}

const NO_OPERATION: Operation = {
  name: 'none',
  method: '',
  path: '',
  scopes: [],
  keyed: false,
  fields: () => null,
  run: (ctx) => refuse(ctx, 404, 'not_found', 'there is nothing here'),
};

function findRoute(
  mind: SecondMind,
  method: string,
  path: string,
): { operation: Operation; id: string } | undefined {
  for (const operation of operationsOf(mind.style)) {
    if (operation.method !== method) continue;
    const id = matchPath(operation.path, path);
    if (id !== null) return { operation, id };
  }
  return undefined;
}

function matchPath(pattern: string, path: string): string | null {
  const wanted = pattern.split('/');
  const given = path.split('/');
  if (wanted.length !== given.length) return null;
  let id = '';
  for (const [at, part] of wanted.entries()) {
    if (part === '{id}') id = given[at]!;
    else if (part !== given[at]) return null;
  }
  // `/accounts/bulk` is no account.
  return pattern.endsWith('/{id}') && id === '' ? null : id;
}

/** NS-31 */
function unknownRoute(ctx: RequestContext, path: string): Answer {
  const { style } = ctx.mind;
  if (style.unknownPath === 'text') return unreadable(ctx, 404, 'nothing here');
  const others = operationsOf(style).filter((each) => matchPath(each.path, path) !== null);
  if (others.length === 0) return refuse(ctx, 404, 'not_found', 'there is nothing here');
  const answer = refuse(ctx, 405, 'method_not_allowed', 'this path takes another method');
  setHeader(answer, 'Allow', others.map((each) => each.method).join(', '));
  return answer;
}

/** AUTH-1 */
function tokenProblem(ctx: RequestContext): Answer | null {
  const { mind } = ctx;
  const given = /^bearer +(\S+) *$/i.exec(headerOf(ctx.call, 'authorization') ?? '')?.[1];
  const token = mind.tokens.find(
    ({ value, expiresAtMs }) =>
      value === given && (expiresAtMs === null || mind.now() < expiresAtMs),
  );
  const credential = mind.credentials.find((each) => each.clientId === token?.clientId);
  if (credential === undefined) return unauthorized(ctx);
  ctx.credential = credential;
  return null;
}

function readAndRun(ctx: RequestContext): Outcome {
  const problem = readBody(ctx);
  if (problem !== null) return answered(problem);
  if (!ctx.operation.keyed) {
    const struck = strikeBefore(ctx, () => finish(ctx, undefined));
    return struck ?? finish(ctx, undefined);
  }
  if (ctx.mind.style.scopeBeforeReplay) {
    const refusal = scopeProblem(ctx);
    if (refusal !== null) return answered(refusal);
  }
  const subject = subjectOf(ctx);
  const recorded = recordedAnswer(ctx, subject);
  if (recorded !== null) {
    const replay = () => answered(recorded);
    return strikeBefore(ctx, replay) ?? strikeAfter(ctx, recorded) ?? replay();
  }
  const record = beginKey(ctx, subject);
  const struck = strikeBefore(ctx, () => finish(ctx, record));
  if (struck?.kind === 'answer') endKey(ctx, record, struck.answer);
  return struck ?? finish(ctx, record);
}

/** Runs the operation, and keeps its answer under the key. */
function finish(ctx: RequestContext, record: KeyRecord | undefined): Outcome {
  const { mind } = ctx;
  // IDEM-14b: an attempt that was given up does not run after all.
  if (record !== undefined && !mind.keys.includes(record)) {
    return answered(refuse(ctx, 503, 'write_contention', 'this attempt was given up'));
  }
  const answer = scopeProblem(ctx) ?? ctx.operation.run(ctx);
  const struck = strikeAfter(ctx, answer);
  const shown = struck?.kind === 'answer' ? struck.answer : answer;
  if (record !== undefined) endKey(ctx, record, shown);
  return struck ?? answered(answer);
}

function scopeProblem(ctx: RequestContext): Answer | null {
  const { credential, operation, mind } = ctx;
  const lacksScope =
    operation.scopes.length > 0 &&
    !operation.scopes.some((each) => credential.scopes.includes(each));
  const isReadOnly = operation.keyed && credential.readOnly;
  const readOnly = () => refuse(ctx, 403, 'read_only_credential', 'this token can only read');
  // A token with both faults is told of one of them.
  if (isReadOnly && (mind.style.readOnlyFirst || !lacksScope)) return readOnly();
  if (lacksScope) {
    const words = `this needs the scope ${operation.scopes.join(' or ')}`;
    return refuse(ctx, 403, 'forbidden', words);
  }
  return permissionProblem(ctx, operation.name);
}

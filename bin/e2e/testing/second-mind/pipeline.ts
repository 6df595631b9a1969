// What each call passes on its way: route, key, token, rate, body, replay, scope, the operation.
import { bent, bentOnLeaving } from './bent-answers.ts';
import { injectFaultAfter, injectFaultBefore } from './checks/faults.ts';
import { beginKey, endKey, keyProblem, recordedAnswer, subjectOf } from './checks/keys.ts';
import { takeAllowance } from './checks/limits.ts';
import { enter, isRacing, leave, PAUSE_MS } from './checks/races.ts';
import { readBody } from './checks/reading.ts';
import { scopeProblem } from './checks/scopes.ts';
import type { SecondMind } from './mind.ts';
import { issueToken, TOKEN_PATH, unauthorized } from './operations/tokens.ts';
import { type Operation, operationsOf } from './operations.ts';
import {
  headerOf,
  NOBODY,
  type RequestContext,
  refuse,
  setHeader,
  unreadable,
} from './request-context.ts';
import type { Answer, Call, KeyRecord } from './values/records.ts';

/** An answer; or something that goes on later, by the mind's clock or the wall's; or no answer. */
export type Outcome =
  | { readonly kind: 'answer'; readonly answer: Answer }
  | { readonly kind: 'held'; readonly untilMs: number | null; readonly resume: () => Outcome }
  | { readonly kind: 'paused'; readonly wallMs: number; readonly resume: () => Outcome }
  | { readonly kind: 'lost' };

const answered = (answer: Answer): Outcome => ({ kind: 'answer', answer });

export function handleCall(mind: SecondMind, call: Call): Outcome {
  const url = new URL(call.target, 'http://second.mind');
  const route = findRoute(mind, call.method, url.pathname);
  const ctx = contextOf(mind, call, url, route?.operation);
  return leaving(ctx, passOf(ctx, url.pathname, route));
}

/** What the last look at an answer changes in it, whenever it comes. */
function leaving(ctx: RequestContext, outcome: Outcome): Outcome {
  if (outcome.kind === 'answer') return answered(bentOnLeaving(ctx, outcome.answer));
  if (outcome.kind === 'lost') return outcome;
  return { ...outcome, resume: () => leaving(ctx, outcome.resume()) };
}

function passOf(ctx: RequestContext, path: string, route: Route | undefined): Outcome {
  if (path === TOKEN_PATH && ctx.call.method === 'POST') {
    return issued(ctx);
  }
  if (route === undefined) return answered(bent(ctx, unknownRoute(ctx, path)));
  ctx.pathId = pathIdOf(ctx, route.id);
  for (const step of ctx.mind.style.order) {
    if (step === 'key' && ctx.mind.has('idem-key-late')) continue;
    const refusal = STEPS[step](ctx);
    if (refusal !== null) return answered(bent(ctx, afterRefusal(ctx, refusal)));
  }
  return readAndRun(ctx);
}

/** AUTH-3b; where a defect wants it, those that are asked for at once are under way together. */
function issued(ctx: RequestContext): Outcome {
  const isPaused = ctx.mind.has('race-token-budget') || ctx.mind.has('race-tokens-one');
  if (!isPaused) return answered(bent(ctx, issueToken(ctx)));
  enter(ctx);
  const resume = () => {
    const answer = bent(ctx, issueToken(ctx));
    leave(ctx);
    return answered(answer);
  };
  return { kind: 'paused', wallMs: PAUSE_MS, resume };
}

/** Defects in what a refused call leaves behind. */
function afterRefusal(ctx: RequestContext, refusal: Answer): Answer {
  const { mind, operation } = ctx;
  if (!operation.keyed) return refusal;
  const isLimited = refusal.status === 429;
  if (isLimited && mind.has('idem-429-recorded') && readBody(ctx) === null) {
    const subject = subjectOf(ctx);
    const known = recordedAnswer(ctx, subject);
    if (known === null) endKey(ctx, beginKey(ctx, subject), refusal);
  }
  const isCreate = operation.name === 'createAccount' && readBody(ctx) === null;
  if (isLimited && isCreate && mind.has('lim-refused-runs')) operation.run(ctx);
  if (refusal.status === 401 && isCreate && mind.has('auth-refused-acts')) {
    ctx.credential = mind.credentials[0]!;
    operation.run(ctx);
  }
  return refusal;
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

interface Route {
  readonly operation: Operation;
  readonly id: string;
}

function findRoute(mind: SecondMind, method: string, path: string): Route | undefined {
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

/** As it stands in the path; a defect reads it as a number. */
function pathIdOf({ mind, operation }: RequestContext, id: string): string {
  const isNumber = operation.keyed && id !== '' && Number.isInteger(Number(id));
  return isNumber && mind.has('conv-path-number') ? String(Number(id)) : id;
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
      value === given && (expiresAtMs === null || mind.now() < expiresAtMs - earlyMs(mind)),
  );
  const credential =
    mind.credentials.find((each) => each.clientId === token?.clientId) ?? letIn(ctx, given);
  if (credential === undefined) return unauthorized(ctx);
  ctx.credential = credential;
  return null;
}

/** How long before its time a token dies, by a defect. */
const earlyMs = (mind: SecondMind): number =>
  mind.has('time-token-half') ? mind.style.token.seconds * 500 : 0;

/** Defects in who is let in without a token that is known. */
function letIn({ mind, operation }: RequestContext, given: string | undefined) {
  const isRead = operation.name.startsWith('list') && operation.scopes.length === 0;
  const isOpen =
    (given === undefined && mind.has('auth-open')) ||
    (given !== undefined && mind.has('auth-any-token')) ||
    (isRead && mind.has('auth-reads-open'));
  return isOpen ? mind.credentials[0] : undefined;
}

function readAndRun(ctx: RequestContext): Outcome {
  const { mind } = ctx;
  const problem = readBody(ctx) ?? (mind.has('idem-key-late') ? keyProblem(ctx) : null);
  if (problem !== null) return answered(bent(ctx, problem));
  const isKeyed = ctx.operation.keyed || takesKeyAnyway(ctx);
  if (!isKeyed) {
    const isRefused = scopeProblem(ctx) !== null;
    const struck = isRefused ? null : injectFaultBefore(ctx, () => finish(ctx, undefined));
    return struck ?? paused(ctx, undefined);
  }
  if (mind.style.scopeBeforeReplay) {
    const refusal = scopeProblem(ctx);
    if (refusal !== null) return answered(bent(ctx, refusal));
  }
  const subject = subjectOf(ctx);
  const recorded = recordedAnswer(ctx, subject);
  if (recorded !== null) {
    const replay = () => answered(recorded);
    return injectFaultBefore(ctx, replay) ?? injectFaultAfter(ctx, recorded) ?? replay();
  }
  const record = beginKey(ctx, subject);
  const isRefused = scopeProblem(ctx) !== null;
  const struck = isRefused ? null : injectFaultBefore(ctx, () => finish(ctx, record));
  if (struck?.kind === 'answer') endKey(ctx, record, struck.answer);
  return struck ?? paused(ctx, record);
}

function takesKeyAnyway(ctx: RequestContext): boolean {
  if (!ctx.mind.has('hook-key-recorded') || ctx.operation.name !== 'createWebhook') return false;
  ctx.key = headerOf(ctx.call, 'idempotency-key') ?? '';
  return ctx.key !== '';
}

/** Where races matter, a call waits a little before it runs. */
function paused(ctx: RequestContext, record: KeyRecord | undefined): Outcome {
  if (!isRacing(ctx.mind) || ctx.call.method === 'GET') return finish(ctx, record);
  enter(ctx);
  const resume = () => {
    const outcome = finish(ctx, record);
    leave(ctx);
    return outcome;
  };
  return { kind: 'paused', wallMs: PAUSE_MS, resume };
}

/** Runs the operation, and keeps its answer under the key. */
function finish(ctx: RequestContext, record: KeyRecord | undefined): Outcome {
  const { mind } = ctx;
  // IDEM-14b: an attempt that was given up does not run after all.
  if (record !== undefined && !mind.keys.includes(record)) {
    return answered(refuse(ctx, 503, 'write_contention', 'this attempt was given up'));
  }
  if (ctx.overlaps.length >= 4 && mind.has('race-crowd-500')) {
    const failed = refuse(ctx, 500, 'internal_error', 'this failed; repeat it');
    if (record !== undefined) endKey(ctx, record, failed);
    return answered(failed);
  }
  const refusal = scopeProblem(ctx);
  const answer = bent(ctx, refusal ?? ctx.operation.run(ctx));
  const struck = refusal === null ? injectFaultAfter(ctx, answer) : null;
  const shown = struck?.kind === 'answer' ? struck.answer : answer;
  if (record !== undefined) endKey(ctx, record, shown);
  return struck ?? answered(answer);
}

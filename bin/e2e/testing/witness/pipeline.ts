// The way of one request: the checks in the order of the style, then the operation, once per key.

import { issueToken, TOKEN_PATH, unauthorized } from './operations/tokens.ts';
import { operationsOf } from './operations.ts';
import { meetFault } from './pipeline/faults.ts';
import { beginAttempt, endAttempt, keyProblem, recordedReply } from './pipeline/keys.ts';
import { takeAllowance } from './pipeline/limits.ts';
import { unreadableBody } from './pipeline/reading.ts';
import { scopeProblem } from './pipeline/scopes.ts';
import { afterSeams } from './pipeline/seams.ts';
import type { Call, KeyRecord, Reply } from './records.ts';
import { ANONYMOUS, headerOf, inPlainText, refuse, withHeader } from './replies.ts';
import { settleDue } from './settlement.ts';
import type { Step, Style } from './styles.ts';
import type { Context, Operation, World } from './types.ts';

const NO_OPERATION: Operation = {
  ...{ name: 'none', method: '', path: '', scopes: [], takesKey: false, fields: null },
  run: (context) => refuse(context, 404, 'not_found', 'there is nothing here'),
};

/** The reply to a call; null cuts its connection. */
export async function answer(world: World, call: Call): Promise<Reply | null> {
  world.clock.tick();
  settleDue(world);
  const context = contextOf(world, call);
  for (const each of world.underway) {
    each.overlaps.push(context);
    context.overlaps.push(each);
  }
  world.underway.add(context);
  try {
    let early: Reply | undefined;
    for (const { before } of world.seams) early ??= await before?.(context);
    let reply: Reply | null = early ?? (await decide(context));
    for (const seams of world.seams) {
      if (reply !== null && seams.reply !== undefined) reply = seams.reply(context, reply);
    }
    return reply;
  } finally {
    world.underway.delete(context);
  }
}

function contextOf(world: World, call: Call): Context {
  const url = new URL(call.target, 'http://witness');
  const n = world.count('requests');
  const found = routeOf(world.style, call.method, url.pathname);
  return {
    world,
    call,
    requestId: world.style.requestId(n, world.mark),
    operation: found?.operation ?? NO_OPERATION,
    path: url.pathname,
    pathId: found?.id ?? '',
    query: url.searchParams,
    credential: ANONYMOUS,
    key: '',
    body: {},
    isReplay: false,
    overlaps: [],
  };
}

const tables = new WeakMap<Style, readonly Operation[]>();

function tableOf(style: Style): readonly Operation[] {
  const table = tables.get(style) ?? operationsOf(style);
  tables.set(style, table);
  return table;
}

function routeOf(style: Style, method: string, path: string) {
  for (const operation of tableOf(style)) {
    const id = operation.method === method ? matchPath(operation.path, path) : null;
    if (id !== null) return { operation, id };
  }
  return undefined;
}

/** The id in a path, empty if the pattern has none; null if the path is another one. */
function matchPath(pattern: string, path: string): string | null {
  const [wanted, given] = [pattern.split('/'), path.split('/')];
  const at = wanted.indexOf('{id}');
  const isSame = wanted.every((part, index) => index === at || part === given[index]);
  if (wanted.length !== given.length || !isSame) return null;
  return at === -1 ? '' : given[at] || null;
}

/** NS-31 */
function unknownRoute(context: Context): Reply {
  const { style } = context.world;
  if (style.unknownPath === 'text') return inPlainText(context, 404, 'nothing here');
  const others = tableOf(style).filter(({ path }) => matchPath(path, context.path) !== null);
  if (others.length === 0) return NO_OPERATION.run(context);
  const refusal = refuse(context, 405, 'method_not_allowed', 'this path takes another method');
  return withHeader(refusal, 'Allow', others.map(({ method }) => method).join(', '));
}

async function decide(context: Context): Promise<Reply | null> {
  const { world, operation, call, path } = context;
  if (path === TOKEN_PATH && call.method === 'POST') return issueToken(context);
  if (operation === NO_OPERATION) return unknownRoute(context);
  for (const step of world.style.order) {
    const reply = STEPS[step](context);
    if (reply === null) continue;
    return context.isReplay ? replayed(context, reply) : reply;
  }
  if (!operation.takesKey) return attempt(context, undefined);
  return attempt(context, beginAttempt(context));
}

const STEPS: Record<Step, (context: Context) => Reply | null> = {
  key: keyProblem,
  token: tokenProblem,
  rate: takeAllowance,
  body: unreadableBody,
  replay: (context) => (context.operation.takesKey ? recordedReply(context) : null),
  scope: (context) => {
    const refusal = scopeProblem(context);
    // What is refused after the replay step is recorded under the key.
    const { order } = context.world.style;
    const isRecorded = order.indexOf('scope') > order.indexOf('replay');
    if (refusal === null || !context.operation.takesKey || !isRecorded) return refusal;
    return endAttempt(context, beginAttempt(context), refusal);
  },
};

/** AUTH-1 */
function tokenProblem(context: Context): Reply | null {
  const { store } = context.world;
  const value = /^bearer +(\S+) *$/i.exec(headerOf(context.call, 'authorization') ?? '')?.[1];
  const token = store.token(value);
  const credential = token === undefined ? undefined : store.credential(token.client_id);
  if (credential === undefined) return unauthorized(context);
  context.credential = context.credentialChange?.(credential) ?? credential;
  return null;
}

async function replayed(context: Context, reply: Reply): Promise<Reply | null> {
  const before = await meetFault(context, 'before');
  if (before !== undefined) return before;
  const after = await meetFault(context, 'after');
  return after === undefined ? reply : after;
}

/** Runs the operation, and keeps its reply under the key. */
async function attempt(context: Context, record: KeyRecord | undefined): Promise<Reply | null> {
  const { world, operation } = context;
  const end = (reply: Reply) => (record === undefined ? reply : endAttempt(context, record, reply));
  const before = await meetFault(context, 'before');
  if (before !== undefined) return before === null ? null : end(before);
  // IDEM-14b: an attempt that was given up meanwhile does not run after all.
  if (world.givenUp.has(context.requestId)) {
    return refuse(context, 503, 'write_contention', 'this attempt was given up');
  }
  const reply = afterSeams(context, operation.run(context));
  let kept: Reply | undefined;
  const keep = () => {
    kept ??= end(reply);
    return kept;
  };
  const struck = await meetFault(context, 'after', keep);
  if (struck === null) return null;
  return struck === undefined ? keep() : end(struck);
}

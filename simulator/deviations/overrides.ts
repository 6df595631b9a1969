// The ways in which deviations override the conforming behaviour.

import { parseJson } from '../../fixtures/lenient.ts';
import type { RefusalCode } from '../../fixtures/operations.ts';
import { type OperationName, operationNames, operationTable } from '../../fixtures/operations.ts';
import type { RuleId } from '../../fixtures/rules.ts';
import type { Behaviour, Demand } from '../core/behaviour.ts';
import type { Batch, Decision, Reply } from '../core/call.ts';
import { type Change, put, putAt, putsInto } from '../core/change.ts';
import { withEntry } from '../core/operations/transactions.ts';
import {
  copyContext,
  type Operation,
  type RequestContext,
} from '../core/pipeline/request-context.ts';
import type { Account, Entry, Subscription, Transaction } from '../core/records.ts';
import type { World } from '../core/world.ts';

export type Override = (behaviour: Behaviour) => Behaviour;
export type Json = Record<string, unknown>;
type Names = OperationName | readonly OperationName[];

/** The operations that take an idempotency key. */
export const writeOperations = operationNames.filter((name) => operationTable[name].key);

export const transitionOperations = [
  'approveTransaction',
  'rejectTransaction',
  'cancelTransaction',
] as const satisfies readonly OperationName[];

/** Replaces some members of one policy. */
export function policy<K extends keyof Behaviour>(
  name: K,
  change: (policy: Behaviour[K], behaviour: Behaviour) => Partial<Behaviour[K]>,
): Override {
  return (behaviour) => ({
    ...behaviour,
    [name]: { ...behaviour[name], ...change(behaviour[name], behaviour) },
  });
}

/** Wraps operations: `wrap` gets the conforming one. */
export function operation(
  names: Names,
  wrap: (run: Operation, context: RequestContext) => Decision | Batch,
): Override {
  return (behaviour) => {
    const operations = { ...behaviour.operations };
    for (const name of [names].flat()) {
      const run = operations[name];
      operations[name] = (context) => wrap(run, context);
    }
    return { ...behaviour, operations };
  };
}

/** Runs operations with another body than the client sent. */
export function requestBody(
  names: Names,
  change: (body: Json, context: RequestContext) => Json,
): Override {
  return operation(names, (run, context) => {
    context.body = change(context.body, context);
    return run(context);
  });
}

/** Runs operations under another behaviour than the rest of the platform. */
export function under(
  names: Names,
  change: (behaviour: Behaviour, context: RequestContext) => Partial<Behaviour>,
): Override {
  return operation(names, (run, context) => {
    const behaviour = { ...context.behaviour, ...change(context.behaviour, context) };
    return run(copyContext(context, { behaviour }));
  });
}

/** Changes the decision of operations, except of batches. */
export function decision(
  names: Names,
  change: (decision: Decision, context: RequestContext) => Decision | Batch,
): Override {
  return operation(names, (run, context) => {
    const result = run(context);
    return 'decideRow' in result ? result : change(result, context);
  });
}

/** Replaces the decision when an operation refuses under this rule or with this code. */
export function refusal(
  names: Names,
  why: RuleId | RefusalCode,
  other: (context: RequestContext, given: Decision) => Decision | Batch,
): Override {
  return decision(names, (given, context) => (refuses(given, why) ? other(context, given) : given));
}

/** Refuses requests of operations that the platform serves. */
export function refuseIf(
  names: Names,
  test: (context: RequestContext) => boolean,
  code: RefusalCode = 'validation_failed',
): Override {
  return operation(names, (run, context) =>
    test(context) ? refuseAs(context, code) : run(context),
  );
}

/** Answers a refusal with another code. */
export function refusedAs(names: Names, code: RefusalCode, other: RefusalCode): Override {
  return refusal(names, code, (context) => refuseAs(context, other));
}

export function refuses({ reply, cites }: Decision, why: RuleId | RefusalCode): boolean {
  if (reply.status < 400) return false;
  const isProblem = reply.contentType === 'application/problem+json';
  const code = isProblem ? (JSON.parse(reply.body) as Json).code : null;
  return code === why || cites.some((cite) => cite === why);
}

/** A refusal that changes nothing. */
export function refuseAs(
  context: RequestContext,
  code: RefusalCode,
  detail = 'It is refused.',
): Decision {
  const { status } = context.behaviour.refusedAs(code);
  const problem = { status, title: 'Refused', code, detail, errors: [] };
  return { reply: context.behaviour.refuse(context, problem), changes: [], cites: [] };
}

/** Sends a code with another status than the error table says. */
export function underStatus(code: RefusalCode, status: number): Override {
  return (behaviour) => ({
    ...behaviour,
    refusedAs: (requested) => ({
      ...behaviour.refusedAs(requested),
      ...(requested === code ? { status } : {}),
    }),
  });
}

/** Changes the response of operations, batches included. */
export function reply(
  names: Names,
  change: (reply: Reply, context: RequestContext) => Reply,
): Override {
  return operation(names, (run, context) => {
    const result = run(context);
    if (!('decideRow' in result)) return { ...result, reply: change(result.reply, context) };
    return { ...result, answer: (replies) => change(result.answer(replies), context) };
  });
}

/** Answers with another status. */
export function status(names: Names, from: number, to: number): Override {
  return reply(names, (given) => {
    if (given.status !== from) return given;
    return to === 204 ? { status: to, contentType: null, body: '' } : { ...given, status: to };
  });
}

export function withHeaders(given: Reply, headers: Readonly<Record<string, string>>): Reply {
  return { ...given, headers: { ...given.headers, ...headers } };
}

/** Changes the members of JSON responses with this status (any 2xx by default). */
export function members(
  names: Names,
  change: (body: Json, context: RequestContext) => Json,
  only?: number,
): Override {
  return reply(names, (given, context) => {
    const isMeant = only === undefined ? given.status < 300 : given.status === only;
    return isMeant && given.body !== '' ? mapJson(given, (text) => change(text, context)) : given;
  });
}

/** Converts times from milliseconds to seconds. */
export function inSeconds(body: Json): Json {
  return { ...body, created_at: Math.floor(Number(body.created_at) / 1000) };
}

export function mapJson(given: Reply, change: (body: Json) => Json): Reply {
  return { ...given, body: JSON.stringify(change(JSON.parse(given.body) as Json)) };
}

/** Changes every response as it leaves, replays included. */
export function everyReply(change: (reply: Reply, context: RequestContext) => Reply): Override {
  return (behaviour) => ({
    ...behaviour,
    finalizeReply: (given, context) => change(behaviour.finalizeReply(given, context), context),
  });
}

/** Changes the decision of the stage with this name. */
export function stage(
  name: string,
  change: (given: Decision | null, context: RequestContext) => Decision | null,
): Override {
  return (behaviour) => ({
    ...behaviour,
    stages: behaviour.stages.map((conforming) =>
      conforming.name === name
        ? { name, decide: (context) => change(conforming.decide(context), context) }
        : conforming,
    ),
  });
}

/** Moves a stage behind another one. */
export function stageAfter(name: string, other: string): Override {
  return (behaviour) => {
    const moved = behaviour.stages.filter((each) => each.name === name);
    const rest = behaviour.stages.filter((each) => each.name !== name);
    const at = rest.findIndex((each) => each.name === other) + 1;
    return { ...behaviour, stages: [...rest.slice(0, at), ...moved, ...rest.slice(at)] };
  };
}

/** Sends the refusal of a stage, but creates the account anyway. */
export function createsWhenRefusedBy(
  name: string,
  prepare: (context: RequestContext) => void = () => {},
): Override {
  return stage(name, (given, context) => {
    if (given === null || context.operation !== 'createAccount') return given;
    const { credential, behaviour } = context;
    prepare(context);
    const readable = behaviour.stages.find((each) => each.name === 'readable');
    if (readable?.decide(context) != null) return given;
    const ran = behaviour.operations.createAccount(context);
    context.credential = credential;
    return 'decideRow' in ran ? given : { ...given, changes: ran.changes };
  });
}

/** Books an amount for the transaction in the path. */
export function entryBooked(
  { world, pathId, atMs }: RequestContext,
  amount: string,
  kind: Entry['kind'],
): Change[] {
  const transaction = world.transactions.get(pathId);
  const account = world.tradingAccounts.get(transaction?.trading_account_id ?? '');
  if (transaction === undefined || account === undefined) return [];
  return [
    put('tradingAccounts', withEntry(account, transaction.id, { amount, kind, at_ms: atMs })),
  ];
}

/** Draws one more request from a bucket, or as many as `cost` says. */
export function drawn(
  { world, behaviour, atMs }: RequestContext,
  { bucket, rate }: Demand,
  cost = 1,
): Change {
  const level = behaviour.limits.level(world.buckets.get(bucket), rate, atMs);
  return putAt('buckets', bucket, { units: level - cost * 1000, atMs: atMs });
}

interface Records {
  readonly account: Account;
  readonly transaction: Transaction;
  readonly subscription: Subscription;
}

/** Changes a record wherever it is shown. */
export function shown<K extends keyof Records>(
  kind: K,
  change: (body: Json, record: Records[K]) => Json,
): Override {
  return policy('serialize', (serialize) => {
    const print = serialize[kind] as (record: Records[K], ...rest: unknown[]) => string;
    const changed = (record: Records[K], ...rest: unknown[]) =>
      JSON.stringify(change(JSON.parse(print(record, ...rest)) as Json, record));
    return { [kind]: changed };
  });
}

/** Changes the record that operations create or update, in the world and in the response. */
export function stored<K extends keyof Records>(
  kind: K,
  names: Names,
  change: (record: Records[K], context: RequestContext) => Records[K],
): Override {
  return decision(names, (given, context) => {
    const [found] = putsInto(given.changes, `${kind}s`);
    if (found === undefined) return given;
    const record = change(found.record as Records[K], context);
    return {
      ...given,
      reply: kind === 'subscription' ? given.reply : withRecord(given.reply, kind, record, context),
      changes: given.changes.map((each) =>
        each === found ? ({ ...each, record } as Change) : each,
      ),
    };
  });
}

function withRecord<K extends keyof Records>(
  given: Reply,
  kind: K,
  record: Records[K],
  { behaviour: { serialize, values } }: RequestContext,
): Reply {
  const print = serialize[kind] as (record: Records[K]) => string;
  const etag = kind === 'account' ? { etag: values.etag(record as Account) } : {};
  return { ...given, body: print(record), ...etag };
}

/** Answers with the account and its tag, under its next revision if it changed. */
export function answerAccount(
  context: RequestContext,
  account: Account,
  isChanged = true,
): Decision {
  const after = isChanged ? { ...account, revision: account.revision + 1 } : account;
  return {
    reply: withRecord(answer('').reply, 'account', after, context),
    changes: isChanged ? [put('accounts', after)] : [],
    cites: [],
  };
}

/** A success with this JSON text that changes nothing. */
export function answer(text: string): Decision {
  return {
    reply: { status: 200, contentType: 'application/json', body: text },
    changes: [],
    cites: [],
  };
}

/** Replaces the body of the request. */
export function reading(
  names: readonly OperationName[],
  change: (sent: Json, context: RequestContext) => Json | null,
): Override {
  return (behaviour) => ({
    ...behaviour,
    read: (context, text) => {
      const result = behaviour.read(context, text);
      if ('body' in result || !names.some((name) => name === context.operation)) return result;
      const sent = parsedObject(text);
      const changed = sent === null ? null : change(sent, context);
      return changed === null ? result : behaviour.read(context, JSON.stringify(changed));
    },
  });
}

/** Fills in a required member that the client leaves out. */
export function filledIn(
  names: readonly OperationName[],
  member: string,
  valueFor: (context: RequestContext) => string,
): Override {
  return reading(names, (sent, context) =>
    sent[member] == null ? { ...sent, [member]: valueFor(context) } : null,
  );
}

/** The JSON object that the client sent; null if it sent something else. */
export function sentObject({ call }: RequestContext): Json | null {
  return parsedObject(Buffer.from(call.body).toString());
}

function parsedObject(text: string): Json | null {
  const parsed = parseJson(text);
  return typeof parsed === 'object' && !Array.isArray(parsed) ? (parsed as Json | null) : null;
}

/** Operations that need no scope. */
export function unscoped(...names: readonly OperationName[]): Override {
  return scoped(names, []);
}

/** Operations that need one of these scopes. */
export function scoped(names: readonly OperationName[], scopes: readonly string[]): Override {
  return policy('table', (table) =>
    Object.fromEntries(names.map((name) => [name, { ...table[name], scopes }])),
  );
}

/** State of a deviation for each world; dropped with the world. */
export function memory<T>(create: () => T): (world: World) => T {
  const kept = new WeakMap<World, T>();
  return (world) => {
    const remembered = kept.get(world) ?? create();
    kept.set(world, remembered);
    return remembered;
  };
}

/** The same reason for many rules, whose ids are separated by white space. */
export function seenBy(reason: string, ids: string): Partial<Record<RuleId, string>> {
  return Object.fromEntries(
    ids
      .trim()
      .split(/\s+/)
      .map((id) => [id, reason]),
  );
}

// Wrappers that many defects share: each gives the seams of one small change.
import type { RuleId } from '../../../../../fixtures/rules.ts';
import { keyName } from '../pipeline/keys.ts';
import type { Account, Credential, KeyName, Reply, Transaction } from '../records.ts';
import { bodyOf, headerOf, refuse, withBody } from '../replies.ts';
import type { Context, Delivering, Seams, Store, World } from '../types.ts';
import { isObject, type JsonObject, parse, print } from '../values.ts';

export type Kind = 'single' | 'combination' | 'size' | 'time' | 'race' | 'crash';

/** By their ids. */
export type Rows = Readonly<Record<string, Row>>;

export interface Row extends Seams {
  /** Left out: single. */
  readonly kind?: Kind;
  /** A judge blames at least one of these rules, and no other. */
  readonly breaks: readonly RuleId[];
  readonly sentence: string;
}

export const DAY_MS = 86_400_000;
export const HOUR_MS = 3_600_000;

const isOn = (names: string, { operation }: Context): boolean =>
  names.split(' ').includes(operation.name);

/** The JSON body as it was sent; empty if there is none. */
export function sentBody({ call }: Context): JsonObject {
  const read = parse(call.body);
  return isObject(read) ? read : {};
}

/** The credential of the request's token, before the token is looked at. */
export function callerOf({ world, call }: Context): Credential | undefined {
  const value = headerOf(call, 'authorization')?.replace(/^\S+\s+/, '');
  const token = world.store.token(value);
  return token === undefined ? undefined : world.store.credential(token.client_id);
}

export const account = ({ world, pathId }: Context): Account | undefined =>
  world.store.account(pathId);
export const transaction = ({ world, pathId }: Context): Transaction | undefined =>
  world.store.transaction(pathId);

/** Changes the request before anything has looked at it. */
export function request(names: string, change: (context: Context) => void): Seams {
  return {
    before: (context) => {
      if (isOn(names, context)) change(context);
      return undefined;
    },
  };
}

/** Changes the body of the request. */
export function sent(names: string, change: (body: JsonObject, context: Context) => JsonObject) {
  return request(names, (context) => {
    const body = sentBody(context);
    if (Object.keys(body).length === 0) return;
    context.call = { ...context.call, body: Buffer.from(print(change(body, context))) };
  });
}

export function setRequestHeader(context: Context, name: string, value: string): void {
  const others = context.call.headers.filter(([each]) => each.toLowerCase() !== name);
  context.call = { ...context.call, headers: [...others, [name, value]] };
}

/** The credential as it is for some operations. */
export function caller(names: string, change: (credential: Credential) => Credential): Seams {
  return request(names, (context) => {
    context.credentialChange = change;
  });
}

export const granted = (names: string, ...scopes: string[]): Seams =>
  caller(names, (each) => ({ ...each, scopes: [...each.scopes, ...scopes] }));

/** Changes a decision before it is kept under its key; a row of a batch is a create too. */
export function decided(
  names: string,
  change: (reply: Reply, context: Context) => Reply | undefined,
): Seams {
  return {
    after: (context, reply) => (isOn(names, context) ? change(reply, context) : undefined) ?? reply,
  };
}

/** A status of a decision that is another one. */
export const statusOf = (names: string, from: number, to: number): Seams =>
  decided(names, (reply, { row }) =>
    reply.status === from && row === undefined ? { ...reply, status: to } : undefined,
  );

/** A refusal in the place of another decision. */
export const refusal = (
  names: string,
  status: number,
  [to, code]: readonly [number, string],
): Seams =>
  decided(names, (reply, context) =>
    reply.status === status ? refuse(context, to, code, 'this is refused') : undefined,
  );

/** Changes the body of a success, before it is kept. */
export const shown = (
  names: string,
  change: (body: JsonObject, context: Context) => JsonObject,
): Seams =>
  decided(names, (reply, context) =>
    reply.status < 300 ? withBody(reply, change(bodyOf(reply), context)) : undefined,
  );

/** Changes each reply that leaves, replays and early refusals included. */
export const leaving = (
  change: (reply: Reply, context: Context) => Reply | null | undefined,
): Seams => ({
  reply: (context, reply) => {
    const changed = change(reply, context);
    return changed === undefined ? reply : changed;
  },
});

/** Changes the problems that leave. */
export const problems = (change: (problem: JsonObject, context: Context) => JsonObject): Seams =>
  leaving((reply, context) => {
    const isProblem = reply.headers.some(([, value]) => value === 'application/problem+json');
    return isProblem ? withBody(reply, change(bodyOf(reply), context)) : undefined;
  });

/** Changes replays. */
export const replays = (change: (reply: Reply, context: Context) => Reply | undefined): Seams =>
  leaving((reply, context) => (context.isReplay ? change(reply, context) : undefined));

export const stored = (wrap: (store: Store, world: World) => Partial<Store>): Seams => ({
  store: wrap,
});

/** Accounts as they are saved; the third argument is undefined for a new one. */
export const savedAccount = (
  change: (account: Account, context: Context | undefined, before: Account | undefined) => Account,
): Seams =>
  stored((store) => ({
    saveAccount: (each, context) =>
      store.saveAccount(change(each, context, store.account(each.id)), context),
  }));

export const savedTransaction = (
  change: (each: Transaction, before: Transaction | undefined, store: Store) => Transaction,
): Seams =>
  stored((store) => ({
    saveTransaction: (each, context) =>
      store.saveTransaction(change(each, store.transaction(each.id), store), context),
  }));

/** What a key is known by. */
export const keyed = (change: (name: KeyName, context: Context) => KeyName): Seams =>
  stored((store) => ({
    key: (name, context) => store.key(change(name, context), context),
    saveKey: (record, context) =>
      store.saveKey({ ...record, name: change(record.name, context) }, context),
    forgetKey: (name, context) => store.forgetKey(change(name, context), context),
  }));

/** Replies that are not kept under their key. */
export const unkept = (isUnkept: (reply: Reply, context: Context) => boolean): Seams =>
  stored((store) => ({
    saveKey: (record, context) => {
      const isOver = record.reply !== null && isUnkept(record.reply, context);
      if (isOver) store.forgetKey(record.name, context);
      else store.saveKey(record, context);
    },
  }));

/** A reply that is kept although it should not be. */
export const kept = (status: number): Seams =>
  leaving((reply, context) => {
    if (reply.status !== status || !context.operation.takesKey || context.key === '') return;
    const { world, requestId } = context;
    const [name, nowMs] = [keyName(context), world.clock.now()];
    const record = { name, requestId, startedMs: nowMs, answeredMs: nowMs, reply };
    world.store.saveKey(record, context);
    return undefined;
  });

export const lasting = (timer: string, ms: number | null): Seams => ({
  clock: (clock) => ({
    lasts: (each, about) => (each === timer ? ms : clock.lasts(each, about)),
  }),
});

export const delivered = (
  wrap: (delivering: Delivering, world: World) => Partial<Delivering>,
): Seams => ({ delivery: wrap });

/** Requests that come together meet before they run. */
export const meeting = (seams: Seams): Seams => ({
  ...seams,
  before: async (context) => {
    if (context.call.method !== 'GET') await new Promise((resolve) => setTimeout(resolve, 12));
    return seams.before?.(context);
  },
});

/** Whether a request of one of these operations was under way at the same time. */
export const meets = (context: Context, names: string): boolean =>
  context.overlaps.some((each) => isOn(names, each));

export const ageOf = (world: World, { changed_ms }: { readonly changed_ms: number }): number =>
  world.clock.now() - changed_ms;

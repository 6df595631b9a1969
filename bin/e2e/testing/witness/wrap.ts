// Wrappers that many traits and defects share: each returns the seams of one small change.
import { bodyOf, CODES, type Context, withBody } from './context.ts';
import { keyName } from './keys.ts';
import type { Account, Credential, KeyName, Reply, Transaction } from './records.ts';
import type { Store } from './store.ts';
import { type Json, type JsonObject, print } from './values.ts';
import type { Seams, Timer } from './world.ts';

/** By `id (RULES): sentence`. A judge blames at least one of these rules, and no other rule. */
export type Rows = Readonly<Record<string, Seams>>;

/** Members to replace; an undefined one is left out. */
type Changes = { readonly [name: string]: Json | undefined };
type BodyChange = (body: JsonObject, context: Context) => Changes;
type ReplyChange = (reply: Reply, context: Context) => Reply | undefined;
const merged = (body: JsonObject, changes: Changes) => ({ ...body, ...changes }) as JsonObject;

const isOn = (names: string, { operation }: Context): boolean =>
  names.split(' ').includes(operation.name);

export const accountOf = ({ store, pathId }: Context): Account | undefined => store.account(pathId);
export const transactionOf = ({ store, pathId }: Context): Transaction | undefined =>
  store.transaction(pathId);

/** Changes the request before any check. */
export const request = (names: string, change: (context: Context) => void): Seams => ({
  before: (context) => {
    if (isOn(names, context)) change(context);
  },
});

/** Changes the body of the request. */
export const sent = (names: string, change: BodyChange): Seams =>
  request(names, (context) => {
    const body = bodyOf(context.call);
    if (Object.keys(body).length === 0) return;
    const text = print(merged(body, change(body, context)));
    context.call = { ...context.call, body: Buffer.from(text) };
  });

/** Changes the credential for some operations. */
export const caller = (names: string, change: (each: Credential) => Partial<Credential>): Seams =>
  request(names, (context) => {
    context.credentialChange = (each) => ({ ...each, ...change(each) });
  });

export const granted = (names: string, scope: string): Seams =>
  caller(names, ({ scopes }) => ({ scopes: [...scopes, scope] }));

/** Changes a decision before it is stored under its key; a row of a batch is a create too. */
export const decision = (names: string, change: ReplyChange): Seams => ({
  after: (context, reply) => (isOn(names, context) ? change(reply, context) : undefined) ?? reply,
});

/** Replaces the status of a decision. */
export const statusOf = (names: string, from: number, to: number): Seams =>
  decision(names, (reply, { row }) =>
    reply.status === from && row === undefined ? { ...reply, status: to } : undefined,
  );

/** Refuses requests that meet a condition. */
export const refusedIf = (
  names: string,
  status: keyof typeof CODES,
  isMet: (context: Context, reply: Reply) => boolean,
): Seams =>
  decision(names, (reply, context) =>
    isMet(context, reply) ? context.refusal(status, CODES[status], 'this is refused') : undefined,
  );

/** Replaces a decision by a refusal. */
export const refusal = (names: string, status: number, to: keyof typeof CODES): Seams =>
  refusedIf(names, to, (_, reply) => reply.status === status);

/** Changes the body of a success before it is stored. */
export const shown = (names: string, change: BodyChange): Seams =>
  decision(names, (reply, context) => {
    const body = bodyOf(reply);
    return reply.status < 300 ? withBody(reply, merged(body, change(body, context))) : undefined;
  });

/** Changes each reply when it is sent, including replays and early refusals. */
export const leaving = (
  change: (reply: Reply, context: Context) => Reply | null | undefined,
): Seams => ({
  reply: (context, reply) => {
    const changed = change(reply, context);
    return changed === undefined ? reply : changed;
  },
});

/** Changes problems when they are sent. */
export const problems = (change: BodyChange): Seams =>
  leaving((reply, context) => {
    const isProblem = reply.headers.some(([, value]) => value === 'application/problem+json');
    const body = bodyOf(reply);
    return isProblem ? withBody(reply, merged(body, change(body, context))) : undefined;
  });

export const replays = (change: ReplyChange): Seams =>
  leaving((reply, context) => (context.isReplay ? change(reply, context) : undefined));

export const stored = (store: NonNullable<Seams['store']>): Seams => ({ store });

type Lookup = 'accountByReference' | 'accountByEmail' | 'accountByPhone' | 'transactionByReference';

/** Finds only the records that a condition keeps. */
export const found = <K extends Lookup>(
  lookups: readonly K[],
  isKept: (record: NonNullable<ReturnType<Store[K]>>, context: Context) => boolean,
): Seams =>
  stored((store) => {
    const narrowed = (lookup: K) => (context: Context, text: string, brandId: string) => {
      const record = store[lookup](context, text, brandId);
      return record && isKept(record as never, context) ? record : undefined;
    };
    return Object.fromEntries(lookups.map((each) => [each, narrowed(each)]));
  });

/** Changes accounts when they are saved; the third argument is undefined for a new one. */
export const savedAccount = (
  change: (each: Account, context?: Context, before?: Account) => Partial<Account>,
): Seams =>
  stored(({ saveAccount, account }) => ({
    saveAccount: (each, context) =>
      saveAccount({ ...each, ...change(each, context, account(each.id)) }, context),
  }));

export const savedTransaction = (
  change: (each: Transaction, before?: Transaction) => Partial<Transaction>,
): Seams =>
  stored(({ saveTransaction, transaction }) => ({
    saveTransaction: (each) => saveTransaction({ ...each, ...change(each, transaction(each.id)) }),
  }));

/** Changes the name under which a key is stored. */
export const keyed = (change: (name: KeyName, context: Context) => Partial<KeyName>): Seams => {
  const changed = (name: KeyName, context: Context) => ({ ...name, ...change(name, context) });
  return stored(({ key, saveKey, forgetKey }) => ({
    key: (name, context) => key(changed(name, context), context),
    saveKey: (row, context) => saveKey({ ...row, name: changed(row.name, context) }, context),
    forgetKey: (name, context) => forgetKey(changed(name, context), context),
  }));
};

/** Stores a reply under its key although it should not. */
export const kept = (status: number): Seams =>
  leaving((reply, context) => {
    const { store, nowMs, requestId, key, operation } = context;
    if (reply.status !== status || !operation.takesKey || key === '') return;
    const row = { name: keyName(context), requestId, startedMs: nowMs, answeredMs: nowMs, reply };
    store.saveKey(row, context);
  });

export const lasting = (timer: Timer, ms: number | null, about?: number): Seams => ({
  clock: ({ lasts }) => ({
    lasts: (each, what) =>
      each === timer && (about === undefined || about === what) ? ms : lasts(each, what),
  }),
});

export const delivered = (delivery: NonNullable<Seams['delivery']>): Seams => ({ delivery });

/** Delays writes so that concurrent requests overlap before they run. */
export const overlapping = (seams: Seams): Seams => ({
  ...seams,
  before: async (context) => {
    if (context.call.method !== 'GET') await new Promise((resolve) => setTimeout(resolve, 12));
    return seams.before?.(context);
  },
});

/** Whether a request of one of these operations was in progress at the same time. */
export const hasOverlap = (context: Context, names: string): boolean =>
  context.overlaps.some((each) => isOn(names, each));

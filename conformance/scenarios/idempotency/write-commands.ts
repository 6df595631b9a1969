// The nine write operations as requests that can be sent again: the same, with another body, after
// the record has moved on.

import type { Capability, Role } from '../../engine/capabilities.ts';
import type { ScenarioContext } from '../../engine/scenario/scenario-context.ts';
import { Blocked, MissingCapability } from '../../engine/scenario-errors.ts';
import type { Answer } from '../../engine/send/answer.ts';
import type { RequestBody } from '../../engine/send/client.ts';
import type { Credential, Place } from '../../providers/target.ts';
import { closePosition, differing, openPosition } from '../support/orders.ts';

type Send = (key: string) => Promise<Answer>;

/** One write on records of its own; `send` is the same request each time. */
export interface WriteCommand {
  send(key: string | null, who?: Role | Credential): Promise<Answer>;
  /** The same subject, other members of the body different: well, or so that it cannot be run. */
  readonly altered: readonly Send[];
  /** The same subject, though what may be taken for it differs: email, tag, transaction. */
  readonly disguised?: Send;
  /** Lets the record move on, so that an answer made afresh reads differently from the first. */
  changeRecord?(first: Answer): Promise<unknown>;
  /** What the record reads now, for showing that the command was done once. */
  reread?(): Promise<Answer>;
  /** Where an operator looks for what it has done. */
  readonly traces: Traces;
}

/** Whatever names the records that a command may make, change or book. */
export interface Traces {
  /** References and emails. */
  readonly accounts?: readonly string[];
  /** Ids and references. */
  readonly transactions?: readonly string[];
  readonly tradingAccountId?: string;
}

/** As the control plane and reports name them. */
export type WriteOperationName =
  | 'createAccount'
  | 'updateAccount'
  | 'bulkCreateAccounts'
  | 'openPosition'
  | 'closePosition'
  | 'createTransaction'
  | 'approveTransaction'
  | 'rejectTransaction'
  | 'cancelTransaction';

export interface WriteOperation {
  readonly operation: WriteOperationName;
  readonly words: string;
  readonly needs: readonly Capability[];
  make(t: ScenarioContext): Promise<WriteCommand>;
}

const noSeed: readonly Capability[] = [];
const place: readonly Capability[] = ['trading_account'];

function tracesOf(...bodies: readonly RequestBody[]): Traces {
  return {
    accounts: bodies.flatMap((body) => [String(body.client_reference_id), String(body.email)]),
  };
}

function bookedAt({ trading_account_id }: Place, reference: string): Traces {
  return { transactions: [reference], tradingAccountId: trading_account_id };
}

async function accountToCreate(t: ScenarioContext): Promise<WriteCommand> {
  const body = t.newAccount();
  const api = t.api;
  return {
    send: (key, who = t.mainRole) => t.as(who).createAccount(body, { key }),
    altered: [
      (key) => api.createAccount({ ...body, first_name: 'Grace', country: 'FR' }, { key }),
      (key) => api.createAccount({ ...body, phone: t.fresh.phone() }, { key }),
    ],
    disguised: (key) => api.createAccount({ ...body, email: t.fresh.email() }, { key }),
    changeRecord: async (first) => {
      const ifMatch = first.headers.get('etag') ?? null;
      const id = String(first.at('id'));
      await api.updateAccount(id, { first_name: 'Overtaken' }, { ifMatch });
    },
    reread: () => t.given.reread({ body }),
    traces: tracesOf(body),
  };
}

async function accountToUpdate(t: ScenarioContext): Promise<WriteCommand> {
  const account = await t.given.account();
  const api = t.api;
  const ifMatch = account.etag;
  const patch = (body: RequestBody, key: string | null, who: Role | Credential = t.mainRole) =>
    t.as(who).updateAccount(account.id, body, { key, ifMatch });
  const other = '"another-revision"';
  return {
    send: (key, who) => patch({ first_name: 'Grace' }, key, who),
    altered: [(key) => patch({ country: 'FR', last_name: 'Hopper' }, key), (key) => patch({}, key)],
    disguised: (key) =>
      api.updateAccount(account.id, { first_name: 'Grace' }, { key, ifMatch: other }),
    changeRecord: async (first) => {
      const tag = first.headers.get('etag') ?? null;
      await api.updateAccount(account.id, { language: 'fr' }, { ifMatch: tag });
    },
    reread: () => t.given.reread(account),
    traces: tracesOf(account.body),
  };
}

async function batchToCreate(t: ScenarioContext): Promise<WriteCommand> {
  // One row fails: a batch that only half succeeded is kept as well.
  const rows = [t.newAccount(), t.newAccount({ email: t.fresh.text() }), t.newAccount()];
  return {
    send: (key, who = t.mainRole) => t.as(who).bulkCreateAccounts(rows, { key }),
    // IDEM-9a: what may be altered in a batch has scenarios of its own.
    altered: [],
    reread: async () => {
      const send = () => t.api.bulkCreateAccounts(rows);
      const read = await t.sendUntilAnswered('the batch under a new key', send);
      return read.presuming('ACC-5', 'BULK-3', 'BULK-11');
    },
    traces: tracesOf(...rows),
  };
}

async function positionToOpen(t: ScenarioContext): Promise<WriteCommand> {
  const where = await t.given.place();
  const { body } = await openPosition(t, where);
  return {
    send: (key, who = t.mainRole) => t.as(who).openPosition(body, { key }),
    altered: [(key) => t.api.openPosition(differing(t, body), { key })],
    traces: { tradingAccountId: where.trading_account_id },
  };
}

async function positionToClose(t: ScenarioContext): Promise<WriteCommand> {
  const where = await t.given.place();
  const [first, second, third] = [
    await openPosition(t, where),
    await openPosition(t, where),
    await openPosition(t, where),
  ];
  const { body } = await closePosition(t, first);
  return {
    send: (key, who = t.mainRole) => t.as(who).closePosition(body(second), { key }),
    altered: [(key) => t.api.closePosition(body(third), { key })],
    traces: { tradingAccountId: where.trading_account_id },
  };
}

async function transactionToCreate(t: ScenarioContext): Promise<WriteCommand> {
  const where = await t.given.place();
  const body = t.newTransaction(where);
  const api = t.api;
  return {
    send: (key, who = t.mainRole) => t.as(who).createTransaction(body, { key }),
    altered: [
      (key) => api.createTransaction({ ...body, amount: '99.00' }, { key }),
      (key) => api.createTransaction({ ...body, amount: t.fresh.text() }, { key }),
    ],
    changeRecord: async (first) => {
      await api.rejectTransaction(String(first.at('id')), where.account_id);
    },
    reread: () => t.given.rereadTransaction({ body }),
    traces: bookedAt(where, String(body.client_reference_id)),
  };
}

async function transactionToApprove(t: ScenarioContext): Promise<WriteCommand> {
  const where = await t.given.place();
  const made = await t.given.transaction(where);
  const approve = (id: string, key: string | null, who: Role | Credential = t.mainRole) =>
    t.as(who).approveTransaction(id, where.account_id, { key });
  return {
    send: (key, who) => approve(made.id, key, who),
    // It has no body.
    altered: [],
    disguised: async (key) => approve((await t.given.transaction(where)).id, key),
    changeRecord: async () => {
      if (t.has('settle')) await t.operator.settle(made.id);
    },
    reread: () => t.given.rereadTransaction(made),
    traces: bookedAt(where, made.reference),
  };
}

/** `reject` and `cancel` are alike but for their last word. */
function transactionToEnd(verb: 'rejectTransaction' | 'cancelTransaction') {
  return async (t: ScenarioContext): Promise<WriteCommand> => {
    const where = await t.given.place();
    const made = await t.given.transaction(where);
    const body = { reason: 'conformance check' };
    const end = (given: RequestBody, key: string | null, who: Role | Credential = t.mainRole) =>
      t.as(who)[verb](made.id, where.account_id, given, { key });
    return {
      send: (key, who) => end(body, key, who),
      altered: [
        (key) => end({ reason: 'another reason' }, key),
        (key) => end({ reason: '' }, key),
        // What is decided already reads alike when it is decided again: another transaction tells.
        async (key) => {
          const { id, account_id } = await t.given.transaction(where);
          const same = await t.api[verb](id, account_id, body, { key });
          if (same.isOf(id)) throw new Blocked(`${verb} runs for another transaction (IDEM-10)`);
          return t.api[verb](id, account_id, { reason: 'a third reason' }, { key });
        },
      ],
      disguised: async (key) =>
        t.api[verb]((await t.given.transaction(where)).id, where.account_id, body, { key }),
      reread: () => t.given.rereadTransaction(made),
      traces: bookedAt(where, made.reference),
    };
  };
}

export const WRITE_OPERATIONS = {
  createAccount: { words: 'creating an account', needs: noSeed, make: accountToCreate },
  updateAccount: { words: 'updating an account', needs: noSeed, make: accountToUpdate },
  bulkCreateAccounts: { words: 'creating accounts in bulk', needs: noSeed, make: batchToCreate },
  openPosition: { words: 'opening a position', needs: place, make: positionToOpen },
  closePosition: { words: 'closing a position', needs: place, make: positionToClose },
  createTransaction: { words: 'creating a transaction', needs: place, make: transactionToCreate },
  approveTransaction: {
    words: 'approving a transaction',
    needs: place,
    make: transactionToApprove,
  },
  rejectTransaction: {
    words: 'rejecting a transaction',
    needs: place,
    make: transactionToEnd('rejectTransaction'),
  },
  cancelTransaction: {
    words: 'cancelling a transaction',
    needs: place,
    make: transactionToEnd('cancelTransaction'),
  },
} as const satisfies Record<WriteOperationName, Omit<WriteOperation, 'operation'>>;

/** All nine, in the order of the specification. */
export const writeOperations: readonly WriteOperation[] = (
  Object.keys(WRITE_OPERATIONS) as WriteOperationName[]
).map((operation) => ({
  operation,
  ...WRITE_OPERATIONS[operation],
}));

/** Undefined where nobody knows how to ask for it (NS-1). */
export async function madeIfKnown(
  t: ScenarioContext,
  make: WriteOperation['make'],
): Promise<WriteCommand | undefined> {
  try {
    return await make(t);
  } catch (error) {
    if (error instanceof MissingCapability) return undefined;
    throw error;
  }
}

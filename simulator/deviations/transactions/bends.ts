// Bends of transactions that their families share.

import type { Decision } from '../../core/call.ts';
import type { RequestContext } from '../../core/pipeline/request-context.ts';
import type { Transaction, TransactionStatus } from '../../core/records.ts';
import type { Transition, Trigger } from '../../core/tables/transitions.ts';
import { type Bend, decision, type Json, only, operation, policy } from '../bend.ts';

export const create = 'createTransaction';
export const approve = 'approveTransaction';
export const reject = 'rejectTransaction';
export const cancel = 'cancelTransaction';

type TransitionName = typeof approve | typeof reject | typeof cancel;

export const refused: Transition = { kind: 'refused', cites: [] };
export const to = (status: TransactionStatus): Transition => ({
  kind: 'move',
  to: status,
  cites: [],
});

/** Puts another move into one cell of the table. */
export const cell = (status: TransactionStatus, trigger: Trigger, move: Transition): Bend =>
  policy('transactions', ({ transitions: table }) => ({
    transitions: { ...table, [status]: { ...table[status], [trigger]: move } },
  }));

export const shown = (change: (body: Json, transaction: Transaction) => Json): Bend =>
  policy('serialize', (serialize) => ({
    transaction: (transaction) =>
      JSON.stringify(change(JSON.parse(serialize.transaction(transaction)) as Json, transaction)),
  }));

/** Runs the create with other members than those that were sent. */
export const sentAs = (change: (body: Json) => Json): Bend =>
  operation(create, (run, context) => {
    context.body = change(context.body as Json);
    return run(context);
  });

/** Changes the transaction as a create makes it, in the world and in the answer. */
export const made = (
  change: (transaction: Transaction, context: RequestContext) => Transaction,
): Bend =>
  decision(create, (given, context) => {
    const [created] = only(given.changes, 'transaction-created');
    if (created === undefined) return given;
    const transaction = change(created.transaction, context);
    return shows(given, context, created, { ...created, transaction });
  });

/** Changes the transaction as a move leaves it, in the world and in the answer. */
export const left = (
  name: TransitionName,
  change: (after: Transaction, context: RequestContext) => Transaction,
): Bend =>
  decision(name, (given, context) => {
    const [changed] = only(given.changes, 'transaction-changed');
    if (changed === undefined) return given;
    const transaction = change(changed.transaction, context);
    return shows(given, context, changed, { ...changed, transaction });
  });

/** The decision with another change in the place of one, and its transaction as the answer. */
function shows<C extends Decision['changes'][number] & { readonly transaction: Transaction }>(
  given: Decision,
  context: RequestContext,
  before: Decision['changes'][number],
  after: C,
): Decision {
  const body = context.behaviour.serialize.transaction(after.transaction);
  const changes = given.changes.map((each) => (each === before ? after : each));
  return { ...given, reply: { ...given.reply, body }, changes };
}

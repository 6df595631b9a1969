// Bends of transactions that their families share.
import type { Attempt } from '../core/attempt.ts';
import type { Decision } from '../core/call.ts';
import type { Transaction, TransactionStatus } from '../core/records.ts';
import type { Move, Trigger } from '../core/tables/moves.ts';
import { type Bend, decision, type Json, only, operation, policy } from './bend.ts';
import { refusedWith } from './bends.ts';

export const create = 'createTransaction';
export const approve = 'approveTransaction';
export const reject = 'rejectTransaction';
export const cancel = 'cancelTransaction';

type MoveName = typeof approve | typeof reject | typeof cancel;

export const refused: Move = { kind: 'refused', cites: [] };
export const unchanged: Move = { kind: 'unchanged', cites: [] };
export const to = (status: TransactionStatus): Move => ({ kind: 'move', to: status, cites: [] });

/** Puts another move into one cell of the table. */
export const cell = (status: TransactionStatus, trigger: Trigger, move: Move): Bend =>
  policy('transactions', ({ moves: table }) => ({
    moves: { ...table, [status]: { ...table[status], [trigger]: move } },
  }));

export const shown = (change: (body: Json, transaction: Transaction) => Json): Bend =>
  policy('print', (print) => ({
    transaction: (transaction) =>
      JSON.stringify(change(JSON.parse(print.transaction(transaction)) as Json, transaction)),
  }));

/** Runs the create with other members than those that were sent. */
export const sentAs = (change: (body: Json) => Json): Bend =>
  operation(create, (run, attempt) => {
    attempt.body = change(attempt.body as Json);
    return run(attempt);
  });

/** Changes the transaction as a create makes it, in the world and in the answer. */
export const made = (change: (transaction: Transaction, attempt: Attempt) => Transaction): Bend =>
  decision(create, (given, attempt) => {
    const [created] = only(given.changes, 'transaction-created');
    if (created === undefined) return given;
    const transaction = change(created.transaction, attempt);
    return shows(given, attempt, created, { ...created, transaction });
  });

/** Changes the transaction as a move leaves it, in the world and in the answer. */
export const left = (
  name: MoveName,
  change: (after: Transaction, attempt: Attempt) => Transaction,
): Bend =>
  decision(name, (given, attempt) => {
    const [changed] = only(given.changes, 'transaction-changed');
    if (changed === undefined) return given;
    const transaction = change(changed.transaction, attempt);
    return shows(given, attempt, changed, { ...changed, transaction });
  });

/** The decision with another change in the place of one, and its transaction as the answer. */
function shows<C extends Decision['changes'][number] & { readonly transaction: Transaction }>(
  given: Decision,
  attempt: Attempt,
  before: Decision['changes'][number],
  after: C,
): Decision {
  const body = attempt.behaviour.print.transaction(after.transaction);
  const changes = given.changes.map((each) => (each === before ? after : each));
  return { ...given, reply: { ...given.reply, body }, changes };
}

/** Writes the status, whatever the move is refused for. */
export const movesAnyway = (name: MoveName, words: RegExp, status: TransactionStatus): Bend =>
  refusedWith(name, words, (attempt, given) => {
    const transaction = attempt.world.transactions.get(attempt.pathId);
    if (transaction === undefined) return given;
    const changes = [
      { type: 'transaction-changed', transaction: { ...transaction, status } },
    ] as const;
    return { ...given, changes };
  });

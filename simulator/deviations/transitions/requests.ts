// Wrong ways with what deciding on a transaction asks for and shows (TXS-14 to TXS-19).
import { decision, type Json, operation, policy, transitionOperations } from '../bend.ts';
import { filledIn, refuseAs, refusedWith, unscoped } from '../common-bends.ts';
import type { Deviation } from '../deviation.ts';
import { cancel, reject } from '../transactions/bends.ts';

export const transitionRequestDeviations: readonly Deviation[] = [
  {
    id: 'reason-optional',
    breaks: ['TXS-14'],
    story: 'Without a reason none is stored.',
    bend: filledIn(['rejectTransaction', 'cancelTransaction'], 'reason', () => 'none given'),
  },
  {
    id: 'account-in-query-optional',
    breaks: ['TXS-15'],
    story: 'The transaction’s id is enough to find it.',
    bend: operation(transitionOperations, (run, context) => {
      const owner = context.world.transactions.get(context.pathId)?.account_id;
      if (!context.query.has('account_id') && owner !== undefined)
        context.query.set('account_id', owner);
      return run(context);
    }),
  },
  {
    id: 'account-in-query-unchecked',
    breaks: ['TXS-16'],
    story: 'The account in the query is not compared with the transaction’s.',
    bend: operation(transitionOperations, (run, context) => {
      const owner = context.world.transactions.get(context.pathId)?.account_id;
      if (owner !== undefined && /^\d+$/.test(context.query.get('account_id') ?? ''))
        context.query.set('account_id', owner);
      return run(context);
    }),
  },
  {
    id: 'foreign-transaction-is-403',
    breaks: ['TXS-16'],
    story: 'A transaction of another account is forbidden.',
    bend: refusedWith(transitionOperations, /"not_found"/, (context) =>
      refuseAs(context, 403, 'forbidden', 'This transaction is not yours.'),
    ),
  },
  {
    id: 'moves-unscoped',
    breaks: ['TXS-17'],
    story: 'Whoever can see a transaction may decide on it.',
    bend: unscoped(...transitionOperations),
  },
  {
    id: 'transaction-shows-reason',
    breaks: ['TXS-19'],
    story: 'The reason is shown once it is there.',
    bend: policy('serialize', (serialize) => ({
      transaction: (transaction) =>
        JSON.stringify({
          ...(JSON.parse(serialize.transaction(transaction)) as Json),
          ...(transaction.reason === null ? {} : { reason: transaction.reason }),
        }),
    })),
    alsoSeenAs: { 'TXN-9': 'reasons never appear' },
  },
  {
    id: 'transaction-echoes-reason',
    breaks: ['TXS-19'],
    story: 'The answer of a rejection repeats the reason.',
    bend: decision([reject, cancel], (given, { body }) =>
      given.reply.status === 200
        ? {
            ...given,
            reply: {
              ...given.reply,
              body: JSON.stringify({
                ...(JSON.parse(given.reply.body) as Json),
                reason: body.reason,
              }),
            },
          }
        : given,
    ),
  },
];

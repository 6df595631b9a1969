// Wrong ways with what deciding on a transaction asks for and shows (TXS-14 to TXS-19).
import { decision, type Json, operation, policy, stage, transitionOperations } from '../bend.ts';
import { alsoBy, filledIn, refuseAs, refusedWith, unscoped } from '../common-bends.ts';
import type { Deviation } from '../deviation.ts';
import { approve, cancel, reject } from '../transactions/bends.ts';

export const transitionRequestDeviations: readonly Deviation[] = [
  {
    id: 'reason-may-be-empty',
    breaks: ['TXS-14'],
    story: 'The reason is required, its text is not looked at.',
    bend: operation([reject, cancel], (run, context) => {
      if (context.body.reason === '') context.body = { ...context.body, reason: '-' };
      return run(context);
    }),
  },
  {
    id: 'reason-optional',
    breaks: ['TXS-14'],
    story: 'Without a reason none is stored.',
    bend: filledIn(['rejectTransaction', 'cancelTransaction'], 'reason', () => 'none given'),
  },
  {
    id: 'reason-absent-is-problem',
    breaks: ['TXS-14'],
    story: 'An absent reason is validated like an empty one.',
    bend: stage('readable', (decide, context) => {
      const given = decide(context);
      return given !== null && /^reason is required/.test(given.reply.body)
        ? refuseAs(context, 422, 'validation_failed', 'reason is required.')
        : given;
    }),
  },
  {
    id: 'account-in-query-optional',
    breaks: ['TXS-15'],
    story: 'The transaction’s id is enough to find it.',
    bend: operation(transitionOperations, (run, context) => {
      const owner = context.world.transactions.get(context.pathId)?.accountId;
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
      const owner = context.world.transactions.get(context.pathId)?.accountId;
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
    id: 'foreign-transaction-is-422',
    breaks: ['TXS-16'],
    story: 'Two ids that do not fit together are a validation failure.',
    bend: refusedWith(transitionOperations, /"not_found"/, (context) =>
      refuseAs(context, 422, 'validation_failed', 'The transaction is not of this account.'),
    ),
  },
  {
    id: 'moves-unscoped',
    breaks: ['TXS-17'],
    story: 'Whoever can see a transaction may decide on it.',
    bend: unscoped(...transitionOperations),
  },
  {
    id: 'approve-unscoped',
    breaks: ['TXS-17'],
    story: 'The scope is checked on reject and cancel only.',
    bend: unscoped(approve),
  },
  {
    id: 'cancel-by-amend-alone',
    breaks: ['TXS-17'],
    story: 'transactions:amend is enough to cancel.',
    bend: alsoBy(cancel, 'transactions:amend'),
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
  {
    id: 'transaction-shows-operator',
    breaks: ['TXN-9'],
    story: 'Who decided is shown.',
    bend: policy('serialize', (serialize) => ({
      transaction: (transaction) =>
        JSON.stringify({
          ...(JSON.parse(serialize.transaction(transaction)) as Json),
          ...(transaction.operator === null
            ? {}
            : { operator_comment: `by ${transaction.operator}` }),
        }),
    })),
  },
  {
    id: 'reason-may-be-empty-once-settled',
    breaks: ['TXS-14'],
    story: 'Taking back what has settled was written later, without the look at the reason.',
    bend: operation('cancelTransaction', (run, context) => {
      const settled = context.world.transactions.get(context.pathId)?.status === 'settled';
      if (settled && context.body.reason === '') context.body = { ...context.body, reason: '-' };
      return run(context);
    }),
  },
];

// Wrong members of transactions, and wrong reach when creating one (TXN-6 to TXN-12).
import { operation, policy, transitionOperations } from '../bend.ts';
import { alsoBy, filledIn, refuseAs, refusedWith, unscoped } from '../common-bends.ts';
import type { Deviation } from '../deviation.ts';
import { create, made, sentAs, shown } from './bends.ts';

const all = [create, ...transitionOperations] as const;

const notFound = (status: number, code: string): Deviation['bend'] =>
  refusedWith(create, /"not_found"/, (context) =>
    refuseAs(context, status, code, 'There is no such trading account.'),
  );

export const transactionMemberDeviations: readonly Deviation[] = [
  {
    id: 'transaction-method-always-deposit',
    breaks: ['TXN-6'],
    story: 'Without a method it is a deposit.',
    bend: policy('values', () => ({ method: () => 'Deposit' })),
  },
  {
    id: 'transaction-method-from-type',
    breaks: ['TXN-6'],
    story: 'The method follows the transaction type, not the sign.',
    bend: sentAs((body) =>
      body.method == null
        ? {
            ...body,
            method:
              body.transaction_type === 'Withdrawal' || body.transaction_type === 'Debit'
                ? 'Withdrawal'
                : 'Deposit',
          }
        : body,
    ),
  },
  {
    id: 'transaction-method-stays-null',
    breaks: ['TXN-6'],
    story: 'What was not sent is null.',
    bend: made((transaction, { body }) =>
      body.method == null ? { ...transaction, method: null as unknown as string } : transaction,
    ),
  },
  {
    id: 'transaction-method-no-bonus',
    breaks: ['TXN-6'],
    story: 'Bonus was forgotten in the list.',
    bend: operation(create, (run, context) =>
      context.body.method === 'Bonus'
        ? refuseAs(context, 422, 'validation_failed', 'method is not known.')
        : run(context),
    ),
  },
  {
    id: 'transaction-method-required',
    breaks: ['TXN-6'],
    story: 'The method has to be sent.',
    bend: operation(create, (run, context) =>
      context.body.method == null
        ? refuseAs(context, 422, 'validation_failed', 'method is required.')
        : run(context),
    ),
  },
  {
    id: 'transaction-type-any',
    breaks: ['TXN-7'],
    story: 'The type is stored as sent.',
    bend: operation(create, (run, context) => {
      const type = context.body.transaction_type;
      const known = ['Deposit', 'Withdrawal', 'Credit', 'Debit'].includes(String(type));
      if (!known) context.body = { ...context.body, transaction_type: 'Credit' };
      return run(context);
    }),
  },
  {
    id: 'transaction-type-any-case',
    breaks: ['TXN-7'],
    story: 'deposit is as good as Deposit.',
    bend: sentAs((body) => {
      const type = String(body.transaction_type);
      return {
        ...body,
        transaction_type: `${type.charAt(0).toUpperCase()}${type.slice(1).toLowerCase()}`,
      };
    }),
  },
  {
    id: 'transaction-type-no-debit',
    breaks: ['TXN-7'],
    story: 'Debit was forgotten in the list.',
    bend: operation(create, (run, context) =>
      context.body.transaction_type === 'Debit'
        ? refuseAs(context, 422, 'validation_failed', 'transaction_type is not known.')
        : run(context),
    ),
  },
  {
    id: 'transaction-type-optional',
    breaks: ['TXN-7'],
    story: 'Without a type it follows the sign.',
    bend: filledIn([create], 'transaction_type', () => 'Deposit'),
  },
  {
    id: 'transaction-lacks-is-ftd',
    breaks: ['TXN-8'],
    story: 'is_ftd is sent only when it is true.',
    bend: shown(({ is_ftd: isFtd, ...rest }) =>
      isFtd === true ? { ...rest, is_ftd: true } : rest,
    ),
  },
  {
    id: 'transaction-is-ftd-as-number',
    breaks: ['TXN-8'],
    story: 'Booleans are 0 and 1 in the database.',
    bend: shown((body) => ({ ...body, is_ftd: body.is_ftd === true ? 1 : 0 })),
  },
  {
    id: 'transaction-shows-provider',
    breaks: ['TXN-9'],
    story: 'The provider used is shown for support.',
    bend: shown((body) => ({ ...body, provider: 'paylink' })),
  },
  {
    id: 'transaction-shows-provider-reference',
    breaks: ['TXN-9'],
    story: 'The provider’s reference is shown for support.',
    bend: shown((body, { id }) => ({ ...body, provider_reference: `pl-${id}` })),
  },
  {
    id: 'transaction-unknown-account-is-422',
    breaks: ['TXN-10'],
    story: 'A foreign key that leads nowhere is a validation failure.',
    bend: notFound(422, 'validation_failed'),
  },
  {
    id: 'transaction-unknown-account-is-403',
    breaks: ['TXN-10'],
    story: 'What is not yours is forbidden, existing or not.',
    bend: notFound(403, 'forbidden'),
  },
  {
    id: 'transaction-foreign-trading-account',
    breaks: ['TXN-11'],
    story: 'That the trading account belongs to the account is not checked.',
    bend: operation(create, (run, context) => {
      const owner = context.world.tradingAccounts.get(
        String(context.body.trading_account_id),
      )?.accountId;
      const given = run(context);
      if (
        owner === undefined ||
        'decideRow' in given ||
        !/no trading account/.test(given.reply.body)
      )
        return given;
      context.body = { ...context.body, account_id: owner };
      return run(context);
    }),
  },
  {
    id: 'transaction-foreign-trading-account-is-422',
    breaks: ['TXN-11'],
    story: 'Two ids that do not fit together are a validation failure.',
    bend: refusedWith(create, /no trading account \d+ of account/, (context, given) =>
      context.world.tradingAccounts.has(String(context.body.trading_account_id))
        ? refuseAs(
            context,
            422,
            'validation_failed',
            'The trading account belongs to another account.',
          )
        : given,
    ),
  },
  {
    id: 'transaction-unscoped',
    breaks: ['TXN-12'],
    story: 'Any valid token may record transactions.',
    bend: unscoped(create),
  },
  {
    id: 'transaction-by-amend-alone',
    breaks: ['TXN-12'],
    story: 'transactions:amend is taken for a funds scope.',
    bend: alsoBy(create, 'transactions:amend'),
  },
  {
    id: 'transaction-without-trader-funds',
    breaks: ['AUTH-4'],
    story: 'trader:funds was forgotten.',
    bend: policy('table', (table) =>
      Object.fromEntries(
        all.map((name) => [name, { ...table[name], scopes: ['transactions:write'] }]),
      ),
    ),
  },
];

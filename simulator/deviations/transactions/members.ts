// Wrong members of transactions, and wrong reach when creating one (TXN-6 to TXN-12).
import { operation, policy, transitionOperations } from '../bend.ts';
import { filledIn, refuseAs, refusedWith, unscoped } from '../common-bends.ts';
import type { Deviation } from '../deviation.ts';
import { create, made, shown } from './bends.ts';

const all = [create, ...transitionOperations] as const;

const notFound = (status: number, code: string): Deviation['bend'] =>
  refusedWith(create, /"not_found"/, (context) =>
    refuseAs(context, status, code, 'There is no such trading account.'),
  );

export const transactionMemberDeviations: readonly Deviation[] = [
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
    id: 'transaction-unknown-account-is-422',
    breaks: ['TXN-10'],
    story: 'A foreign key that leads nowhere is a validation failure.',
    bend: notFound(422, 'validation_failed'),
  },
  {
    id: 'transaction-foreign-trading-account',
    breaks: ['TXN-11'],
    story: 'That the trading account belongs to the account is not checked.',
    bend: operation(create, (run, context) => {
      const owner = context.world.tradingAccounts.get(
        String(context.body.trading_account_id),
      )?.account_id;
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
    id: 'transaction-unscoped',
    breaks: ['TXN-12'],
    story: 'Any valid token may record transactions.',
    bend: unscoped(create),
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

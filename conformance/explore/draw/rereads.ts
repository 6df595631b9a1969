// Ideas that look again at what was made: by the creates that converge, and by the reads.
import { call, type Drawing, type Idea, newestOr, newKey } from './idea.ts';
import { transactionCall } from './money.ts';
import type { DrawnAccount, DrawnTransaction } from './scene.ts';

/** ACC-5: a create under a new key whose reference names the account answers with it as it is. */
export function rereadAccount(d: Drawing, { as, reference, email, brand }: DrawnAccount) {
  return call(d, {
    operation: 'createAccount',
    as,
    key: newKey(d),
    body: { client_reference_id: reference, email, brand_id: brand },
  });
}

/** TXN-2. */
export function rereadTransaction(d: Drawing, { reference, place }: DrawnTransaction) {
  return transactionCall(d, place, { client_reference_id: reference });
}

export const rereadIdeas: readonly Idea[] = [
  {
    id: 'reread/account',
    weight: 3,
    when: ({ accounts }) => accounts.length > 0,
    draw: (d) => [rereadAccount(d, newestOr(d, d.scene.accounts))],
  },
  {
    id: 'reread/transaction',
    weight: 3,
    when: ({ transactions }) => transactions.length > 0,
    draw: (d) => [rereadTransaction(d, newestOr(d, d.scene.transactions))],
  },
  {
    id: 'read/accounts',
    draw: (d) => [call(d, { operation: 'listAccounts', as: d.main })],
  },
  {
    id: 'read/transactions',
    when: ({ transactions }) => transactions.length > 0,
    draw: (d) => [call(d, { operation: 'listTransactions', as: d.main })],
  },
  {
    id: 'read/accounts-as-brand',
    needs: ['brand'],
    weight: 0.5,
    when: ({ accounts }) => accounts.length > 0,
    draw: (d) => [call(d, { operation: 'listAccounts', as: 'brand' })],
  },
  {
    id: 'read/status',
    when: ({ accounts }) => accounts.length > 0,
    draw: (d) => {
      const { id, as } = d.random.pick(d.scene.accounts);
      return [call(d, { operation: 'getAccountStatus', as, id })];
    },
  },
];

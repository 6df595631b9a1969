// Ideas about trading accounts and transactions: recorded, decided on, settled.
import type { SeedKind } from '../../providers/target.ts';
import type { Step, Value } from '../sequence.ts';
import { createCall } from './accounts.ts';
import {
  CALLERS,
  call,
  type Drawing,
  type Idea,
  members,
  needsOf,
  newestOr,
  newKey,
} from './idea.ts';
import type { DrawnPlace, Scene } from './scene.ts';

/** The first ones are plain, and lose a cent where they are taken for binary fractions. */
export const AMOUNTS: readonly string[] = [
  ...['19.99', '100', '0.29', '1.5', '-20', '-0.10', '00012.50', '9999999999999.99', '0.01'],
  ...['1234567890123.45', '123456789012345', '-100000000000.1', '0.3', '1000000000000.10'],
];
export const BAD_AMOUNTS: readonly string[] = [
  'abc',
  '',
  '1,5',
  '1.2.3',
  '12x',
  '--5',
  'NaN',
  '0x10',
  '1 000',
  '٣',
];
const TYPES = ['Deposit', 'Withdrawal', 'Credit', 'Debit'];
const METHODS = ['Deposit', 'Withdrawal', 'Bonus'];

type Over = { readonly [name: string]: Value | undefined };

const placed = ({ places }: Scene) => places.length > 0;

export function transactionCall(d: Drawing, place: DrawnPlace, over: Over = {}, as = place.as) {
  return call(d, {
    operation: 'createTransaction',
    as,
    key: newKey(d),
    body: members({
      client_reference_id: { $fresh: `t${d.stem()}` },
      account_id: place.account,
      trading_account_id: place.tradingAccount,
      currency: place.currency,
      amount: d.random.pick(AMOUNTS.slice(0, 4)),
      transaction_type: 'Deposit',
      ...over,
    }),
  });
}

const places: readonly Idea[] = [
  {
    id: 'place/open',
    weight: 6,
    needs: ['trading_account'],
    draw: (d) => {
      if (!d.offers.has('fresh_trading_account')) return newSeeds(d, PLAIN_SEEDS);
      const own = d.scene.accounts.filter(({ as }) => as !== 'other_firm');
      if (own.length > 0 && d.random.chance(0.6)) return [open(d, d.random.pick(own).id)];
      return createAndOpen(d, d.main);
    },
  },
  {
    id: 'place/provider',
    weight: 2,
    needs: ['provider_trading_account'],
    when: ({ accounts, places: all }) => accounts.length > 0 || all.length > 0,
    draw: (d) => {
      const { accounts } = d.scene;
      if (!d.offers.has('fresh_trading_account')) return newSeeds(d, ['provider_trading_account']);
      if (accounts.length === 0) return [];
      return [{ ...open(d, d.random.pick(accounts).id), provider: true }];
    },
  },
  {
    id: 'place/second-of-the-account',
    weight: 2,
    needs: ['fresh_trading_account'],
    when: placed,
    draw: (d) => {
      const { account } = d.random.pick(d.scene.places);
      return [{ ...open(d, account), currency: d.random.pick(['USD', 'EUR']) }];
    },
  },
  {
    id: 'place/other-brand',
    needs: ['fresh_trading_account', 'other_brand'],
    draw: (d) => createAndOpen(d, 'other_brand'),
  },
  {
    id: 'place/other-firm',
    weight: 0.7,
    needs: ['fresh_trading_account', 'other_firm'],
    draw: (d) => createAndOpen(d, 'other_firm'),
  },
];

function open(d: Drawing, account: Value): Extract<Step, { do: 'open' }> {
  return { do: 'open', n: d.scene.label(), account };
}

const PLAIN_SEEDS: readonly SeedKind[] = ['trading_account', 'second_trading_account'];

/** Those that the sequence has not taken yet; the same ones serve every sequence. */
function newSeeds(d: Drawing, kinds: readonly SeedKind[]): readonly Step[] {
  return kinds
    .filter((each) => d.offers.has(each) && !d.scene.seeds.has(each))
    .map((kind) => ({ do: 'place', n: d.scene.label(), kind }));
}

function createAndOpen(d: Drawing, as: string): readonly Step[] {
  const created = createCall(d, as);
  return [created, open(d, { $of: created.n, at: 'id' })];
}

/** A transaction at some place, or one made for it. */
function record(
  id: string,
  over: (d: Drawing, place: DrawnPlace) => Over,
  rest: Partial<Idea> = {},
): Idea {
  return {
    id: `transaction/${id}`,
    when: placed,
    draw: (d) => {
      const place = newestOr(d, d.scene.places);
      return [transactionCall(d, place, over(d, place))];
    },
    ...rest,
  };
}

const recorded: readonly Idea[] = [
  record('deposit', () => ({}), { weight: 8 }),
  record(
    'withdrawal',
    (d) => ({
      transaction_type: 'Withdrawal',
      amount: d.random.pick(['5', '-5', '-0.50']),
    }),
    { weight: 3 },
  ),
  record('amount', (d) => ({ amount: d.random.pick(AMOUNTS) }), { weight: 2 }),
  record('type', (d) => ({ transaction_type: d.random.pick(TYPES) }), { weight: 2 }),
  record('method', (d) => ({ method: d.random.pick(METHODS) }), { weight: 2 }),
  record(
    'type-and-method',
    (d) => ({
      transaction_type: d.random.pick(TYPES),
      method: d.random.pick(METHODS),
      amount: d.random.pick(AMOUNTS),
    }),
    { weight: 2 },
  ),
  record('status-sent', () => ({ status: 'approved', is_ftd: true })),
  record('other-currency', () => ({ currency: 'JPY' }), { weight: 0.5 }),
  record('reference-255', (d) => ({
    client_reference_id: { $fresh: `l${d.stem()}`, length: 255 },
  })),
  record('amount-bad', (d) => ({ amount: d.random.pick(BAD_AMOUNTS) }), { weight: 2 }),
  record('broken-json', () => ({}), {
    draw: (d) => {
      const { body, ...rest } = transactionCall(d, newestOr(d, d.scene.places));
      return [{ ...rest, raw: '{"amount": ' }];
    },
  }),
  record('amount-number', () => ({ amount: 25 }), { weight: 0.5 }),
  record('amount-zero', () => ({ amount: '0.00' }), { weight: 0.5 }),
  record('amount-exponent', (d) => ({ amount: d.random.pick(['1e3', '+5', '.5']) }), {
    weight: 0.5,
  }),
  record('currency-empty', () => ({ currency: '' })),
  record('type-bad', (d) => ({ transaction_type: d.random.pick(['deposit', 'Transfer', '']) })),
  record('type-absent', () => ({ transaction_type: undefined })),
  record('method-bad', () => ({ method: 'Cash' })),
  record('amount-absent', () => ({ amount: undefined }), { weight: 0.5 }),
  record('currency-absent', () => ({ currency: undefined }), { weight: 0.5 }),
  record('account-absent', () => ({ account_id: undefined }), { weight: 0.5 }),
  record('reference-256', (d) => ({
    client_reference_id: { $fresh: `l${d.stem()}`, length: 256 },
  })),
  record('reference-blank', (d) => ({ client_reference_id: d.random.pick(['', '  ']) })),
  record('account-number', (_, { account }) => ({ account_id: { $number: account } })),
  record('trading-account-number', (_, { tradingAccount }) => ({
    trading_account_id: { $number: tradingAccount },
  })),
  record('account-text', (d) => ({ account_id: d.random.pick(['abc', '1.0', '0x1', '-1']) })),
  record('trading-account-text', () => ({ trading_account_id: 'abc' })),
  record('account-unknown', () => ({ account_id: '999999999' })),
  record('trading-account-unknown', () => ({ trading_account_id: '999999999' })),
  record(
    'trading-account-of-another',
    (d, place) => {
      const others = d.scene.places.filter(({ account }) => account !== place.account);
      const other = others.length === 0 ? undefined : d.random.pick(others);
      return other === undefined ? {} : { trading_account_id: other.tradingAccount };
    },
    { weight: 2, when: ({ places }) => new Set(places.map(({ account }) => account)).size > 1 },
  ),
];

const found: readonly Idea[] = [
  {
    id: 'transaction/found-at-another-place',
    weight: 2,
    when: ({ transactions, places: all }) => transactions.length > 0 && all.length > 1,
    draw: (d) => {
      const { reference, place } = d.random.pick(d.scene.transactions);
      const others = d.scene.places.filter((each) => each !== place);
      return [transactionCall(d, d.random.pick(others), { client_reference_id: reference })];
    },
  },
  ...(['same', 'upper'] as const).map(
    (how): Idea => ({
      id: `transaction/found-${how}`,
      weight: 2,
      when: ({ transactions }) => transactions.length > 0,
      draw: (d) => {
        const { reference, place } = d.random.pick(d.scene.transactions);
        const named: Value = how === 'same' ? reference : { $case: 'upper', of: reference };
        return [transactionCall(d, place, { client_reference_id: named, amount: '7.77' })];
      },
    }),
  ),
  ...CALLERS.map(
    (role): Idea => ({
      id: `transaction/as-${role}`,
      needs: needsOf(role),
      weight: 0.8,
      when: placed,
      draw: (d) => [transactionCall(d, d.random.pick(d.scene.places), {}, role)],
    }),
  ),
  {
    id: 'transaction/delegated-own',
    needs: ['delegated', 'clock'],
    draw: (d) => [
      call(d, {
        operation: 'createTransaction',
        as: 'delegated',
        key: newKey(d),
        body: {
          client_reference_id: { $fresh: `t${d.stem()}` },
          account_id: { $role: 'delegated', has: 'account' },
          trading_account_id: { $role: 'delegated', has: 'tradingAccount' },
          currency: 'USD',
          amount: '5.00',
          transaction_type: 'Deposit',
        },
      }),
    ],
  },
];

const powers: readonly Idea[] = [
  {
    id: 'operator/settle',
    weight: 5,
    needs: ['settle'],
    when: ({ transactions }) => transactions.some(({ status }) => status === 'approved'),
    draw: (d) => {
      const approved = d.scene.transactions.filter(({ status }) => status === 'approved');
      const one = d.random.pick(approved);
      one.status = 'settled';
      return [{ do: 'settle', n: d.scene.label(), id: one.id }];
    },
  },
  {
    id: 'operator/ledger',
    weight: 3,
    needs: ['ledger'],
    when: placed,
    draw: (d) => {
      const { tradingAccount } = d.random.pick(d.scene.places);
      return [{ do: 'ledger', n: d.scene.label(), tradingAccount }];
    },
  },
];

export const moneyIdeas: readonly Idea[] = [...places, ...recorded, ...found, ...powers];

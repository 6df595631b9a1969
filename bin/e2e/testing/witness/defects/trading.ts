// Defects of conventions, positions, transactions and their states, and crashes.
import { bodyOf, inPlainText, notFound, refuse, replyWith, withBody } from '../replies.ts';
import { changeStatus, effectOf, transactionBody } from '../settlement.ts';
import type { Context } from '../types.ts';
import { isObject, type JsonObject, negated, textOr } from '../values.ts';
import {
  ageOf,
  caller,
  callerOf,
  DAY_MS,
  decided,
  granted,
  HOUR_MS,
  keyed,
  leaving,
  meeting,
  meets,
  type Row,
  refusal,
  request,
  savedTransaction,
  sent,
  sentBody,
  shown,
  statusOf,
  stored,
  transaction,
} from './wrap.ts';

const RECORD = 'createTransaction';
const [APPROVE, REJECT, CANCEL] = ['approveTransaction', 'rejectTransaction', 'cancelTransaction'];
const MONEY = `${RECORD} ${APPROVE} ${REJECT} ${CANCEL}`;
const POSITIONS = 'openPosition closePosition';
const LISTS = 'listAccounts listTransactions';

const eachRow = (body: JsonObject, change: (row: JsonObject) => JsonObject): JsonObject => {
  const rows = ([name, value]: [string, JsonObject[string]]): [string, JsonObject[string]] => [
    name,
    Array.isArray(value) ? value.map((row) => (isObject(row) ? change(row) : row)) : value,
  ];
  return Object.fromEntries(Object.entries(body).map(rows));
};

/** Names the owning account in the query. */
function nameOwner(context: Context): void {
  const own = transaction(context);
  if (own !== undefined) context.query.set('account_id', own.account_id);
}

/** A decision that a refusing state takes after all. */
const decideAnyway = (name: string, from: string, to: 'approved' | 'rejected'): Row[4] =>
  decided(name, (reply, context) => {
    const each = transaction(context);
    if (reply.status !== 409 || each?.status !== from) return undefined;
    return replyWith(
      context,
      200,
      transactionBody(changeStatus(context.world, each, { status: to })),
    );
  });

export const conventionDefects: readonly Row[] = [
  [
    'ids-as-numbers',
    'single',
    ['CONV-1a', 'ACC-18'],
    'Accounts show their id as a number.',
    shown('createAccount updateAccount', (body, { row }) =>
      row === undefined ? { ...body, id: Number(body.id) } : body,
    ),
  ],
  [
    'number-ids-taken',
    'single',
    ['CONV-1b', 'ERR-2'],
    'A transaction may name its account by a number.',
    sent(RECORD, (body) => ({ ...body, account_id: String(body.account_id) })),
  ],
  [
    'ids-parsed-loosely',
    'single',
    ['CONV-1c', 'UPD-5'],
    'Letters after the digits of an id in the path do not count.',
    request(`updateAccount ${APPROVE} ${REJECT} ${CANCEL}`, (context) => {
      context.pathId = /^\d+/.exec(context.pathId)?.[0] ?? context.pathId;
    }),
  ],
  [
    'odd-ids-404',
    'single',
    ['CONV-1c', 'TXS-15'],
    'An id in the path that is no number is answered 404.',
    decided(`updateAccount ${APPROVE} ${REJECT} ${CANCEL}`, (_, context) =>
      /^\d+$/.test(context.pathId) ? undefined : notFound(context),
    ),
  ],
  [
    'amount-number',
    'single',
    ['CONV-2a', 'TXN-8'],
    'Transactions show their amount as a number.',
    shown(MONEY, (body) => ({ ...body, amount: Number(body.amount) })),
  ],
  [
    'amount-float',
    'size',
    ['CONV-2a'],
    'Amounts of more than seven digits go through a short float.',
    savedTransaction((each, before) => {
      const isLong = each.amount.replace(/\D/g, '').length > 7 && before === undefined;
      return isLong ? { ...each, amount: Math.fround(Number(each.amount)).toFixed(2) } : each;
    }),
  ],
  [
    'amount-absolute',
    'combination',
    ['CONV-2a'],
    'Transactions show their amount without its sign.',
    shown(MONEY, (body) => ({ ...body, amount: String(body.amount).replace('-', '') })),
  ],
  [
    'read-ids-as-text',
    'single',
    ['CONV-3'],
    'Bulk reads give record_id as a string.',
    shown(LISTS, (body) => eachRow(body, (row) => ({ ...row, record_id: String(row.record_id) }))),
  ],
  [
    'seconds',
    'single',
    ['CONV-4'],
    'created_at of a transaction counts seconds.',
    shown(MONEY, (body) => ({ ...body, created_at: Math.floor(Number(body.created_at) / 1000) })),
  ],
];

export const positionDefects: readonly Row[] = [
  [
    'open-to-all',
    'single',
    ['POS-1', 'AUTH-4'],
    'Every credential may open positions.',
    granted('openPosition', 'trades:write'),
  ],
  [
    'trader-refused',
    'single',
    ['POS-1', 'AUTH-4', 'AUTH-5'],
    'trader:trade opens no positions.',
    caller('openPosition', (each) => ({
      ...each,
      scopes: each.scopes.filter((scope) => scope !== 'trader:trade'),
    })),
  ],
  [
    'order-compared',
    'single',
    ['POS-2', 'IDEM-8', 'IDEM-2c'],
    'A key with another volume opens once more.',
    keyed((name, { body, operation }) =>
      POSITIONS.includes(operation.name) ? { ...name, subject: JSON.stringify(body) } : name,
    ),
  ],
  [
    'orders-share-keys',
    'single',
    ['POS-3', 'IDEM-3'],
    'Opening and closing share their keys.',
    keyed((name) =>
      POSITIONS.includes(name.operation) ? { ...name, operation: 'position' } : name,
    ),
  ],
  [
    'order-key-for-all',
    'single',
    ['POS-4', 'IDEM-2a', 'IDEM-2c'],
    'A key of an order holds for every trading account.',
    keyed((name) => (POSITIONS.includes(name.operation) ? { ...name, subject: '' } : name)),
  ],
];

export const transactionDefects: readonly Row[] = [
  [
    'created-approved',
    'single',
    ['TXN-1', 'TXS-1', 'TXS-6', 'TXS-8', 'TXS-2'],
    'A transaction is created approved.',
    savedTransaction((each, before) =>
      before === undefined ? { ...each, status: 'approved' } : each,
    ),
  ],
  [
    'money-reference-by-case',
    'single',
    ['TXN-2'],
    'References of transactions match only in the same case.',
    stored((store) => ({
      transactionByReference: (context, reference) => {
        const found = store.transactionByReference(context, reference);
        return found?.client_reference_id === reference ? found : undefined;
      },
    })),
  ],
  [
    'approved-frees-reference',
    'combination',
    ['TXN-2', 'IDEM-12'],
    'The reference of an approved transaction is free again.',
    stored((store) => ({
      transactionByReference: (...query) => {
        const found = store.transactionByReference(...query);
        return found?.status === 'approved' ? undefined : found;
      },
    })),
  ],
  [
    'money-reference-week',
    'time',
    ['TXN-2', 'IDEM-12'],
    'A reference of a transaction is free after a week.',
    stored((store, { clock }) => ({
      transactionByReference: (...query) => {
        const found = store.transactionByReference(...query);
        return clock.now() - (found?.created_at ?? 0) < 7 * DAY_MS ? found : undefined;
      },
    })),
  ],
  [
    'empty-currency',
    'single',
    ['TXN-4'],
    'An empty currency counts as USD.',
    sent(RECORD, (body) => (body.currency === '' ? { ...body, currency: 'USD' } : body)),
  ],
  [
    'amount-commas',
    'single',
    ['TXN-5'],
    'Commas in an amount are dropped.',
    sent(RECORD, (body) => ({ ...body, amount: textOr(body.amount, '').replace(/,/g, '') })),
  ],
  [
    'method-deposit',
    'single',
    ['TXN-6'],
    'A method that is left out is always Deposit.',
    sent(RECORD, (body) => ({ method: 'Deposit', ...body })),
  ],
  [
    'type-lower',
    'single',
    ['TXN-7'],
    'transaction_type is taken in any case.',
    sent(RECORD, (body) => {
      const type = textOr(body.transaction_type, '').toLowerCase();
      return { ...body, transaction_type: type.replace(/^./, (letter) => letter.toUpperCase()) };
    }),
  ],
  [
    'type-optional',
    'single',
    ['TXN-7', 'ERR-2'],
    'transaction_type may be left out.',
    sent(RECORD, (body) => ({ transaction_type: 'Deposit', ...body })),
  ],
  [
    'shows-reason',
    'single',
    ['TXN-9', 'TXS-19'],
    'Transactions show the reason of their end.',
    shown(MONEY, (body, { world }) => ({
      ...body,
      reason: world.store.transaction(String(body.id))!.reason,
    })),
  ],
  [
    'account-422',
    'single',
    ['TXN-10', 'TXN-11', 'ERR-3', 'AUTH-5', 'AUTH-6', 'AUTH-7'],
    'An unknown account or trading account is answered 422.',
    refusal(RECORD, 404, [422, 'validation_failed']),
  ],
  [
    'credit-any-place',
    'combination',
    ['TXN-11'],
    "A credit may name another account's trading account.",
    sent(RECORD, (body, { world }) => {
      const place = world.store.tradingAccount(String(body.trading_account_id));
      const isCredit = body.transaction_type === 'Credit' && place !== undefined;
      return isCredit ? { ...body, account_id: place.account_id } : body;
    }),
  ],
  [
    'any-place',
    'single',
    ['TXN-11'],
    "Another account's trading account is taken.",
    sent(RECORD, (body, context) => {
      const { store } = context.world;
      const named = store.account(String(body.account_id));
      const place = store.tradingAccount(String(body.trading_account_id));
      const isKnown = named !== undefined && place !== undefined;
      return isKnown ? { ...body, account_id: place.account_id } : body;
    }),
  ],
];

export const transitionDefects: readonly Row[] = [
  [
    'approve-202',
    'single',
    ['TXS-1', 'TXS-18'],
    'An approval answers 202.',
    statusOf(APPROVE, 200, 202),
  ],
  [
    'pending-expires',
    'time',
    ['TXS-1'],
    'What was pending for 30 days cannot be approved.',
    request(APPROVE, (context) => {
      const each = transaction(context);
      if (each?.status !== 'pending' || ageOf(context.world, each) < 30 * DAY_MS) return;
      changeStatus(context.world, each, { status: 'cancelled' });
    }),
  ],
  [
    'ftd-every',
    'single',
    ['TXS-2'],
    'Every approved deposit is a first one.',
    savedTransaction((each) => ({
      ...each,
      is_ftd: each.is_ftd || (each.status === 'approved' && each.transaction_type === 'Deposit'),
    })),
  ],
  [
    'ftd-by-place',
    'combination',
    ['TXS-2'],
    'The first deposit is counted by trading account.',
    savedTransaction((each, before, store) => {
      const isApproval = each.status === 'approved' && before?.status === 'pending';
      if (!isApproval || each.transaction_type !== 'Deposit') return each;
      const place = each.trading_account_id;
      const others = [...store.transactions()].filter((one) => one.trading_account_id === place);
      return { ...each, is_ftd: !others.some((one) => one.is_ftd) };
    }),
  ],
  [
    'ftd-undone',
    'combination',
    ['TXS-2'],
    'Cancelling a first deposit takes the mark away.',
    savedTransaction((each) => (each.status === 'cancelled' ? { ...each, is_ftd: false } : each)),
  ],
  [
    'provider-approved',
    'single',
    ['TXS-3'],
    'Withdrawals through a provider are approved.',
    stored((store) => ({
      tradingAccount: (id) => {
        const place = store.tradingAccount(id);
        return place === undefined ? undefined : { ...place, provider_payouts: false };
      },
    })),
  ],
  [
    'withdrawals-501',
    'single',
    ['TXS-18', 'TXS-1', 'TXS-2', 'TXS-10'],
    'Every withdrawal is answered 501.',
    stored((store) => ({
      tradingAccount: (id) => {
        const place = store.tradingAccount(id);
        return place === undefined ? undefined : { ...place, provider_payouts: true };
      },
    })),
  ],
  [
    'approved-twice-credits',
    'single',
    ['TXS-4'],
    'A second approval credits once more.',
    decided(APPROVE, (_, { world, ...context }) => {
      const each = transaction({ ...context, world });
      if (each?.status !== 'approved' && each?.status !== 'settled') return undefined;
      if (each.changed_ms === world.clock.now() && !world.memo.has(each.id)) {
        world.memo.set(each.id, true);
        return undefined;
      }
      const entry = { transaction_id: each.id, kind: 'movement', at_ms: each.changed_ms } as const;
      world.store.book(each.trading_account_id, { ...entry, amount: effectOf(each) });
      return undefined;
    }),
  ],
  [
    'rejected-approved',
    'single',
    ['TXS-5'],
    'A rejected transaction is approved.',
    decideAnyway(APPROVE, 'rejected', 'approved'),
  ],
  [
    'reject-nothing',
    'single',
    ['TXS-6', 'TXS-5', 'TXS-7', 'TXS-12'],
    'A rejection answers 200 and leaves the transaction pending.',
    stored((store) => ({
      saveTransaction: (each, context) =>
        each.status === 'rejected' ? each : store.saveTransaction(each, context),
    })),
  ],
  [
    'rejected-twice-409',
    'single',
    ['TXS-7'],
    'A second rejection is answered 409.',
    decided(REJECT, (reply, context) => {
      const each = transaction(context);
      const isAgain = each?.status === 'rejected' && each.reason !== context.body.reason;
      const words = 'the transaction is rejected';
      return isAgain && reply.status === 200
        ? refuse(context, 409, 'invalid_state', words)
        : undefined;
    }),
  ],
  [
    'second-reason-kept',
    'single',
    ['TXS-7'],
    'A second rejection changes the stored reason.',
    decided(REJECT, ({ status }, context) => {
      const each = transaction(context);
      const reason = textOr(context.body.reason, '');
      if (status === 200 && each !== undefined) {
        context.world.store.saveTransaction({ ...each, reason });
      }
      return undefined;
    }),
  ],
  [
    'cancelled-twice-409',
    'single',
    ['TXS-9'],
    'A second cancellation is answered 409.',
    decided(CANCEL, (reply, context) => {
      const each = transaction(context);
      const isAgain = each?.status === 'cancelled' && each.reason !== context.body.reason;
      const words = 'the transaction is cancelled';
      return isAgain && reply.status === 200
        ? refuse(context, 409, 'invalid_state', words)
        : undefined;
    }),
  ],
  [
    'uncompensated',
    'single',
    ['TXS-10'],
    'Cancelling what has settled leaves the money.',
    stored((store) => ({
      book: (id, entry) => {
        if (entry.kind === 'movement') store.book(id, entry);
      },
    })),
  ],
  [
    'compensated-twice',
    'single',
    ['TXS-10'],
    'Cancelling what has settled takes the money twice.',
    stored((store) => ({
      book: (id, entry) => {
        store.book(id, entry);
        if (entry.kind === 'compensation') store.book(id, entry);
      },
    })),
  ],
  [
    'bonus-kept',
    'combination',
    ['TXS-10'],
    'Cancelling a settled bonus leaves the money.',
    stored((store) => ({
      book: (id, entry) => {
        const isBonus = store.transaction(entry.transaction_id)?.method === 'Bonus';
        if (entry.kind === 'movement' || !isBonus) store.book(id, entry);
      },
    })),
  ],
  [
    'withdrawal-twice',
    'combination',
    ['TXS-10'],
    'Cancelling a settled withdrawal takes the money once more.',
    stored((store) => ({
      book: (id, entry) => {
        const type = store.transaction(entry.transaction_id)?.transaction_type;
        const isTurned = entry.kind === 'compensation' && type === 'Withdrawal';
        store.book(id, isTurned ? { ...entry, amount: negated(entry.amount) } : entry);
      },
    })),
  ],
  [
    'reversal-1000',
    'size',
    ['TXS-10'],
    'A reversal takes back 1000 at most.',
    stored((store) => ({
      book: (id, entry) => {
        const isMuch = entry.kind === 'compensation' && Math.abs(Number(entry.amount)) > 1000;
        const most = entry.amount.startsWith('-') ? '-1000.00' : '1000.00';
        store.book(id, isMuch ? { ...entry, amount: most } : entry);
      },
    })),
  ],
  [
    'second-place',
    'combination',
    ['TXS-10', 'TXS-4'],
    "Deposits are booked to a trading account of the account's oldest transaction.",
    stored((store) => ({
      book: (id, entry) => {
        const each = store.transaction(entry.transaction_id);
        const first = [...store.transactions()].find(
          ({ account_id }) => account_id === each?.account_id,
        );
        store.book(first?.trading_account_id ?? id, entry);
      },
    })),
  ],
  [
    'amend-unneeded',
    'single',
    ['TXS-11', 'AUTH-4'],
    'Cancelling what has settled needs no other scope.',
    caller(CANCEL, (each) => {
      const holds = each.scopes.some((scope) => /^(transactions:write|trader:funds)$/.test(scope));
      return holds ? { ...each, scopes: [...each.scopes, 'transactions:amend'] } : each;
    }),
  ],
  [
    'cancelled-rejected',
    'single',
    ['TXS-12'],
    'A cancelled transaction is rejected.',
    decideAnyway(REJECT, 'cancelled', 'rejected'),
  ],
  [
    'cancelled-reads-settled',
    'single',
    ['TXS-13', 'TXS-9'],
    'What had settled before it was cancelled reads settled.',
    savedTransaction((each, before) =>
      each.status === 'cancelled' && before?.status === 'settled'
        ? { ...each, status: 'settled' }
        : each,
    ),
  ],
  [
    'cancelled-settles',
    'time',
    ['TXS-13', 'TXS-9'],
    'What was cancelled after it had settled reads settled again an hour later.',
    {
      clock: (_, world) => ({
        tick: () => {
          for (const each of world.store.transactions()) {
            if (each.status !== 'cancelled' || ageOf(world, each) < HOUR_MS) continue;
            const { entries } = world.store.tradingAccount(each.trading_account_id)!;
            const isReversed = entries.some(
              (one) => one.transaction_id === each.id && one.kind === 'compensation',
            );
            if (isReversed) world.store.saveTransaction({ ...each, status: 'settled' });
          }
        },
      }),
    },
  ],
  [
    'empty-reason',
    'single',
    ['TXS-14'],
    'An empty reason is taken.',
    sent(`${REJECT} ${CANCEL}`, (body) =>
      body.reason === '' ? { ...body, reason: 'none' } : body,
    ),
  ],
  [
    'account-optional',
    'single',
    ['TXS-15'],
    'account_id may be left out.',
    request(`${APPROVE} ${REJECT} ${CANCEL}`, (context) => {
      if (!context.query.has('account_id')) nameOwner(context);
    }),
  ],
  [
    'account-unchecked',
    'single',
    ['TXS-16', 'IDEM-10', 'IDEM-2c'],
    'account_id may name any account of the firm.',
    request(`${APPROVE} ${REJECT} ${CANCEL}`, (context) => {
      const named = context.world.store.account(context.query.get('account_id') ?? '');
      const firm = callerOf(context)?.firm_id;
      if (named !== undefined && named.firm_id === firm) nameOwner(context);
    }),
  ],
  [
    'amend-alone',
    'single',
    ['TXS-17', 'AUTH-4'],
    'transactions:amend alone may cancel.',
    caller(CANCEL, (each) =>
      each.scopes.includes('transactions:amend')
        ? { ...each, scopes: [...each.scopes, 'transactions:write'] }
        : each,
    ),
  ],
  [
    'race-approvals',
    'race',
    ['TXS-4', 'IDEM-15', 'IDEM-4c'],
    'Two approvals that race credit twice.',
    meeting(
      decided(APPROVE, (reply, context) => {
        const { world, overlaps, pathId } = context;
        const each = transaction(context);
        const isRaced = overlaps.some((one) => one.pathId === pathId) && meets(context, APPROVE);
        if (reply.status !== 200 || each === undefined || !isRaced) return undefined;
        const entry = { transaction_id: each.id, kind: 'movement', at_ms: 0 } as const;
        world.store.book(each.trading_account_id, { ...entry, amount: effectOf(each) });
        return undefined;
      }),
    ),
  ],
];

const HTML = '<!doctype html><html><body><h1>Internal Server Error</h1></body></html>';
const html = (context: Context, status: number) => {
  const reply = { ...inPlainText(context, status, HTML) };
  return { ...reply, headers: [['Content-Type', 'text/html'] as const] };
};

export const crashDefects: readonly Row[] = [
  [
    'crash-bonus',
    'crash',
    ['TXN-1', 'TXN-6', 'TXN-2'],
    'A create with the method Bonus is answered by an HTML page with 500.',
    {
      before: (context) =>
        context.operation.name === RECORD && sentBody(context).method === 'Bonus'
          ? html(context, 500)
          : undefined,
    },
  ],
  [
    'crash-country',
    'crash',
    ['UPD-1', 'UPD-2', 'UPD-3', 'UPD-7', 'UPD-8', 'UPD-12'],
    'Each update with a country ends in a cut connection.',
    leaving((_, context) =>
      context.operation.name === 'updateAccount' && 'country' in sentBody(context)
        ? null
        : undefined,
    ),
  ],
  [
    'crash-cancel',
    'crash',
    [
      'TXS-8',
      'TXS-9',
      'TXS-10',
      'TXS-11',
      'TXS-12',
      'TXS-13',
      'TXS-14',
      'TXS-5',
      'TXS-16',
      'TXS-17',
    ],
    'Each cancellation is answered by a gateway with 502.',
    leaving((_, context) => (context.operation.name === CANCEL ? html(context, 502) : undefined)),
  ],
  [
    'crash-null-row',
    'crash',
    ['ERR-2', 'ACC-1', 'BULK-3', 'ACC-12'],
    'A phone_region in lower case is answered by an HTML page with 500.',
    {
      before: (context) =>
        /^[a-z]+$/.test(textOr(sentBody(context).phone_region, ''))
          ? html(context, 500)
          : undefined,
    },
  ],
  [
    'crash-list',
    'crash',
    ['HOOK-11', 'HOOK-3', 'HOOK-6', 'AUTH-4'],
    'The list of subscriptions is cut off once one of them is disabled.',
    leaving((reply, { operation }) => {
      const hasDisabled = /"disabled":true/.test(reply.body);
      return operation.name === 'listWebhooks' && hasDisabled ? null : undefined;
    }),
  ],
];

export const readDefects: readonly Row[] = [
  [
    'read-account-ids-as-text',
    'combination',
    ['CONV-3'],
    'Bulk reads of transactions give account_id as a string.',
    decided('listTransactions', (reply) =>
      withBody(
        reply,
        eachRow(bodyOf(reply), (row) => ({ ...row, account_id: String(row.account_id) })),
      ),
    ),
  ],
];

// Defects of conventions, positions, transactions and their states, and crashes.
import { bodyOf, inPlainText, replyWith, withBody } from '../replies.ts';
import { changeStatus, effectOf, transactionBody } from '../settlement.ts';
import type { Context, Seams } from '../types.ts';
import { isObject, type JsonObject, textOr } from '../values.ts';
import {
  ageOf,
  caller,
  DAY_MS,
  decided,
  keyed,
  leaving,
  meeting,
  meets,
  type Rows,
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
const decideAnyway = (name: string, from: string, to: 'approved' | 'rejected'): Seams =>
  decided(name, (reply, context) => {
    const each = transaction(context);
    if (reply.status !== 409 || each?.status !== from) return undefined;
    return replyWith(
      context,
      200,
      transactionBody(changeStatus(context.world, each, { status: to })),
    );
  });

export const conventionDefects: Rows = {
  'ids-as-numbers': {
    breaks: ['CONV-1a', 'ACC-18'],
    sentence: 'Accounts show their id as a number.',
    ...shown('createAccount updateAccount', (body, { row }) =>
      row === undefined ? { ...body, id: Number(body.id) } : body,
    ),
  },
  'number-ids-taken': {
    breaks: ['CONV-1b', 'ERR-2'],
    sentence: 'A transaction may name its account by a number.',
    ...sent(RECORD, (body) => ({ ...body, account_id: String(body.account_id) })),
  },
  'ids-parsed-loosely': {
    breaks: ['CONV-1c', 'UPD-5'],
    sentence: 'Letters after the digits of an id in the path do not count.',
    ...request(`updateAccount ${APPROVE} ${REJECT} ${CANCEL}`, (context) => {
      context.pathId = /^\d+/.exec(context.pathId)?.[0] ?? context.pathId;
    }),
  },
  'amount-float': {
    kind: 'size',
    breaks: ['CONV-2a'],
    sentence: 'Amounts of more than seven digits go through a short float.',
    ...savedTransaction((each, before) => {
      const isLong = each.amount.replace(/\D/g, '').length > 7 && before === undefined;
      return isLong ? { ...each, amount: Math.fround(Number(each.amount)).toFixed(2) } : each;
    }),
  },
  'amount-absolute': {
    kind: 'combination',
    breaks: ['CONV-2a'],
    sentence: 'Transactions show their amount without its sign.',
    ...shown(MONEY, (body) => ({ ...body, amount: String(body.amount).replace('-', '') })),
  },
  'read-ids-as-text': {
    breaks: ['CONV-3'],
    sentence: 'Bulk reads give record_id as a string.',
    ...shown(LISTS, (body) =>
      eachRow(body, (row) => ({ ...row, record_id: String(row.record_id) })),
    ),
  },
  seconds: {
    breaks: ['CONV-4'],
    sentence: 'created_at of a transaction counts seconds.',
    ...shown(MONEY, (body) => ({
      ...body,
      created_at: Math.floor(Number(body.created_at) / 1000),
    })),
  },
};

export const positionDefects: Rows = {
  'trader-refused': {
    breaks: ['POS-1', 'AUTH-4', 'AUTH-5'],
    sentence: 'trader:trade opens no positions.',
    ...caller('openPosition', (each) => ({
      ...each,
      scopes: each.scopes.filter((scope) => scope !== 'trader:trade'),
    })),
  },
  'orders-share-keys': {
    breaks: ['POS-3', 'IDEM-3'],
    sentence: 'Opening and closing share their keys.',
    ...keyed((name) =>
      POSITIONS.includes(name.operation) ? { ...name, operation: 'position' } : name,
    ),
  },
};

export const transactionDefects: Rows = {
  'created-approved': {
    breaks: ['TXN-1', 'TXS-1', 'TXS-6', 'TXS-8', 'TXS-2'],
    sentence: 'A transaction is created approved.',
    ...savedTransaction((each, before) =>
      before === undefined ? { ...each, status: 'approved' } : each,
    ),
  },
  'approved-frees-reference': {
    kind: 'combination',
    breaks: ['TXN-2', 'IDEM-12'],
    sentence: 'The reference of an approved transaction is free again.',
    ...stored((store) => ({
      transactionByReference: (...query) => {
        const found = store.transactionByReference(...query);
        return found?.status === 'approved' ? undefined : found;
      },
    })),
  },
  'money-reference-week': {
    kind: 'time',
    breaks: ['TXN-2', 'IDEM-12'],
    sentence: 'A reference of a transaction is free after a week.',
    ...stored((store, { clock }) => ({
      transactionByReference: (...query) => {
        const found = store.transactionByReference(...query);
        return clock.now() - (found?.created_at ?? 0) < 7 * DAY_MS ? found : undefined;
      },
    })),
  },
  'method-deposit': {
    breaks: ['TXN-6'],
    sentence: 'A method that is left out is always Deposit.',
    ...sent(RECORD, (body) => ({ method: 'Deposit', ...body })),
  },
  'type-optional': {
    breaks: ['TXN-7', 'ERR-2'],
    sentence: 'transaction_type may be left out.',
    ...sent(RECORD, (body) => ({ transaction_type: 'Deposit', ...body })),
  },
  'shows-reason': {
    breaks: ['TXN-9', 'TXS-19'],
    sentence: 'Transactions show the reason of their end.',
    ...shown(MONEY, (body, { world }) => ({
      ...body,
      reason: world.store.transaction(String(body.id))!.reason,
    })),
  },
  'account-422': {
    breaks: ['TXN-10', 'TXN-11', 'ERR-3', 'AUTH-5', 'AUTH-6', 'AUTH-7'],
    sentence: 'An unknown account or trading account is answered 422.',
    ...refusal(RECORD, 404, [422, 'validation_failed']),
  },
  'credit-any-place': {
    kind: 'combination',
    breaks: ['TXN-11'],
    sentence: "A credit may name another account's trading account.",
    ...sent(RECORD, (body, { world }) => {
      const place = world.store.tradingAccount(String(body.trading_account_id));
      const isCredit = body.transaction_type === 'Credit' && place !== undefined;
      return isCredit ? { ...body, account_id: place.account_id } : body;
    }),
  },
};

export const transitionDefects: Rows = {
  'approve-202': {
    breaks: ['TXS-1', 'TXS-18'],
    sentence: 'An approval answers 202.',
    ...statusOf(APPROVE, 200, 202),
  },
  'pending-expires': {
    kind: 'time',
    breaks: ['TXS-1'],
    sentence: 'What was pending for 30 days cannot be approved.',
    ...request(APPROVE, (context) => {
      const each = transaction(context);
      if (each?.status !== 'pending' || ageOf(context.world, each) < 30 * DAY_MS) return;
      changeStatus(context.world, each, { status: 'cancelled' });
    }),
  },
  'ftd-undone': {
    kind: 'combination',
    breaks: ['TXS-2'],
    sentence: 'Cancelling a first deposit takes the mark away.',
    ...savedTransaction((each) =>
      each.status === 'cancelled' ? { ...each, is_ftd: false } : each,
    ),
  },
  'rejected-approved': {
    breaks: ['TXS-5'],
    sentence: 'A rejected transaction is approved.',
    ...decideAnyway(APPROVE, 'rejected', 'approved'),
  },
  'bonus-kept': {
    kind: 'combination',
    breaks: ['TXS-10'],
    sentence: 'Cancelling a settled bonus leaves the money.',
    ...stored((store) => ({
      book: (id, entry) => {
        const isBonus = store.transaction(entry.transaction_id)?.method === 'Bonus';
        if (entry.kind === 'movement' || !isBonus) store.book(id, entry);
      },
    })),
  },
  'reversal-1000': {
    kind: 'size',
    breaks: ['TXS-10'],
    sentence: 'A reversal takes back 1000 at most.',
    ...stored((store) => ({
      book: (id, entry) => {
        const isMuch = entry.kind === 'compensation' && Math.abs(Number(entry.amount)) > 1000;
        const most = entry.amount.startsWith('-') ? '-1000.00' : '1000.00';
        store.book(id, isMuch ? { ...entry, amount: most } : entry);
      },
    })),
  },
  'second-place': {
    kind: 'combination',
    breaks: ['TXS-10', 'TXS-4'],
    sentence: "Deposits are booked to a trading account of the account's oldest transaction.",
    ...stored((store) => ({
      book: (id, entry) => {
        const each = store.transaction(entry.transaction_id);
        const first = [...store.transactions()].find(
          ({ account_id }) => account_id === each?.account_id,
        );
        store.book(first?.trading_account_id ?? id, entry);
      },
    })),
  },
  'cancelled-rejected': {
    breaks: ['TXS-12'],
    sentence: 'A cancelled transaction is rejected.',
    ...decideAnyway(REJECT, 'cancelled', 'rejected'),
  },
  'account-optional': {
    breaks: ['TXS-15'],
    sentence: 'account_id may be left out.',
    ...request(`${APPROVE} ${REJECT} ${CANCEL}`, (context) => {
      if (!context.query.has('account_id')) nameOwner(context);
    }),
  },
  'race-approvals': {
    kind: 'race',
    breaks: ['TXS-4', 'IDEM-15', 'IDEM-4c'],
    sentence: 'Two approvals that race credit twice.',
    ...meeting(
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
  },
};

const HTML = '<!doctype html><html><body><h1>Internal Server Error</h1></body></html>';
const html = (context: Context, status: number) => {
  const reply = { ...inPlainText(context, status, HTML) };
  return { ...reply, headers: [['Content-Type', 'text/html'] as const] };
};

export const crashDefects: Rows = {
  'crash-bonus': {
    kind: 'crash',
    breaks: ['TXN-1', 'TXN-6', 'TXN-2'],
    sentence: 'A create with the method Bonus is answered by an HTML page with 500.',
    before: (context) =>
      context.operation.name === RECORD && sentBody(context).method === 'Bonus'
        ? html(context, 500)
        : undefined,
  },
  'crash-country': {
    kind: 'crash',
    breaks: ['UPD-1', 'UPD-2', 'UPD-3', 'UPD-7', 'UPD-8', 'UPD-12'],
    sentence: 'Each update with a country ends in a cut connection.',
    ...leaving((_, context) =>
      context.operation.name === 'updateAccount' && 'country' in sentBody(context)
        ? null
        : undefined,
    ),
  },
  'crash-null-row': {
    kind: 'crash',
    breaks: ['ERR-2', 'ACC-1', 'BULK-3', 'ACC-12'],
    sentence: 'A phone_region in lower case is answered by an HTML page with 500.',
    before: (context) =>
      /^[a-z]+$/.test(textOr(sentBody(context).phone_region, '')) ? html(context, 500) : undefined,
  },
  'crash-list': {
    kind: 'crash',
    breaks: ['HOOK-11', 'HOOK-3', 'HOOK-6', 'AUTH-4'],
    sentence: 'The list of subscriptions is cut off once one of them is disabled.',
    ...leaving((reply, { operation }) => {
      const hasDisabled = /"disabled":true/.test(reply.body);
      return operation.name === 'listWebhooks' && hasDisabled ? null : undefined;
    }),
  },
};

export const readDefects: Rows = {
  'read-account-ids-as-text': {
    kind: 'combination',
    breaks: ['CONV-3'],
    sentence: 'Bulk reads of transactions give account_id as a string.',
    ...decided('listTransactions', (reply) =>
      withBody(
        reply,
        eachRow(bodyOf(reply), (row) => ({ ...row, account_id: String(row.account_id) })),
      ),
    ),
  },
};

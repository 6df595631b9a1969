// The conforming service: every rule kept, every open question answered as the settings say.

import type { Settings } from '../../../fixtures/settings.ts';
import type { AccountPolicy, Behaviour, TransactionPolicy, ValuePolicy } from '../behaviour.ts';
import type { Cite } from '../call.ts';
import { getAccountStatus } from '../operations/account-status.ts';
import { bulkCreateAccounts } from '../operations/bulk-create-accounts.ts';
import { createAccount } from '../operations/create-account.ts';
import { createTransaction } from '../operations/create-transaction.ts';
import {
  approveTransaction,
  cancelTransaction,
  rejectTransaction,
} from '../operations/decide-transition.ts';
import { issueToken } from '../operations/issue-token.ts';
import { listAccounts, listTransactions } from '../operations/list-records.ts';
import { closePosition, openPosition } from '../operations/positions.ts';
import { streamEvents } from '../operations/stream-events.ts';
import { updateAccount } from '../operations/update-account.ts';
import {
  createWebhook,
  disableWebhook,
  getWebhook,
  listWebhooks,
  rotateWebhookSecret,
} from '../operations/webhooks.ts';
import { keyStage } from '../pipeline/idempotency-key.ts';
import { parseBody } from '../pipeline/parse-body.ts';
import { rateStage } from '../pipeline/rate-limit.ts';
import { readableStage } from '../pipeline/readable.ts';
import { replayStage } from '../pipeline/replay.ts';
import { routeStage } from '../pipeline/route.ts';
import { scopeStage } from '../pipeline/scope.ts';
import { tokenStage } from '../pipeline/token.ts';
import { requestId } from '../serialize/ids.ts';
import { serializePolicy } from '../serialize/records.ts';
import { type OperationName, type OperationRow, operationTable } from '../tables/operations.ts';
import { refusalTable } from '../tables/refusals.ts';
import { type Transition, type TransitionTable, transitionTable } from '../tables/transitions.ts';
import {
  absoluteDecimal,
  addDecimals,
  isLooseDecimal,
  isNegativeDecimal,
  isPlainDecimal,
  isZeroDecimal,
  negateDecimal,
} from '../values/decimal.ts';
import { formatEtag, parseIfMatch, parseIfMatchList } from '../values/etag.ts';
import { normalisePhone, phoneIdentity } from '../values/phone.ts';
import {
  countBytes,
  countCodePoints,
  foldCase,
  isBlank,
  parseExactId,
  parseId,
} from '../values/text.ts';
import { keyPolicy } from './idempotency-keys.ts';
import { limitPolicy } from './rate-limits.ts';
import { reachPolicy } from './reach.ts';
import { deliveryPolicy, webhookPolicy } from './webhooks.ts';

const stages = {
  route: routeStage,
  key: keyStage,
  token: tokenStage,
  rate: rateStage,
  readable: readableStage,
  replay: replayStage,
  scope: scopeStage,
};

const operations: Behaviour['operations'] = {
  createAccount,
  updateAccount,
  bulkCreateAccounts,
  openPosition,
  closePosition,
  createTransaction,
  approveTransaction,
  rejectTransaction,
  cancelTransaction,
  createWebhook,
  listWebhooks,
  getWebhook,
  rotateWebhookSecret,
  disableWebhook,
  issueToken,
  listAccounts,
  listTransactions,
  getAccountStatus,
  streamEvents,
};

export function conformingBehaviour(settings: Settings): Behaviour {
  const print = serializePolicy(settings);
  const values = valuePolicy(settings);
  return {
    settings,
    // NS-17.
    stages: settings.check_order.map((name) => stages[name]),
    table: tableFor(settings),
    operations,
    refusals: refusalTable,
    read: parseBody,
    keys: keyPolicy(settings),
    limits: limitPolicy(settings),
    reach: reachPolicy(settings),
    values,
    accounts: accountPolicy(settings),
    transactions: transactionPolicy(settings, values),
    serialize: print,
    webhooks: webhookPolicy(settings),
    delivery: deliveryPolicy(settings, print),
    finalizeReply: (reply) =>
      // NS-32: nothing is promised unless a setting says so.
      settings.deprecation_header === null
        ? reply
        : { ...reply, headers: { ...reply.headers, deprecation: settings.deprecation_header } },
    refuse: (context, problem) => ({
      status: problem.status,
      contentType: 'application/problem+json',
      body: context.behaviour.serialize.problem(problem, context.requestId),
    }),
    refusedAs: (code) => refusalTable[code],
    requestId,
  };
}

function tableFor(settings: Settings): Readonly<Record<OperationName, OperationRow>> {
  const { getAccountStatus } = operationTable;
  return {
    ...operationTable,
    // NS-54.
    getAccountStatus: { ...getAccountStatus, absent: settings.account_status_endpoint === 'none' },
    streamEvents: { ...operationTable.streamEvents, path: settings.events_path },
  };
}

const lengths = {
  code_points: countCodePoints,
  utf16: (text: string) => text.length,
  bytes: countBytes,
};

function valuePolicy(settings: Settings): ValuePolicy {
  return {
    // NS-40.
    length: lengths[settings.length_unit],
    isBlank,
    // ACC-2, TXN-3.
    maxReference: 255,
    // ACC-4.
    isEmail: (text) => text.includes('@'),
    // TXN-5, NS-49.
    isDecimal: settings.amount_exponent === 'accepted' ? isLooseDecimal : isPlainDecimal,
    isZero: isZeroDecimal,
    add: addDecimals,
    // CONV-1c, NS-48.
    id: settings.id_leading_zeros === 'refused' ? parseExactId : parseId,
    // ACC-6, TXN-2.
    referenceKey: foldCase,
    // ACC-8, NS-20.
    emailKey: (email) => (settings.email_case_sensitive ? email : foldCase(email)),
    // ACC-11, ACC-12, NS-24.
    phone: (raw, region) => {
      const phone = normalisePhone(raw, region, 'e164', settings.phone_letters);
      const plus = { e164: '+', digits: '', other: '+ ' }[settings.phone_form];
      return phone === null ? null : phone.replace(/^\+/, plus);
    },
    phoneKey: phoneIdentity,
    // UPD-9, NS-39.
    ifMatch: settings.if_match_star === 'any' ? parseIfMatchList : parseIfMatch,
    // ACC-19.
    etag: (account) => formatEtag(account.revision),
    // TXN-6.
    method: (amount) => (isNegativeDecimal(amount) ? 'Withdrawal' : 'Deposit'),
  };
}

function accountPolicy(settings: Settings): AccountPolicy {
  return {
    // NS-20.
    referenceIndex: (firmId, brandId) =>
      settings.account_reference_scope === 'firm' ? `firm:${firmId}` : brandId,
    // ACC-8, ACC-9, ACC-10: at the brand.
    peopleIndex: (brandId) => brandId,
    // ACC-13, NS-25.
    nameAfterEmail: (email) => {
      const form = settings.account_named_after_email;
      if (form === 'other') return { first: '', last: email };
      return {
        first: form === 'local_part' ? email.slice(0, email.indexOf('@')) : email,
        last: '',
      };
    },
    // ACC-20.
    firstStatus: 'New',
    // NS-26.
    firstRevision: settings.first_revision,
    nextRevision: (revision) => revision + settings.revision_step,
    // UPD-4, NS-5.
    statuses: settings.account_statuses,
    // BULK-7.
    maxRows: 1000,
  };
}

function transactionPolicy(settings: Settings, values: ValuePolicy): TransactionPolicy {
  const isDeposit: TransactionPolicy['isDeposit'] = ({
    transaction_type: transactionType,
    method,
  }) =>
    // NS-43.
    transactionType === 'Deposit' &&
    (settings.bonus_is_deposit || method !== 'Bonus') &&
    (settings.withdrawal_method_is_deposit || method !== 'Withdrawal');
  return {
    transitions: transitionsFor(settings),
    isDeposit,
    // TXS-3, TXS-18, NS-21, NS-43.
    isProviderPayout: ({ transaction_type: transactionType }, from) =>
      transactionType === 'Withdrawal' &&
      (settings.provider_withdrawals === 'every' ||
        (settings.provider_withdrawals === 'trading_account' && from.provider_payouts)),
    // TXS-2.
    isFirstDeposit: (transaction, account) =>
      account.first_deposit_id === null && isDeposit(transaction),
    movement: ({ transaction_type: transactionType, amount }) => {
      const size = absoluteDecimal(amount);
      const incoming = transactionType === 'Deposit' || transactionType === 'Credit';
      return incoming ? size : negateDecimal(size);
    },
    // TXN-2, NS-20.
    referenceKey: (firmId, accountId, reference) =>
      `${settings.transaction_reference_scope === 'account' ? `account:${accountId}` : firmId}\n${values.referenceKey(reference)}`,
    settlementDelayMs: settings.settlement_delay_ms,
  };
}

/** NS-4: the cells of the move table that the specification leaves open. */
function transitionsFor(settings: Settings): TransitionTable {
  const cites: readonly Cite[] = ['NS-4'];
  const refused: Transition = { kind: 'refused', cites };
  const moves: TransitionTable = transitionTable;
  const { approved, settled } = moves;
  return {
    ...moves,
    approved: {
      ...approved,
      reject:
        settings.reject_from_approved === 'rejected'
          ? { kind: 'move', to: 'rejected', cites }
          : approved.reject,
      cancel:
        settings.cancel_from_approved === 'cancelled'
          ? { kind: 'move', to: 'cancelled', cites }
          : approved.cancel,
    },
    settled: {
      ...settled,
      approve: settings.approve_from_settled === 'refused' ? refused : settled.approve,
      reject:
        settings.reject_from_settled === 'rejected'
          ? { kind: 'move', to: 'rejected', cites, compensates: true }
          : settled.reject,
    },
  };
}

// The conforming service: every rule kept, every open question answered as the settings say.

import {
  answerLimitMs,
  bulkRows,
  eventWindowMs,
  keyRetentionMs,
  longestText,
  tokensAMinute,
} from '../../../fixtures/constants.ts';
import { eventCategories } from '../../../fixtures/event-kinds.ts';
import {
  type OperationName,
  type OperationRow,
  operationTable,
  refusalTable,
} from '../../../fixtures/operations.ts';
import type { Settings } from '../../../fixtures/settings.ts';
import type {
  AccountPolicy,
  Behaviour,
  DeliveryPolicy,
  Demand,
  KeyPolicy,
  LimitPolicy,
  ReachPolicy,
  SerializePolicy,
  TransactionPolicy,
  ValuePolicy,
  WebhookPolicy,
} from '../behaviour.ts';
import type { Cite } from '../call.ts';
import { streamEvents } from '../delivery/events-channel.ts';
import { findKey } from '../keys.ts';
import { bulkCreateAccounts, createAccount, updateAccount } from '../operations/accounts.ts';
import { optionalText, ownerNamed } from '../operations/members.ts';
import { closePosition, openPosition } from '../operations/positions.ts';
import { getAccountStatus, listAccounts, listTransactions } from '../operations/reads.ts';
import { issueToken } from '../operations/tokens.ts';
import {
  approveTransaction,
  cancelTransaction,
  createTransaction,
  rejectTransaction,
} from '../operations/transactions.ts';
import {
  createWebhook,
  disableWebhook,
  getWebhook,
  listWebhooks,
  rotateWebhookSecret,
} from '../operations/webhooks.ts';
import { parseBody, readableStage } from '../pipeline/body.ts';
import type { Body, RequestContext } from '../pipeline/request-context.ts';
import {
  keyStage,
  rateStage,
  replayStage,
  routeStage,
  scopeStage,
  tokenStage,
} from '../pipeline/stages.ts';
import type { Credential } from '../records.ts';
import { requestId, serializePolicy } from '../serialize.ts';
import { firmFactor, planRates } from '../tables/rate-plans.ts';
import { retryGapsMs } from '../tables/retry-schedule.ts';
import { type Transition, type TransitionTable, transitionTable } from '../tables/transitions.ts';
import { type AddressSpace, publicSpace } from '../values/address.ts';
import {
  absoluteDecimal,
  addDecimals,
  isLooseDecimal,
  isNegativeDecimal,
  isPlainDecimal,
  isZeroDecimal,
  negateDecimal,
} from '../values/decimal.ts';
import { seededToken, sha256Hex } from '../values/digest.ts';
import { formatEtag, parseIfMatch, parseIfMatchList } from '../values/etag.ts';
import { normalisePhone, phoneIdentity } from '../values/phone.ts';
import { signatureHeader, signBody } from '../values/signature.ts';
import { judgeAddresses, parseTargetUrl, targetSpace } from '../values/target-url.ts';
import {
  countBytes,
  countCodePoints,
  foldCase,
  isBlank,
  parseExactId,
  parseId,
} from '../values/text.ts';
import type { World } from '../world.ts';

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
    maxReference: longestText,
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
    maxRows: bulkRows,
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

export function keyPolicy(settings: Settings): KeyPolicy {
  return {
    // IDEM-1: trimmed, then 1 to 255; header text holds one character a byte (NS-40).
    parse: (header) => {
      const key = header?.replace(/^[ \t]+|[ \t]+$/g, '') ?? '';
      return key.length >= 1 && key.length <= longestText ? key : null;
    },
    subjects: subjectsFor(settings),
    id: keyId,
    find: (world, keyId, atMs) => {
      const record = findKey(world.keys, keyId);
      if (record === undefined || record.reply === null) return record;
      // IDEM-7: at the end of the retention, to the millisecond, it is over.
      return atMs - record.atMs < keyRetentionMs ? record : undefined;
    },
    // IDEM-4d, IDEM-6: everything after the replay look-up, except what may be retried.
    records: ({ status }) => status !== 429 && status !== 500 && status !== 503,
    // IDEM-4, IDEM-5, ACC-19: stored bytes and the stored tag, so the first request_id stays in the
    // body.
    replay: (stored) => stored,
    retentionMs: keyRetentionMs,
    abandonAfterMs: settings.abandon_after_ms,
  };
}

/** IDEM-2c: what a key stands together with. */
function subjectsFor(settings: Settings): KeyPolicy['subjects'] {
  const reference = (body: Body) => optionalText(body, 'client_reference_id') ?? '';
  const account = (context: RequestContext) => {
    const named = ownerNamed(context) ?? '';
    return context.behaviour.values.id(named) ?? named;
  };
  const tradingAccount = ({ body, behaviour }: RequestContext) => {
    const named = optionalText(body, 'trading_account_id') ?? '';
    return behaviour.values.id(named) ?? named;
  };
  // NS-48: the brand counts, and not the zeros before it.
  const brand = (row: Body, { values }: RequestContext['behaviour']) => {
    const named = optionalText(row, 'brand_id');
    return named === null ? null : (values.id(named) ?? named);
  };
  return {
    // By itself the reference is the subject, whatever brand stands beside it.
    createAccount: ({ body }) => foldCase(reference(body)),
    // NS-35.
    createTransaction: ({ body }) =>
      settings.transaction_subject_case_sensitive ? reference(body) : foldCase(reference(body)),
    // IDEM-9: each row's reference, email and brand, in order.
    bulkCreateAccounts: ({ body, behaviour }) =>
      sha256Hex(
        JSON.stringify(
          (body.accounts as readonly Body[]).map((row) => [
            foldCase(reference(row)),
            optionalText(row, 'email'),
            brand(row, behaviour),
          ]),
        ),
      ),
    openPosition: tradingAccount,
    closePosition: tradingAccount,
    updateAccount: ({ pathId, behaviour }) => behaviour.values.id(pathId) ?? pathId,
    // IDEM-10.
    approveTransaction: account,
    rejectTransaction: account,
    cancelTransaction: account,
  };
}

const longest = 512;

/**
 * IDEM-2, IDEM-3: credential, operation, key and subject; a line break occurs in none but the last.
 */
function keyId({ credential, operation, key, subject }: RequestContext): string {
  const id = `${credential?.client_id}\n${operation}\n${key}\n${subject}`;
  return id.length <= longest ? id : sha256Hex(id);
}

const request = 1000;

export function limitPolicy(settings: Settings): LimitPolicy {
  // LIM-1, LIM-4, LIM-10.
  const rate = (credential: Credential): number =>
    credential.rate_per_second ??
    (credential.kind === 'delegated' ? planRates.sandbox : planRates[credential.plan]);
  // LIM-3, NS-36.
  const firmRate = (world: World, firmId: string): number => {
    const firm = world.firms.get(firmId);
    if (firm === undefined) throw new Error(`no firm ${firmId}`);
    if (firm.rate_per_second !== null) return firm.rate_per_second;
    if (settings.firm_rate_from === 'firm_plan') return firmFactor * planRates[firm.plan];
    return firmFactor * highestRate(world, firmId, rate);
  };
  return {
    plans: planRates,
    rate,
    firmRate,
    demands: ({ world, credential, behaviour: { limits } }): readonly Demand[] => {
      if (credential === null) return [];
      const own = { bucket: bucketOf(credential), rate: limits.rate(credential) };
      const { firm_id: firmId } = credential;
      const firm = { bucket: `firm:${firmId}`, rate: limits.firmRate(world, firmId) };
      if (settings.delegated_allowance === 'apart') return [own, firm];
      // NS-37, the other choice.
      const minter = world.credentials.get(credential.minted_by ?? '');
      if (minter === undefined) return [own, firm];
      return [own, { bucket: bucketOf(minter), rate: limits.rate(minter) }, firm];
    },
    // LIM-2: about one second's allowance gathers, and never less than one request.
    level: (bucket, perSecond, atMs) => {
      const full = Math.max(perSecond, 1) * request;
      if (bucket === undefined) return full;
      return Math.min(full, bucket.units + Math.max(0, atMs - bucket.atMs) * perSecond);
    },
    // LIM-9, LIM-11: one request is one request, bulk or read.
    cost: () => request,
    // LIM-8: made for refusals only; no other answer carries them.
    // LIM-6: whole seconds, and never less than one, so that honouring them succeeds (LIM-7).
    headers: (perSecond, waitMs) => {
      const seconds = String(Math.max(1, Math.ceil(waitMs / 1000)));
      return {
        'retry-after': seconds,
        'x-ratelimit-limit': String(perSecond),
        'x-ratelimit-remaining': '0',
        'x-ratelimit-reset': seconds,
      };
    },
    // AUTH-3b.
    tokenRequests: tokensAMinute,
    tokenWindowMs: 60_000,
    // AUTH-3c.
    tokenBudget: (clientId) => clientId,
  };
}

/**
 * LIM-10, NS-37: delegated tokens share a bucket of their minting credential, apart from its own.
 */
function bucketOf(credential: Credential): string {
  if (credential.kind !== 'delegated') return `credential:${credential.client_id}`;
  return `delegated:${credential.minted_by ?? credential.client_id}`;
}

function highestRate(
  world: World,
  firmId: string,
  rate: (credential: Credential) => number,
): number {
  let highest = 0;
  for (const credential of world.credentials.values()) {
    if (credential.firm_id === firmId) highest = Math.max(highest, rate(credential));
  }
  return highest;
}

interface Place {
  readonly firm_id: string;
  readonly brand_id: string | null;
}

/** AUTH-6, AUTH-7: of the firm, and of the brand where the credential is bound to one. */
function within(credential: Credential, place: Place): boolean {
  if (place.firm_id !== credential.firm_id) return false;
  return credential.brand_id === null || place.brand_id === credential.brand_id;
}

function reachPolicy(settings: Settings): ReachPolicy {
  // AUTH-5: the limit belongs to the delegated token, not to the name of its scope.
  const ofAccount = (credential: Credential, accountId: string | null): boolean =>
    credential.account_id === null || credential.account_id === accountId;
  return {
    brand: (credential, brandId, world) => {
      const brand = world.brands.get(brandId);
      return (
        brand !== undefined && within(credential, { firm_id: brand.firm_id, brand_id: brandId })
      );
    },
    account: (credential, account) =>
      within(credential, account) && ofAccount(credential, account.id),
    transaction: (credential, transaction) =>
      within(credential, transaction) && ofAccount(credential, transaction.account_id),
    // HOOK-11, HOOK-12, NS-38, NS-65.
    subscription: (credential, subscription) =>
      within(credential, subscription) &&
      (settings.delegated_webhooks === 'brand' ||
        credential.account_id === null ||
        subscription.client_id === credential.client_id) &&
      (settings.firm_wide_sees_webhooks === 'all' || subscription.brand_id === credential.brand_id),
    event: (credential, event) =>
      within(credential, event) && ofAccount(credential, event.account_id),
  };
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

function webhookPolicy(settings: Settings): WebhookPolicy {
  const policy: WebhookPolicy = {
    space: publicSpace,
    refuseTarget: (url, addresses, world) =>
      refuseTarget(settings, url, addresses, world, policy.space),
    // HOOK-9.
    categories: eventCategories,
    secret: (world, count) =>
      `whsec_${seededToken(world.seed, `secret:${world.name}:${count}`, 40, alphabet)}`,
  };
  return policy;
}

/** HOOK-7, HOOK-8, EVT-11: why this url cannot be a target now; null when it can. */
function refuseTarget(
  settings: Settings,
  url: string,
  addresses: readonly string[] | null,
  world: World,
  space: AddressSpace,
): string | null {
  const allowLocal = world.options.allowLocalWebhooks;
  const target = parseTargetUrl(url, { allowLocal, space });
  if (target.kind === 'refused') return target.why;
  if (target.address !== null) return null;
  const named = world.names.get(target.hostname) ?? null;
  // A forwarded name counts as public unless an operator says what it resolves to.
  if (named === null && world.forwards.has(target.origin)) return null;
  const found = named ?? addresses ?? [];
  if (found.length === 0) {
    return settings.unresolvable_webhook_host === 'accepted'
      ? null
      : `url must lead to a public address: ${target.hostname} does not resolve`;
  }
  const judged = judgeAddresses(found, targetSpace({ allowLocal, space }));
  return judged.ok ? null : `url must lead to a public address: ${judged.why}`;
}

function deliveryPolicy(settings: Settings, serialize: SerializePolicy): DeliveryPolicy {
  const overlapMs = settings.rotation_overlap_s * 1000;
  return {
    // EVT-1, EVT-12, NS-65.
    wants: (subscription, event) =>
      subscription.event_categories.includes(event.category) &&
      subscription.firm_id === event.firm_id &&
      (subscription.brand_id === null || subscription.brand_id === event.brand_id) &&
      (subscription.account_id === null || subscription.account_id === event.account_id),
    gapsMs: retryGapsMs,
    answerLimitMs,
    connectionLimitMs: answerLimitMs,
    // EVT-9a.
    succeeded: (status) => status >= 200 && status < 300,
    followsRedirect: null,
    // EVT-7, NS-22.
    secrets: ({ secret, previous_secret: previousSecret, rotated_at_ms: rotatedAtMs }, atMs) =>
      previousSecret !== null && rotatedAtMs !== null && atMs - rotatedAtMs < overlapMs
        ? [secret, previousSecret]
        : [secret],
    // EVT-5a, EVT-6.
    signature: (secrets, tMs, body) =>
      signatureHeader(
        tMs,
        secrets.map((secret) => signBody(secret, tMs, body)),
      ),
    // EVT-2a, EVT-2b.
    body: (event, world) => serialize.envelope(event, world),
    // EVT-3, NS-10.
    headers: (subscription, signature) => ({
      'content-type': 'application/json; charset=utf-8',
      [settings.signature_header]: signature,
      [settings.subscription_header]: String(subscription.id),
    }),
    // EVT-11.
    rechecksTarget: true,
    overlapMs,
    replayWindowMs: eventWindowMs,
  };
}

// How the platform behaves, as one value: tables and small policies. The conforming platform keeps
// every rule, and the settings decide every open question; a deviation is a function from one
// Behaviour to another. Core reads all its policies from here, so one wrong policy is one wrong
// behaviour.
import {
  answerLimitMs,
  bulkRows,
  eventWindowMs,
  firmFactor,
  keyRetentionMs,
  longestText,
  planRates,
  retryGapsMs,
  tokensAMinute,
} from '../../fixtures/constants.ts';
import { eventCategories } from '../../fixtures/event-kinds.ts';
import {
  type OperationName,
  type OperationRow,
  operationTable,
  type RefusalCode,
  refusalTable,
} from '../../fixtures/operations.ts';
import type { Settings } from '../../fixtures/settings.ts';
import type { Cite, Reply } from './call.ts';
import { streamEvents } from './delivery/events-channel.ts';
import * as accounts from './operations/accounts.ts';
import { optionalText, ownerNamed } from './operations/members.ts';
import * as positions from './operations/positions.ts';
import * as reads from './operations/reads.ts';
import { issueToken } from './operations/tokens.ts';
import * as transactions from './operations/transactions.ts';
import * as webhooks from './operations/webhooks.ts';
import { bodyReader } from './pipeline/body.ts';
import type { Body, Operation, RequestContext, Stage } from './pipeline/request-context.ts';
import { stages } from './pipeline/stages.ts';
import type {
  Account,
  Bucket,
  Credential,
  EventRecord,
  KeyRecord,
  Subscription,
  TradingAccount,
  Transaction,
} from './records.ts';
import { type Problem, requestId, serializePolicy } from './serialize.ts';
import { isLooseDecimal, isPlainDecimal } from './values/decimal.ts';
import { seededSecret, sha256Hex, signatureHeader, signBody } from './values/digest.ts';
import { normalisePhone, phoneIdentity } from './values/phone.ts';
import { parseTargetUrl, refuseAddresses } from './values/target-url.ts';
import {
  countBytes,
  countCodePoints,
  foldCase,
  type IfMatch,
  isBlank,
  parseExactId,
  parseId,
  parseIfMatch,
  parseIfMatchList,
} from './values/text.ts';
import { existing, type World } from './world.ts';

const operations: Readonly<Record<OperationName, Operation>> = {
  createAccount: accounts.createAccount,
  updateAccount: accounts.updateAccount,
  bulkCreateAccounts: accounts.bulkCreateAccounts,
  openPosition: positions.openPosition,
  closePosition: positions.closePosition,
  createTransaction: transactions.createTransaction,
  approveTransaction: transactions.approveTransaction,
  rejectTransaction: transactions.rejectTransaction,
  cancelTransaction: transactions.cancelTransaction,
  createWebhook: webhooks.createWebhook,
  listWebhooks: webhooks.listWebhooks,
  getWebhook: webhooks.getWebhook,
  rotateWebhookSecret: webhooks.rotateWebhookSecret,
  disableWebhook: webhooks.disableWebhook,
  issueToken,
  listAccounts: reads.listAccounts,
  listTransactions: reads.listTransactions,
  getAccountStatus: reads.getAccountStatus,
  streamEvents,
};

export type Behaviour = ReturnType<typeof conformingBehaviour>;
export type LimitPolicy = Behaviour['limits'];
export type DeliveryPolicy = Behaviour['delivery'];

export function conformingBehaviour(settings: Settings) {
  const serialize = serializePolicy(settings);
  const values = valuePolicy(settings);
  return {
    settings,
    /** NS-17. */
    stages: settings.check_order.map((name): Stage => ({ name, decide: stages[name] })),
    table: tableFor(settings),
    operations,
    /** JSON or form text as an object, or why it cannot be read (ERR-2). */
    read: bodyReader(settings),
    keys: keyPolicy(settings),
    limits: limitPolicy(settings),
    reach: reachPolicy(settings),
    values,
    accounts: accountPolicy(settings),
    transactions: transactionPolicy(settings, values.referenceKey),
    serialize,
    webhooks: webhookPolicy(settings),
    delivery: deliveryPolicy(settings, serialize.envelope),
    /** Adjusts every response before it is sent, but not the response stored for repeats. */
    finalizeReply: (reply: Reply, _context: RequestContext): Reply =>
      // NS-32: there is no deprecation header unless a setting adds one.
      settings.deprecation_header === null
        ? reply
        : { ...reply, headers: { ...reply.headers, deprecation: settings.deprecation_header } },
    /** Turns a problem into an answer, plain text or problem+json. */
    refuse: (context: RequestContext, problem: Problem): Reply => ({
      status: problem.status,
      contentType: 'application/problem+json',
      body: context.behaviour.serialize.problem(problem, context.requestId),
    }),
    refusedAs: (code: RefusalCode): { readonly status: number; readonly title: string } =>
      refusalTable[code],
    requestId,
  };
}

/** The conforming behaviour, which each deviation overrides in turn. */
export const behaviourWith = (
  settings: Settings,
  deviations: readonly { readonly override: (behaviour: Behaviour) => Behaviour }[],
): Behaviour =>
  deviations.reduce(
    (behaviour, { override }) => override(behaviour),
    conformingBehaviour(settings),
  );

function tableFor(settings: Settings): Readonly<Record<OperationName, OperationRow>> {
  const { getAccountStatus, streamEvents } = operationTable;
  return {
    ...operationTable,
    // NS-54.
    getAccountStatus: { ...getAccountStatus, absent: settings.account_status_endpoint === 'none' },
    streamEvents: { ...streamEvents, path: settings.events_path },
  };
}

/** How texts are parsed, compared and limited. */
function valuePolicy(settings: Settings) {
  const plus = { e164: '+', digits: '', other: '+ ' }[settings.phone_form];
  return {
    /** NS-40. */
    length: {
      code_points: countCodePoints,
      utf16: (text: string) => text.length,
      bytes: countBytes,
    }[settings.length_unit],
    isBlank,
    /** ACC-2, TXN-3. */
    maxReference: longestText,
    /** ACC-4. */
    isEmail: (text: string): boolean => text.includes('@'),
    /** TXN-5, NS-49. */
    isDecimal: settings.amount_exponent === 'accepted' ? isLooseDecimal : isPlainDecimal,
    /** The id in a text; null if it is not a decimal string (CONV-1c, NS-48). */
    id: settings.id_leading_zeros === 'refused' ? parseExactId : parseId,
    /** ACC-6, TXN-2. */
    referenceKey: foldCase,
    /** ACC-8, NS-20. */
    emailKey: (email: string): string => (settings.email_case_sensitive ? email : foldCase(email)),
    /** ACC-11, ACC-12, NS-24. */
    phone: (raw: string | null, region: string | null): string | null =>
      normalisePhone(raw, region, settings.phone_letters)?.replace(/^\+/, plus) ?? null,
    phoneKey: phoneIdentity,
    /** UPD-9, NS-39. */
    ifMatch: (header: string | undefined): IfMatch =>
      (settings.if_match_star === 'any' ? parseIfMatchList : parseIfMatch)(header),
    /** ACC-19: a strong tag is the value in double quotes. */
    etag: ({ revision }: Account): string => `"${revision}"`,
  };
}

/** People: where they must be unique, and how a new account begins. */
function accountPolicy(settings: Settings) {
  return {
    /** NS-20. */
    referenceIndex: (firmId: string, brandId: string): string =>
      settings.account_reference_scope === 'firm' ? `firm:${firmId}` : brandId,
    /** ACC-8, ACC-9, ACC-10: at the brand. */
    peopleIndex: (brandId: string): string => brandId,
    /** ACC-13, NS-25. */
    nameAfterEmail: (email: string): { first_name: string; last_name: string } => {
      const form = settings.account_named_after_email;
      if (form === 'other') return { first_name: '', last_name: email };
      const name = form === 'local_part' ? email.slice(0, email.indexOf('@')) : email;
      return { first_name: name, last_name: '' };
    },
    /** ACC-20. */
    firstStatus: 'New',
    /** BULK-7. */
    maxRows: bulkRows,
  };
}

/** Money: the possible transitions, and which types are deposits. */
function transactionPolicy(settings: Settings, referenceKey: (reference: string) => string) {
  /** NS-43. */
  const isDeposit = ({ transaction_type: type, method }: Transaction): boolean =>
    type === 'Deposit' &&
    (settings.bonus_is_deposit || method !== 'Bonus') &&
    (settings.withdrawal_method_is_deposit || method !== 'Withdrawal');
  return {
    transitions: transitionsFor(settings),
    isDeposit,
    /** TXS-3, TXS-18, NS-21, NS-43. */
    isProviderPayout: (
      { transaction_type: type }: Transaction,
      { provider_payouts: paysOut }: TradingAccount,
    ): boolean => {
      const { provider_withdrawals: which } = settings;
      const isProviders = which === 'every' || (which === 'trading_account' && paysOut);
      return type === 'Withdrawal' && isProviders;
    },
    /** TXS-2: whether approving this one makes it the first-time deposit. */
    isFirstDeposit: (transaction: Transaction, account: Account): boolean =>
      account.first_deposit_id === null && isDeposit(transaction),
    /** TXN-2, NS-20. */
    referenceKey: (firmId: string, accountId: string, reference: string): string => {
      const isOfAccount = settings.transaction_reference_scope === 'account';
      return `${isOfAccount ? `account:${accountId}` : firmId}\n${referenceKey(reference)}`;
    },
  };
}

/** NS-4: the cells of the table of transitions that the specification leaves open. */
function transitionsFor(settings: Settings): transactions.TransitionTable {
  const cites: readonly Cite[] = ['NS-4'];
  const rejected: transactions.Transition = { kind: 'move', to: 'rejected', cites };
  const cancelled: transactions.Transition = { kind: 'move', to: 'cancelled', cites };
  const { approved, settled } = transactions.transitionTable;
  const { reject_from_approved, cancel_from_approved, approve_from_settled, reject_from_settled } =
    settings;
  return {
    ...transactions.transitionTable,
    approved: {
      ...approved,
      reject: reject_from_approved === 'rejected' ? rejected : approved.reject,
      cancel: cancel_from_approved === 'cancelled' ? cancelled : approved.cancel,
    },
    settled: {
      ...settled,
      approve: approve_from_settled === 'refused' ? { kind: 'refused', cites } : settled.approve,
      reject:
        reject_from_settled === 'rejected'
          ? { ...rejected, entry: 'compensation' }
          : settled.reject,
    },
  };
}

/** Idempotency keys: how they are parsed, their subject and lifetime, and the response to a repeat. */
function keyPolicy(settings: Settings) {
  return {
    /** IDEM-1: trimmed, then 1 to 255 characters; header text has one character a byte (NS-40). */
    parse: (header: string | undefined): string | null => {
      const key = header?.replace(/^[ \t]+|[ \t]+$/g, '') ?? '';
      return key.length >= 1 && key.length <= longestText ? key : null;
    },
    subjects: subjectsFor(settings),
    id: keyId,
    find: (world: World, keyId: string, atMs: number): KeyRecord | undefined => {
      const record = world.keys.get(keyId);
      if (record === undefined || record.reply === null) return record;
      // IDEM-7: a record expires exactly at the end of its retention, to the millisecond.
      return atMs - record.atMs < keyRetentionMs ? record : undefined;
    },
    /** IDEM-4d, IDEM-6: every answer after the replay look-up, except one that may be retried. */
    records: ({ status }: Reply): boolean => status !== 429 && status !== 500 && status !== 503,
    /** IDEM-4, IDEM-5, ACC-19: stored bytes and tag, so the body keeps the first request_id. */
    replay: (stored: Reply, _context: RequestContext): Reply => stored,
    abandonAfterMs: settings.abandon_after_ms,
  };
}

type Subject = (context: RequestContext) => string;

/** IDEM-2c: the scope of a key. */
function subjectsFor(settings: Settings): Readonly<Partial<Record<OperationName, Subject>>> {
  const reference = (body: Body) => optionalText(body, 'client_reference_id') ?? '';
  // NS-48: the numeric id, without leading zeros.
  const idOf = ({ behaviour }: RequestContext, named: string | null): string =>
    named === null ? '' : (behaviour.values.id(named) ?? named);
  const account: Subject = (context) => idOf(context, ownerNamed(context));
  const tradingAccount: Subject = (context) =>
    idOf(context, optionalText(context.body, 'trading_account_id'));
  return {
    // The subject is the reference alone, for any brand.
    createAccount: ({ body }) => foldCase(reference(body)),
    // NS-35.
    createTransaction: ({ body }) =>
      settings.transaction_subject_case_sensitive ? reference(body) : foldCase(reference(body)),
    // IDEM-9: each row's reference, email and brand, in order.
    bulkCreateAccounts: (context) => {
      const rows = (context.body.accounts as readonly Body[]).map((row) => {
        const brand = optionalText(row, 'brand_id');
        const email = optionalText(row, 'email');
        return [foldCase(reference(row)), email, brand === null ? null : idOf(context, brand)];
      });
      return sha256Hex(JSON.stringify(rows));
    },
    openPosition: tradingAccount,
    closePosition: tradingAccount,
    updateAccount: (context) => idOf(context, context.pathId),
    // IDEM-10.
    approveTransaction: account,
    rejectTransaction: account,
    cancelTransaction: account,
  };
}

const longestKeyId = 512;

/** IDEM-2, IDEM-3: separated by line breaks, which only the last part can contain. */
function keyId({ credential, operation, key, subject }: RequestContext): string {
  const id = `${credential?.client_id}\n${operation}\n${key}\n${subject}`;
  return id.length <= longestKeyId ? id : sha256Hex(id);
}

/** A bucket that a call draws from. */
export interface Demand {
  readonly bucket: string;
  /** Requests a second. */
  readonly rate: number;
}

type Drawing = Pick<RequestContext, 'world' | 'credential' | 'behaviour'>;

const request = 1000;

/** How a call draws from allowances. Levels and costs are in thousandths of a request. */
function limitPolicy(settings: Settings) {
  // LIM-1, LIM-4, LIM-10.
  const rate = (credential: Credential): number =>
    credential.rate_per_second ??
    (credential.kind === 'delegated' ? planRates.sandbox : planRates[credential.plan]);
  return {
    /** The allowance in force for a credential, in requests a second. */
    rate,
    /** LIM-3, NS-36. */
    firmRate: (world: World, firmId: string): number => {
      const firm = existing(world.firms, firmId);
      if (firm.rate_per_second !== null) return firm.rate_per_second;
      if (settings.firm_rate_from === 'firm_plan') return firmFactor * planRates[firm.plan];
      let highest = 0;
      for (const credential of world.credentials.values()) {
        if (credential.firm_id === firmId) highest = Math.max(highest, rate(credential));
      }
      return firmFactor * highest;
    },
    /** The buckets of a call: the credential's first, then its firm's (LIM-3). */
    demands: (call: Drawing): readonly Demand[] => {
      const { world, credential } = call;
      const { limits } = call.behaviour;
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
    /** LIM-2: a bucket holds about one second of its rate, and at least one request. */
    level: (bucket: Bucket | undefined, perSecond: number, atMs: number): number => {
      const full = Math.max(perSecond, 1) * request;
      if (bucket === undefined) return full;
      return Math.min(full, bucket.units + Math.max(0, atMs - bucket.atMs) * perSecond);
    },
    /** LIM-9, LIM-11: every request costs one, also a batch or a read. */
    cost: (_context: RequestContext): number => request,
    /**
     * LIM-6, LIM-8: only sent on refusals. Rounded up to whole seconds and at least one, so that a
     * client that waits that long is served (LIM-7).
     */
    headers: (perSecond: number, waitMs: number): Readonly<Record<string, string>> => {
      const seconds = String(Math.max(1, Math.ceil(waitMs / 1000)));
      return {
        'retry-after': seconds,
        'x-ratelimit-limit': String(perSecond),
        'x-ratelimit-remaining': '0',
        'x-ratelimit-reset': seconds,
      };
    },
    /** AUTH-3b. */
    tokenRequests: tokensAMinute,
    tokenWindowMs: 60_000,
    /** AUTH-3c: whose budget a token request counts against. */
    tokenBudget: (clientId: string): string => clientId,
  };
}

/** LIM-10, NS-37: delegated tokens share a bucket per minting credential, apart from its own. */
function bucketOf(credential: Credential): string {
  if (credential.kind !== 'delegated') return `credential:${credential.client_id}`;
  return `delegated:${credential.minted_by ?? credential.client_id}`;
}

type Place = Pick<EventRecord, 'firm_id' | 'brand_id'>;

/** AUTH-6, AUTH-7: whether a place is in the credential's firm, and in its brand if it has one. */
function within(credential: Credential, place: Place): boolean {
  if (place.firm_id !== credential.firm_id) return false;
  return credential.brand_id === null || place.brand_id === credential.brand_id;
}

/** What a credential can see and change; the rest looks unknown (AUTH-5, AUTH-6, AUTH-7). */
function reachPolicy(settings: Settings) {
  // AUTH-5: the restriction belongs to the delegated token, and not to its scopes.
  const isOfAccount = (credential: Credential, accountId: string | null): boolean =>
    credential.account_id === null || credential.account_id === accountId;
  return {
    brand: (credential: Credential, brandId: string, world: World): boolean => {
      const brand = world.brands.get(brandId);
      return brand !== undefined && within(credential, { ...brand, brand_id: brandId });
    },
    account: (credential: Credential, account: Account): boolean =>
      within(credential, account) && isOfAccount(credential, account.id),
    transaction: (credential: Credential, transaction: Transaction): boolean =>
      within(credential, transaction) && isOfAccount(credential, transaction.account_id),
    /** HOOK-11, HOOK-12, NS-38, NS-65. */
    subscription: (credential: Credential, subscription: Subscription): boolean =>
      within(credential, subscription) &&
      (settings.delegated_webhooks === 'brand' ||
        credential.account_id === null ||
        subscription.client_id === credential.client_id) &&
      (settings.firm_wide_sees_webhooks === 'all' || subscription.brand_id === credential.brand_id),
    /** Whether an event reaches a credential on the events channel. */
    event: (credential: Credential, event: EventRecord): boolean =>
      within(credential, event) && isOfAccount(credential, event.account_id),
  };
}

/** Subscriptions and where they may point. */
function webhookPolicy(settings: Settings) {
  return {
    /** HOOK-7, HOOK-8, EVT-11: why this URL cannot be a target now; null if it can. */
    refuseTarget: (url: string, addresses: readonly string[] | null, world: World) => {
      const { allowLocalWebhooks } = world.options;
      const target = parseTargetUrl(url, allowLocalWebhooks);
      if (target.kind === 'refused') return target.why;
      if (target.address !== null) return null;
      const named = world.names.get(target.hostname) ?? null;
      // A forwarded name counts as public unless an operator says what it resolves to.
      if (named === null && world.forwards.has(target.origin)) return null;
      const found = named ?? addresses ?? [];
      const publicOnly = 'url must lead to a public address';
      if (found.length === 0) {
        const isAccepted = settings.unresolvable_webhook_host === 'accepted';
        return isAccepted ? null : `${publicOnly}: ${target.hostname} does not resolve`;
      }
      const why = refuseAddresses(found, allowLocalWebhooks);
      return why === null ? null : `${publicOnly}: ${why}`;
    },
    /** HOOK-9. */
    categories: eventCategories as readonly string[],
    secret: (world: World, count: number): string =>
      `whsec_${seededSecret(world.seed, `secret:${world.name}:${count}`)}`,
  };
}

/** How events are delivered. Times are in milliseconds. */
function deliveryPolicy(
  settings: Settings,
  envelope: (event: EventRecord, world: World) => string,
) {
  const overlapMs = settings.rotation_overlap_s * 1000;
  return {
    /** EVT-1, EVT-12, NS-65. */
    wants: (subscription: Subscription, event: EventRecord): boolean =>
      subscription.event_categories.includes(event.category) &&
      subscription.firm_id === event.firm_id &&
      (subscription.brand_id === null || subscription.brand_id === event.brand_id) &&
      (subscription.account_id === null || subscription.account_id === event.account_id),
    /** EVT-8: waits after the first, second, … failed attempt; after the last: exhausted. */
    gapsMs: retryGapsMs,
    answerLimitMs,
    /** The same in real time: how long the sender keeps a connection open. */
    connectionLimitMs: answerLimitMs,
    /** EVT-9a. */
    succeeded: (status: number): boolean => status >= 200 && status < 300,
    /** EVT-9a. */
    followsRedirects: false,
    /** Secrets in use for signing, newest first (EVT-7, NS-22). */
    secrets: (subscription: Subscription, atMs: number): readonly string[] => {
      const { secret, previous_secret: previous, rotated_at_ms: rotatedAtMs } = subscription;
      const isOver = rotatedAtMs === null || atMs - rotatedAtMs >= overlapMs;
      return previous === null || isOver ? [secret] : [secret, previous];
    },
    /** The signature header over the exact bytes sent (EVT-5a, EVT-6). */
    signature: (secrets: readonly string[], tMs: number, body: string): string =>
      signatureHeader(
        tMs,
        secrets.map((secret) => signBody(secret, tMs, body)),
      ),
    /** EVT-2a, EVT-2b: the body of one attempt; the same for every attempt of an event. */
    body: (event: EventRecord, world: World, _attempt: number): string => envelope(event, world),
    /** EVT-3, NS-10. */
    headers: (subscription: Subscription, signature: string): Record<string, string> => ({
      'content-type': 'application/json; charset=utf-8',
      [settings.signature_header]: signature,
      [settings.subscription_header]: String(subscription.id),
    }),
    /** EVT-11. */
    rechecksTarget: true,
    /** EVT-10b: how far back the events channel replays. */
    replayWindowMs: eventWindowMs,
  };
}

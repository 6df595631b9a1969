// Two styles of one platform: a choice for each open question of the specification.
import type { EventRecord, Position, Subscription } from './records.ts';
import { type Json, type JsonObject, withCents } from './values.ts';

export type Step = 'key' | 'token' | 'rate' | 'body' | 'replay' | 'scope';

export interface Order extends Omit<Position, 'open'> {
  readonly positionId: string;
  readonly nowMs: number;
}

/** The most obvious choices. */
export const plain = {
  name: 'plain',
  // NS-1
  position: {
    instrument: 'instrument',
    side: 'side',
    volume: 'volume',
    positionId: 'position_id',
    sides: ['buy', 'sell'] as readonly string[],
    status: 201,
    answer: ({ nowMs, positionId, ...order }: Order): JsonObject => ({
      ...{ ...order, position_id: positionId },
      ...{ price: '1.10000', status: 'filled', created_at: nowMs },
    }),
  },
  marketClosed: null as null | { readonly status: number; readonly code: string },
  // NS-2
  reads: {
    accounts: '/api/v1/accounts',
    transactions: '/api/v1/transactions',
    status: '/api/v1/accounts/{id}/status' as string | null,
    rows: 'named' as 'named' | 'items' | 'bare' | 'data',
    page: 100,
  },
  // NS-3: null settles only on an operator's command. Money moves at one of two moments.
  settlesAfterMs: 2_000 as number | null,
  creditsAt: 'settled' as 'approved' | 'settled',
  // NS-4
  cancelApproved: false,
  approveSettled: true,
  // NS-6, NS-33
  batchRefusal: { missing: 'problem' as 'problem' | 'text', brand: 403 },
  rowWithoutBrand: 'row' as 'row' | 'batch',
  rowWithoutEmail: 'row' as 'row' | 'unreadable',
  rowReference: 'sent' as 'sent' | 'stored',
  lastRowFirst: false,
  // NS-7
  list: 'wrapped' as 'wrapped' | 'bare' | 'nested',
  disableStatus: 200,
  createHookStatus: 201,
  maxHooks: Number.POSITIVE_INFINITY,
  rotateAnswer: (whole: JsonObject, _subscription: Subscription): JsonObject => whole,
  // NS-8, NS-50, NS-51
  token: {
    forms: ['form', 'json', 'basic'] as readonly ('form' | 'json' | 'basic')[],
    name: 'access_token',
    seconds: 3600,
    status: 200,
    refusal: 'oauth' as 'oauth' | 'problem' | 'text',
    limit: '10',
  },
  // NS-9, NS-11
  envelope: (event: EventRecord): JsonObject => ({
    ...{ id: event.id, seq: event.seq, category: event.category, kind: event.kind },
    ...{ occurred_at: event.atMs, firm_id: event.firmId, brand_id: event.brandId },
    ...{ account_id: event.accountId, data: event.content },
  }),
  kindOf: (kind: string): string => kind,
  // NS-10
  signatureHeader: 'X-Webhook-Signature',
  subscriptionHeader: 'X-Webhook-Subscription-Id',
  signsWith: 'wall' as 'wall' | 'clock',
  // NS-12
  channelPath: '/api/v1/events',
  channelMessage: (envelope: JsonObject): Json => envelope,
  // NS-13, and how errors are written
  entry: (field: string, message: string): Json => ({ field, message }),
  docsUrl: 'https://docs.example.com',
  titleOf: (code: string): string => code.replace(/_/g, ' '),
  requestId: (n: number, mark: string): string => `req_${mark}_${n}`,
  // NS-14, NS-15
  unreadable: { syntax: 400, shape: 422, type: 415, words: (why: string): string => why },
  singleBytes: 1_048_576,
  // NS-16
  unauthorized: 'problem' as 'problem' | 'json' | 'text',
  // NS-17
  order: ['key', 'token', 'rate', 'body', 'replay', 'scope'] as readonly Step[],
  tagFormBeforeReach: false,
  reasonBeforeState: false,
  // NS-63
  unknownBrand: 403 as 403 | 404 | 422,
  // NS-18, NS-19
  missingTag: 422,
  noChangeBeforeTag: false,
  // NS-20
  referencesPer: 'brand' as 'brand' | 'reach',
  emailsByCase: false,
  // NS-22
  rotationMs: 86_400_000,
  // NS-23
  hookRefusal: { status: 422, code: 'validation_failed' },
  refusesUnresolved: true,
  // NS-24: with strict phones only numbers that exist are converted to E.164.
  phone: (e164: string): string => e164,
  strictPhones: true,
  // NS-25, and how long a name may be
  namedAfter: (email: string): readonly [string, string | null] => [email, ''],
  longestName: Number.POSITIVE_INFINITY,
  // NS-26
  firstRevision: 1,
  revisionStep: 1,
  // NS-27
  signMustFit: false,
  zeroAmount: false,
  unknownFields: 'ignored' as 'ignored' | 'refused',
  amount: (sent: string): string => sent,
  extraMembers: {} as JsonObject,
  // NS-28
  holdsBack: true,
  // NS-31
  unknownPath: 'problem' as 'problem' | 'text',
  // NS-34
  abandonedAfterMs: 30_000,
  // NS-35
  transactionSubjectByCase: false,
  // NS-37, and how generous the limits are
  delegatedDrawsOnMinter: false,
  generosity: 1,
  // NS-38
  firmSeesBrandHooks: true,
  // NS-39
  tagLists: false,
  // NS-40
  lengthOf: (text: string): number => [...text].length,
  // NS-42
  countsFrom: 'end' as 'start' | 'end',
  // NS-43
  bonusIsDeposit: false,
  // NS-44
  absent: null as Json,
  // NS-45
  oddHookId: 404,
  // NS-46, NS-48, NS-49
  numbersAsAmounts: false,
  leadingZeros: true,
  laxDecimals: false,
  // NS-52, NS-53
  hookBrand: (brandId: string): Json => brandId,
  unknownCategories: 'refused' as 'refused' | 'dropped',
  // NS-55
  nullInUpdate: 'absent' as 'absent' | 'unreadable',
  // NS-56
  validatesBeforeReference: false,
  // NS-57
  readOnlyFirst: true,
  // NS-58
  twoKeys: 'refused' as 'refused' | 'first',
  // NS-60
  foreignCurrency: true,
  /** The first number of every kind of id. */
  firstId: 1001n,
};

export type Style = typeof plain;

/** As many valid choices as possible that differ from `plain`. */
export const other: Style = {
  ...plain,
  name: 'other',
  position: {
    instrument: 'symbol',
    side: 'direction',
    volume: 'lots',
    positionId: 'ticket',
    sides: ['long', 'short'],
    status: 200,
    answer: ({ id, trading_account_id, volume, positionId, nowMs }) => ({
      order: { id, account: { trading_account_id }, lots: volume, fill_price: '1.25' },
      ...{ ticket: positionId, opened_at: nowMs },
    }),
  },
  reads: {
    accounts: '/api/v1/bulk/accounts',
    transactions: '/api/v1/bulk/transactions',
    status: '/api/v1/account-status/{id}',
    rows: 'items',
    page: 100,
  },
  settlesAfterMs: null,
  creditsAt: 'approved',
  cancelApproved: true,
  approveSettled: false,
  batchRefusal: { missing: 'text', brand: 422 },
  rowWithoutBrand: 'batch',
  rowWithoutEmail: 'unreadable',
  rowReference: 'stored',
  list: 'bare',
  disableStatus: 204,
  createHookStatus: 200,
  rotateAnswer: (_, { id, secret }) => ({ id: BigInt(id), secret }),
  token: {
    forms: ['json'],
    name: 'token',
    seconds: 1800,
    status: 201,
    refusal: 'problem',
    limit: '1',
  },
  envelope: (event) => ({
    type: event.kind,
    created: event.atMs,
    id: event.id,
    sequence: event.seq,
    payload: event.content,
  }),
  kindOf: (kind) => kind.replace(/(?:^|[._])([a-z])/g, (_, letter: string) => letter.toUpperCase()),
  signatureHeader: 'Platform-Signature',
  subscriptionHeader: 'Platform-Hook',
  signsWith: 'clock',
  channelPath: '/api/v1/stream',
  channelMessage: (envelope) => ({ events: [envelope] }),
  entry: (field, message) => `${field}: ${message}`,
  docsUrl: 'https://developer.platform.example/reference',
  titleOf: () => 'Request refused',
  requestId: (n, mark) => `${mark}-0000-4000-8000-${n.toString(16).padStart(12, '0')}`,
  unreadable: { syntax: 422, shape: 400, type: 400, words: (why) => `Bad request: ${why}.` },
  unauthorized: 'json',
  order: ['token', 'rate', 'key', 'body', 'scope', 'replay'],
  tagFormBeforeReach: true,
  unknownBrand: 404,
  missingTag: 428,
  noChangeBeforeTag: true,
  referencesPer: 'reach',
  emailsByCase: true,
  rotationMs: 3_600_000,
  hookRefusal: { status: 400, code: 'target_refused' },
  refusesUnresolved: false,
  phone: (e164) => e164.replace(/^\+/, ''),
  strictPhones: false,
  namedAfter: (email) => [email.split('@')[0] ?? email, ''],
  firstRevision: 100,
  revisionStep: 10,
  signMustFit: true,
  zeroAmount: true,
  unknownFields: 'refused',
  amount: withCents,
  holdsBack: false,
  unknownPath: 'text',
  abandonedAfterMs: 60_000,
  transactionSubjectByCase: true,
  delegatedDrawsOnMinter: true,
  firmSeesBrandHooks: false,
  tagLists: true,
  lengthOf: (text) => text.length,
  countsFrom: 'start',
  bonusIsDeposit: true,
  absent: '',
  oddHookId: 422,
  numbersAsAmounts: true,
  leadingZeros: false,
  laxDecimals: true,
  hookBrand: (brandId) => Number(brandId),
  unknownCategories: 'dropped',
  nullInUpdate: 'unreadable',
  validatesBeforeReference: true,
  readOnlyFirst: false,
  twoKeys: 'first',
  foreignCurrency: false,
  firstId: 7_000_000_001n,
};

export const styles = { plain, other };
export type StyleName = keyof typeof styles;
